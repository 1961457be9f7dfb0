import Basics

/// The tags at the start of a payload, one after another, and the rest of it. A payload should be one tag, but writers put padding or further tags
/// behind it.
package struct ID3Payload: Equatable, Sendable {
  /// A tag of a payload.
  package struct Part: Equatable, Sendable {
    /// The bytes of the tag.
    package var bytes: [UInt8]
    /// Where it lies in the payload.
    package var range: Range<Int>
    /// Whether its first bytes were missing: see `ID3Tag.restored`. It happens only at the start of a payload.
    package var isRestored: Bool
    /// Whether the tag in front of it has the same bytes.
    package var isRepeat: Bool
  }

  /// The tags in their order.
  package private(set) var tags: [Part] = []
  /// The bytes that no tag starts with, up to the end.
  package private(set) var rest: Range<Int>
  /// The length that a tag at the start of the rest states, if the payload ends before it; nil if there is none.
  package private(set) var cutLength: Int?
  /// Whether the rest only fills the payload up: zeros, or bytes FF.
  package private(set) var isStuffed = true

  /// Finds the tags of at most `largestTag` bytes.
  package init(_ payload: Span<UInt8>, largestTag: Int = .max) {
    var position = 0
    while position < payload.count {
      let remaining = payload.extracting(position...)
      var part: Part
      if let size = ID3Tag.encodedLength(remaining), size <= largestTag {
        guard size <= remaining.count else {
          cutLength = size
          break
        }
        part = Part(
          bytes: [UInt8](copying: remaining.extracting(..<size)), range: position..<position + size, isRestored: false, isRepeat: false)
      } else if position == 0, let whole = ID3Tag.restored(remaining) {
        part = Part(bytes: whole, range: 0..<whole.count - ID3Tag.cutLength, isRestored: true, isRepeat: false)
      } else {
        break
      }
      part.isRepeat = tags.last?.bytes == part.bytes
      position = part.range.upperBound
      tags.append(part)
    }
    rest = position..<payload.count
    for index in rest where payload[index] != 0 && payload[index] != 0xFF { isStuffed = false }
  }
}

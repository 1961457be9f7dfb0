import Basics

/// The tags at the start of a payload, one after another, and the rest of it. A payload should be one tag, but writers put padding or further tags
/// after it, or the header of a metadata_AU_cell in front of it, and copies by FFmpeg take bytes off its start.
package struct ID3Payload: Equatable, Sendable {
  /// A tag of a payload.
  package struct Part: Equatable, Sendable {
    /// The bytes of the tag.
    package var bytes: [UInt8]
    /// Where it lies in the payload, with the header of its cell.
    package var range: Range<Int>
    /// The number of bytes of the cell's header in front of the tag.
    package var cellHeaderCount = 0
    /// The number of its first bytes that were missing: see `ID3Tag.restored` and `ID3Tag.restoredHeader`. It happens only at the start of a payload.
    package var missingCount = 0
    /// Whether the tag in front of it has the same bytes.
    package var isRepeat = false

    /// Whether its first bytes were missing.
    package var isRestored: Bool { missingCount > 0 }
  }

  /// The number of bytes of a metadata_AU_cell's header (ISO/IEC 13818-1, 2.12.4).
  package static let cellHeaderLength = 5

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
        part = Part(bytes: [UInt8](copying: remaining.extracting(..<size)), range: position..<position + size)
      } else if position == 0, let whole = ID3Tag.restored(remaining) {
        part = Part(bytes: whole, range: 0..<whole.count - ID3Tag.cutLength, missingCount: ID3Tag.cutLength)
      } else if position == 0, let whole = ID3Tag.restoredHeader(remaining) {
        part = Part(bytes: whole, range: 0..<payload.count, missingCount: whole.count - payload.count)
      } else if let size = Self.cellSize(remaining), size <= remaining.count, size - Self.cellHeaderLength <= largestTag {
        let tag = [UInt8](copying: remaining.extracting(Self.cellHeaderLength..<size))
        part = Part(bytes: tag, range: position..<position + size, cellHeaderCount: Self.cellHeaderLength)
      } else if !tags.isEmpty, let count = Self.fillingCount(remaining) {
        position += count
        continue
      } else {
        break
      }
      part.isRepeat = tags.last?.bytes == part.bytes
      position = part.range.upperBound
      tags.append(part)
    }
    rest = (tags.last?.range.upperBound ?? 0)..<payload.count
    if cutLength != nil { rest = position..<payload.count }
    for index in rest where payload[index] != 0 && payload[index] != 0xFF { isStuffed = false }
  }

  /// Whether bytes are the header of a metadata_AU_cell in front of a tag, which some multiplexers write.
  package static func startsCell(_ bytes: Span<UInt8>) -> Bool { cellSize(bytes) != nil }

  /// The size of a metadata_AU_cell with a tag at the start of `bytes`; nil if there is none.
  private static func cellSize(_ bytes: Span<UInt8>) -> Int? {
    let startsTag = bytes.count > 2 && bytes[0] == 0x49 && bytes[1] == 0x44 && bytes[2] == 0x33
    guard bytes.count > cellHeaderLength, !startsTag else { return nil }
    return ID3Tag.encodedLength(bytes.extracting(cellHeaderLength...)).map { $0 + cellHeaderLength }
  }

  /// The number of bytes of filling, zeros or FF, in front of another tag; nil if there is no filling, or no tag after it.
  private static func fillingCount(_ bytes: Span<UInt8>) -> Int? {
    var count = 0
    while count < bytes.count, bytes[count] == 0 || bytes[count] == 0xFF { count += 1 }
    return count > 0 && count < bytes.count && ID3Tag.encodedLength(bytes.extracting(count...)) != nil ? count : nil
  }
}

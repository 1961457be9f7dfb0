package import Basics
import NALUnits

/// Edits the tags in SEI messages of samples, as ``FragmentReader`` finds them and ``FragmentTagWriter`` writes them.
package enum FragmentTagEditor {
  /// Returns a fragment with other tags in its samples, or without some of them.
  ///
  /// A NAL unit whose last message is removed is removed too.
  ///
  /// - Parameters:
  ///   - fragment: A `moof` and the boxes up to the end of its last `mdat`.
  ///   - baseOffset: Where the fragment starts in the whole input.
  ///   - movie: The movie that the fragment belongs to.
  ///   - keepsSize: Whether an empty box replaces removed bytes.
  ///   - edit: Returns the tag to write instead of a tag, empty to remove its message, or `nil` to keep it.
  /// - Returns: The boxes, and the offsets of the changed samples in the whole input; `nil` if nothing changes.
  /// - Throws: What ``FragmentRewriter/rewriting(_:baseOffset:of:with:keepsSize:)`` throws, and `ParseError` if a NAL unit becomes too large.
  package static func editing(
    _ fragment: Span<UInt8>, baseOffset: Int = 0, of movie: MovieHeader, keepsSize: Bool, _ edit: ([UInt8]) -> [UInt8]?
  ) throws(ParseError) -> (bytes: [UInt8], samples: [Int])? {
    let header = try BoxHeader(fragment, baseOffset: baseOffset)
    let movieSize = Int(clamping: header.size ?? UInt64(fragment.count))
    guard let track = movie.tracks.first(where: { $0.handler == .vide }),
      let found = try FragmentSamples(fragment.extracting(first: movieSize), baseOffset: baseOffset, of: track)
    else { return nil }
    var changes: [ByteChange] = []
    var samples: [Int] = []
    // Samples that share bytes with an earlier one are left out.
    var end = baseOffset + movieSize
    for place in found.samples.map({ $0.place }).sorted(by: { $0.lowerBound < $1.lowerBound })
    where place.lowerBound >= end && place.upperBound - baseOffset <= fragment.count {
      let sample = fragment.extracting(place.lowerBound - baseOffset..<place.upperBound - baseOffset)
      let own = try Self.changes(in: sample, at: place.lowerBound, found.layout, edit)
      if !own.isEmpty { samples.append(place.lowerBound) }
      changes += own
      end = place.upperBound
    }
    guard !changes.isEmpty else { return nil }
    let bytes = try FragmentRewriter.rewriting(fragment, baseOffset: baseOffset, of: movie, with: changes, keepsSize: keepsSize)
    return (bytes, samples)
  }

  private static func changes(
    in sample: Span<UInt8>, at offset: Int, _ layout: NALUnitLayout, _ edit: ([UInt8]) -> [UInt8]?
  ) throws(ParseError) -> [ByteChange] {
    var head = AccessUnitHead(layout.codec, .lengths(layout.lengthSize))
    guard case .found = head.push(sample) else { return [] }
    var changes: [ByteChange] = []
    for range in head.units where layout.codec.isMessage(head.bytes[range.lowerBound]) {
      guard let unit = TagMessage.editing(sample.extracting(range), layout.codec, edit) else { continue }
      let start = offset + range.lowerBound - layout.lengthSize
      guard let replacement = unit.isEmpty ? [] : layout.prefixed(unit) else {
        throw ParseError(.aboveLimit(what: "the length of a NAL unit", limit: 1 << (8 * layout.lengthSize) - 1), at: start)
      }
      changes.append(ByteChange(start..<offset + range.upperBound, to: replacement))
    }
    return changes
  }
}

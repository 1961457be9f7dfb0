package import Basics

/// A movie fragment (`moof`, ISO/IEC 14496-12, 8.8.4), as far as it concerns times.
package struct Fragment: Equatable, Sendable {
  /// sequence_number of `mfhd`.
  package var sequenceNumber: UInt32
  /// The tracks that have samples in it, in file order.
  package var tracks: [TrackFragment]
  /// When the first sample of any track is presented, to the nearest tick of 90 kHz; `nil` if no track's time is known.
  package var earliestPresentationTime: MediaTime? { tracks.compactMap { $0.earliestPresentationTime }.min() }
}

extension Fragment {
  /// Reads a whole `moof`.
  ///
  /// - Parameters:
  ///   - bytes: The box, header included.
  ///   - baseOffset: Where the box starts in the whole input.
  ///   - movie: The movie of the initialization segment; without it no track has a timescale, and defaults of `trex` are missing.
  /// - Throws: `ParseError` if it is not a `moof`, lacks a mandatory box, is cut off, has times above 63 bits, or something follows it.
  package init(_ bytes: Span<UInt8>, baseOffset: Int = 0, movie: MovieHeader?) throws(ParseError) {
    let box = try Box.single(bytes, baseOffset: baseOffset, .moof)
    var sequenceNumber: UInt32?
    tracks = []
    var boxes = try box.children()
    while let child = try boxes.next() {
      switch child.type {
      case BoxType("mfhd"):
        var reader = child.fields
        try reader.skip(4)
        sequenceNumber = try reader.readUInt32()
      case BoxType("traf"):
        guard tracks.count < MovieHeader.mostTracks else {
          throw ParseError(.aboveLimit(what: "number of tracks", limit: MovieHeader.mostTracks), at: child.offset)
        }
        tracks.append(try TrackFragment(child, movie: movie))
      default: break
      }
    }
    guard let sequenceNumber else { throw ParseError(.invalid("moof without mfhd"), at: baseOffset) }
    self.sequenceNumber = sequenceNumber
  }
}

package import Basics

/// How a track's picture is transformed before it is shown (`matrix` of `tkhd`, ISO/IEC 14496-12, 8.3.2): phones rotate pictures this way.
package struct TrackMatrix: Equatable, Sendable {
  /// a, b, u, c, d, v, x, y and w, as the box has them: u, v and w with 30 fractional bits, the others with 16.
  package let values: [Int32]

  /// The number of values of a matrix.
  package static let count = 9

  /// A matrix of nine values; `nil` for any other number of them.
  package init?(_ values: [Int32]) {
    guard values.count == Self.count else { return nil }
    self.values = values
  }

  /// Returns an initialization section with this matrix in its tracks.
  ///
  /// - Throws: `ParseError` if it is not a sequence of whole boxes, or a `tkhd` is cut off.
  package func setting(in initialisation: Span<UInt8>) throws(ParseError) -> [UInt8] {
    var bytes = [UInt8](copying: initialisation)
    for start in try Self.offsets(in: initialisation) {
      for (index, value) in values.enumerated() {
        for byte in 0..<4 { bytes[start + 4 * index + byte] = UInt8(truncatingIfNeeded: value >> (24 - 8 * Int32(byte))) }
      }
    }
    return bytes
  }

  /// The matrices of the tracks in an initialization section.
  ///
  /// - Throws: `ParseError` as `setting` does.
  package static func all(in initialisation: Span<UInt8>) throws(ParseError) -> [TrackMatrix] {
    try offsets(in: initialisation).compactMap { start in
      TrackMatrix(
        (0..<count).map { index in
          (0..<4).reduce(Int32(0)) { $0 << 8 | Int32(initialisation[start + 4 * index + $1]) }
        })
    }
  }

  /// The offsets of the matrices.
  private static func offsets(in initialisation: Span<UInt8>) throws(ParseError) -> [Int] {
    var found: [Int] = []
    var boxes = BoxReader(initialisation)
    while let movie = try boxes.next(.moov) {
      var tracks = try movie.children()
      while let track = try tracks.next(BoxType("trak")) {
        var parts = try track.children()
        while let part = try parts.next(BoxType("tkhd")) {
          var reader = part.fields
          let times = try FullBoxFields(reading: &reader).timeByteCount
          // Skips two dates, the track's id, its duration, the layer, the alternate group and the volume, and the reserved fields among them.
          try reader.skip(3 * times + 24)
          found.append(reader.offset)
          try reader.skip(4 * count)
        }
      }
    }
    return found
  }
}

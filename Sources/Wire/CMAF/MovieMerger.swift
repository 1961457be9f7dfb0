package import Basics

/// Puts tracks that were written one by one into one file: one initialization section, and fragments that name their track.
package enum MovieMerger {
  /// A box with its header.
  private struct Part {
    var type: BoxType
    var bytes: [UInt8]
    /// The number of bytes of its header.
    var headerCount: Int
  }

  /// Returns one initialization section for several of one track each. Their tracks get the numbers from 1 on.
  ///
  /// - Throws: `ParseError` if one of them is not `ftyp` and `moov` with a track.
  package static func merged(_ sections: [[UInt8]]) throws(ParseError) -> [UInt8] {
    let files = try eachParts(of: sections)
    guard let first = files.first, let type = first.first(where: { $0.type == .ftyp }) else { throw missing(.ftyp) }
    var tracks: [UInt8] = []
    var defaults: [UInt8] = []
    for (index, file) in files.enumerated() {
      let (track, extends) = try track(of: file, number: UInt32(index + 1))
      tracks += track
      defaults += extends
    }
    var movie: [UInt8] = []
    var hasTracks = false
    for part in try children(of: first, .moov) {
      switch part.type {
      case BoxType("mvhd"):
        // next_track_ID is the last field.
        movie += setting(UInt32(files.count + 1), at: part.bytes.count - 4, in: part.bytes)
      case BoxType("trak"):
        if !hasTracks { movie += tracks }
        hasTracks = true
      case BoxType("mvex"):
        let others = try parts(in: part).filter { $0.type != BoxType("trex") }
        movie += box(BoxType("mvex"), others.flatMap { $0.bytes } + defaults)
      default: movie += part.bytes
      }
    }
    return type.bytes + box(.moov, movie)
  }

  /// Returns a fragment of one of the tracks, with the number of its track and its own in the file.
  ///
  /// - Throws: `ParseError` if it is not a sequence of whole boxes, or one of its boxes is cut off.
  package static func renumbered(_ fragment: Span<UInt8>, track: UInt32, sequence: UInt32) throws(ParseError) -> [UInt8] {
    var output: [UInt8] = []
    for part in try parts(in: fragment) {
      guard part.type == .moof else {
        output += part.bytes
        continue
      }
      var children: [UInt8] = []
      for child in try parts(in: part) {
        switch child.type {
        case BoxType("mfhd"): children += setting(sequence, at: child.headerCount + 4, in: child.bytes)
        case BoxType("traf"):
          var fields: [UInt8] = []
          for field in try parts(in: child) {
            fields += field.type == BoxType("tfhd") ? setting(track, at: field.headerCount + 4, in: field.bytes) : field.bytes
          }
          children += box(BoxType("traf"), fields)
        default: children += child.bytes
        }
      }
      output += box(.moof, children)
    }
    return output
  }

  private static func eachParts(of sections: [[UInt8]]) throws(ParseError) -> [[Part]] {
    var files: [[Part]] = []
    for section in sections {
      let span = section.view
      files.append(try parts(in: span))
    }
    return files
  }

  /// The track of an initialization section, and the defaults of its fragments, with a number.
  private static func track(of file: [Part], number: UInt32) throws(ParseError) -> (track: [UInt8], defaults: [UInt8]) {
    let movie = try children(of: file, .moov)
    guard let track = movie.first(where: { $0.type == BoxType("trak") }) else { throw missing(BoxType("trak")) }
    var fields: [UInt8] = []
    for part in try parts(in: track) {
      guard part.type == BoxType("tkhd") else {
        fields += part.bytes
        continue
      }
      // Two dates come before it, which have 64 bits in version 1.
      let isLong = part.bytes.count > part.headerCount && part.bytes[part.headerCount] == 1
      fields += setting(number, at: part.headerCount + 4 + (isLong ? 16 : 8), in: part.bytes)
    }
    var defaults: [UInt8] = []
    for part in try children(of: movie, BoxType("mvex")) where part.type == BoxType("trex") {
      defaults += setting(number, at: part.headerCount + 4, in: part.bytes)
    }
    return (box(BoxType("trak"), fields), defaults)
  }

  private static func children(of parts: [Part], _ type: BoxType) throws(ParseError) -> [Part] {
    guard let part = parts.first(where: { $0.type == type }) else { throw missing(type) }
    return try self.parts(in: part)
  }

  private static func parts(in part: Part) throws(ParseError) -> [Part] {
    let span = part.bytes.view
    return try parts(in: span.extracting(part.headerCount...))
  }

  private static func parts(in bytes: Span<UInt8>) throws(ParseError) -> [Part] {
    var reader = BoxReader(bytes)
    var parts: [Part] = []
    while let box = try reader.next() {
      let whole = [UInt8](copying: bytes.extracting(box.offset..<box.payloadOffset + box.payload.count))
      parts.append(Part(type: box.type, bytes: whole, headerCount: box.payloadOffset - box.offset))
    }
    return parts
  }

  private static func setting(_ value: UInt32, at place: Int, in bytes: [UInt8]) -> [UInt8] {
    guard place >= 0, place + 4 <= bytes.count else { return bytes }
    var bytes = bytes
    for (index, shift) in ([24, 16, 8, 0] as [UInt32]).enumerated() { bytes[place + index] = UInt8(truncatingIfNeeded: value >> shift) }
    return bytes
  }

  private static func box(_ type: BoxType, _ payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: payload.count + BoxHeader.smallestLength)
    writer.writeUInt32(UInt32(clamping: payload.count + BoxHeader.smallestLength))
    writer.writeUInt32(type.rawValue)
    writer.write(payload)
    return writer.bytes
  }

  private static func missing(_ type: BoxType) -> ParseError { ParseError(.invalid("no box \(type)"), at: 0) }
}

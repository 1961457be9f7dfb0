package import Basics

/// The content of an initialization segment (`moov`, ISO/IEC 14496-12, 8.2): the tracks and how they are coded.
package struct MovieHeader: Equatable, Sendable {
  /// Whether fragments follow (`mvex`). If they do not, the movie itself lists the samples.
  package var isFragmented = true
  /// The tracks in file order.
  package var tracks: [Track]

  /// The maximum number of tracks in a movie or a fragment, and of sample entries in a track.
  package static let mostTracks = 256

  /// The track with this id.
  package func track(_ id: UInt32) -> Track? { tracks.first { $0.id == id } }

  /// The codecs of all tracks in the form of RFC 6381, each once, in the order of the tracks.
  package var codecs: [String] {
    var codecs: [String] = []
    for codec in tracks.flatMap({ $0.sampleEntries.compactMap { $0.codec } }) where !codecs.contains(codec) { codecs.append(codec) }
    return codecs
  }
}

extension MovieHeader {
  /// Reads a whole `moov`.
  ///
  /// - Throws: `ParseError` if it is not a `moov`, lacks a mandatory box, is cut off, or something follows it.
  package init(_ bytes: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    let box = try Box.single(bytes, baseOffset: baseOffset, .moov)
    var timescale: Timescale?
    var defaults: [(trackID: UInt32, defaults: SampleDefaults)] = []
    var parts: [(track: Track, edits: EditList)] = []
    isFragmented = false
    var boxes = try box.children()
    while let child = try boxes.next() {
      switch child.type {
      case BoxType("mvhd"): timescale = try Self.readTimescale(child)
      case BoxType("trak"):
        guard parts.count < Self.mostTracks else { throw Self.tooMany("tracks", at: child.offset) }
        parts.append(try Self.readTrack(child))
      case BoxType("mvex"):
        isFragmented = true
        var extensions = try child.children()
        while let box = try extensions.next(BoxType("trex")) {
          guard defaults.count < Self.mostTracks else { throw Self.tooMany("tracks", at: box.offset) }
          defaults.append(try SampleDefaults.read(box))
        }
      default: break
      }
    }
    guard let timescale else { throw ParseError(.invalid("moov without mvhd"), at: baseOffset) }
    tracks = parts.map { part in
      var track = part.track
      track.presentationShift = part.edits.shift(movie: timescale, track: track.timescale)
      if let own = defaults.last(where: { $0.trackID == track.id }) { track.defaults = own.defaults }
      return track
    }
  }

  /// Reads the timescale in `mvhd` or `mdhd`, which start with the same fields.
  private static func readTimescale(_ box: borrowing Box) throws(ParseError) -> Timescale {
    var reader = box.fields
    try reader.skip(2 * (try FullBoxFields(reading: &reader).timeByteCount))
    return try Timescale(reading: &reader)
  }

  private static func readTrack(_ box: borrowing Box) throws(ParseError) -> (track: Track, edits: EditList) {
    var id: UInt32?
    var media: Track?
    var edits = EditList()
    var boxes = try box.children()
    while let child = try boxes.next() {
      switch child.type {
      case BoxType("tkhd"):
        var reader = child.fields
        try reader.skip(2 * (try FullBoxFields(reading: &reader).timeByteCount))
        id = try reader.readUInt32()
      case BoxType("edts"):
        var lists = try child.children()
        while let list = try lists.next(BoxType("elst")) { edits = try EditList(list) }
      case BoxType("mdia"): media = try readMedia(child)
      default: break
      }
    }
    guard let id, var track = media else { throw ParseError(.invalid("trak without tkhd or mdia"), at: box.offset) }
    track.id = id
    return (track, edits)
  }

  /// Reads `mdia` into a track whose id is not known yet.
  private static func readMedia(_ box: borrowing Box) throws(ParseError) -> Track {
    var timescale: Timescale?
    var handler: BoxType?
    // The coding can be read only once the handler is known, which may come later.
    var boxes = try box.children()
    while let child = try boxes.next() {
      switch child.type {
      case BoxType("mdhd"): timescale = try readTimescale(child)
      case BoxType("hdlr"):
        var reader = child.fields
        try reader.skip(8)
        handler = BoxType(rawValue: try reader.readUInt32())
      default: break
      }
    }
    guard let timescale, let handler else { throw ParseError(.invalid("mdia without mdhd or hdlr"), at: box.offset) }
    var track = Track(id: 0, handler: handler, timescale: timescale)
    var again = try box.children()
    while let child = try again.next(BoxType("minf")) {
      var information = try child.children()
      while let table = try information.next(BoxType("stbl")) {
        // A track has one `stbl`. Reading more would get around the limit of sample entries.
        if track.sampleEntries.isEmpty { track.sampleEntries = try readSampleEntries(table, handler: handler) }
      }
    }
    return track
  }

  private static func readSampleEntries(_ table: borrowing Box, handler: BoxType) throws(ParseError) -> [SampleEntry] {
    var entries: [SampleEntry] = []
    var boxes = try table.children()
    while let child = try boxes.next(BoxType("stsd")) {
      // Skips version, flags and the count of entries: the boxes themselves show how many there are.
      var descriptions = try child.children(after: 8)
      while let description = try descriptions.next() {
        guard entries.count < mostTracks else { throw tooMany("sample entries", at: description.offset) }
        entries.append(try SampleEntry(description, handler: handler))
      }
    }
    return entries
  }

  private static func tooMany(_ what: String, at offset: Int) -> ParseError {
    ParseError(.aboveLimit(what: "number of \(what)", limit: mostTracks), at: offset)
  }
}

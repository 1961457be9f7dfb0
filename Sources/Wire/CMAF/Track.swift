import Basics

/// A track of a movie (ISO/IEC 14496-12, 8.3).
package struct Track: Equatable, Sendable {
  /// track_ID.
  package var id: UInt32
  /// The handler, which states the kind of media: `vide`, `soun`, `meta` or another handler.
  package var handler: BoxType
  /// Ticks per second of the track's times.
  package var timescale: Timescale
  /// The offset from composition to presentation times by the edit list, in ticks of the track; 0 if there is no edit list.
  package var presentationShift: Int64 = 0
  /// How the samples are coded; most tracks have one entry.
  package var sampleEntries: [SampleEntry] = []
  /// The defaults of samples in fragments that do not state others (`trex`).
  package var defaults = SampleDefaults()
}

/// The defaults of samples of a fragment that have no values of their own (`trex` and `tfhd`).
package struct SampleDefaults: Equatable, Sendable {
  /// How long a sample lasts, in ticks of the track.
  package var duration: UInt32?
  /// The size of a sample in bytes.
  package var size: UInt32?
  /// sample_flags (8.8.3.1).
  package var flags: UInt32?

  /// Reads `trex`: the defaults and the track that they are for.
  static func read(_ box: borrowing Box) throws(ParseError) -> (trackID: UInt32, defaults: SampleDefaults) {
    var reader = box.fields
    try reader.skip(4)
    let trackID = try reader.readUInt32()
    try reader.skip(4)  // default_sample_description_index
    let (duration, size, flags) = (try reader.readUInt32(), try reader.readUInt32(), try reader.readUInt32())
    return (trackID, SampleDefaults(duration: duration, size: size, flags: flags))
  }
}

/// The start of an edit list (`elst`, 8.6.6), as far as it shifts a whole track.
struct EditList {
  /// The duration of the empty edit at the start, in ticks of the movie.
  var emptyDuration: UInt64 = 0
  /// The composition time at which the presentation of the media starts, in ticks of the track.
  var mediaTime: Int64 = 0

  init() {}

  init(_ box: borrowing Box) throws(ParseError) {
    var reader = box.fields
    let byteCount = try FullBoxFields(reading: &reader).timeByteCount
    for _ in 0..<(try reader.readUInt32()) {
      let duration = try reader.readInteger(byteCount: byteCount)
      let time = try reader.readInteger(byteCount: byteCount)
      try reader.skip(4)  // media_rate
      mediaTime = byteCount == 4 ? Int64(Int32(truncatingIfNeeded: time)) : Int64(truncatingIfNeeded: time)
      guard mediaTime == -1 else { break }
      mediaTime = 0
      // Saturates, since such a track never starts.
      emptyDuration = emptyDuration.addingSaturated(duration)
    }
  }

  /// The offset to add to composition times, saturating.
  func shift(movie: Timescale, track: Timescale) -> Int64 {
    track.rescale(Int64(clamping: emptyDuration), from: movie).subtractingSaturated(mediaTime)
  }
}

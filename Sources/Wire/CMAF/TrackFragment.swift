package import Basics

/// What a fragment states about one track (`traf`, ISO/IEC 14496-12, 8.8.6), summed over its samples.
package struct TrackFragment: Equatable, Sendable {
  /// track_ID.
  package var trackID: UInt32
  /// Ticks per second of the times below; `nil` if the track is not known because the initialization segment is missing.
  package var timescale: Timescale?
  /// When the first sample is decoded, in ticks of the track (`tfdt`); `nil` if it is not stated.
  package var decodeTicks: Int64?
  /// The earliest presentation time of a sample, in ticks of the track, with the track's edit list; `nil` if `decodeTicks` or
  /// the samples' durations are missing, or there is no sample.
  package var earliestPresentationTicks: Int64?
  /// The total duration of the samples, in ticks of the track; `nil` if their durations are not known.
  package var durationTicks: Int64?
  /// The number of samples.
  package var sampleCount: Int64
  /// The number of bytes of the samples; `nil` if their sizes are not known.
  package var byteCount: Int64?
  /// Whether the first sample can be decoded without those before it; `nil` if its flags are not known, or there is no sample.
  package var startsWithSyncSample: Bool?

  /// When the first sample is decoded, to the nearest tick of 90 kHz.
  package var decodeTime: MediaTime? { time(decodeTicks) }
  /// The earliest presentation time of a sample, to the nearest tick of 90 kHz.
  package var earliestPresentationTime: MediaTime? { time(earliestPresentationTicks) }
  /// The total duration of the samples, to the nearest tick of 90 kHz.
  package var duration: MediaTime? { time(durationTicks) }

  private func time(_ ticks: Int64?) -> MediaTime? {
    guard let ticks, let timescale else { return nil }
    return timescale.mediaTime(ticks)
  }
}

extension TrackFragment {
  /// Reads a `traf` of a movie, if that is known.
  init(_ box: borrowing Box, movie: MovieHeader?) throws(ParseError) {
    let header = try TrackFragmentHeader(in: box)
    let decodeTicks = header.decodeTicks
    let track = movie?.track(header.trackID)
    let defaults = header.defaults(of: track)
    var runs = RunTotals(defaults: defaults)
    var again = try box.children()
    while let child = try again.next(BoxType("trun")) { try runs.add(child) }
    self.init(
      trackID: header.trackID, timescale: track?.timescale, decodeTicks: decodeTicks,
      earliestPresentationTicks: try runs.earliestPresentation(decodeTicks, shift: track?.presentationShift ?? 0, at: box.offset),
      durationTicks: runs.duration, sampleCount: runs.sampleCount, byteCount: runs.byteCount,
      startsWithSyncSample: runs.startsWithSyncSample)
  }
}

/// The fields before the runs of a track fragment (`tfhd` and `tfdt`, 8.8.7 and 8.8.12).
struct TrackFragmentHeader {
  var trackID: UInt32 = 0
  /// When the first sample is decoded, in ticks of the track; `nil` if it is not stated.
  var decodeTicks: Int64?
  /// The base of the data offsets of runs; `nil` if it is not stated.
  var base: Int?
  /// Whether the data offsets count from the start of the movie fragment.
  var startsAtFragment = false
  private var own = SampleDefaults()

  /// Reads them from a `traf`.
  init(in box: borrowing Box) throws(ParseError) {
    var isKnown = false
    var boxes = try box.children()
    while let child = try boxes.next() {
      switch child.type {
      case BoxType("tfhd"):
        try readHeader(child)
        isKnown = true
      case BoxType("tfdt"):
        var reader = child.fields
        let byteCount = try FullBoxFields(reading: &reader).timeByteCount
        let start = reader.offset
        guard let ticks = Int64(exactly: try reader.readInteger(byteCount: byteCount)) else {
          throw ParseError(.invalid("decode time above 63 bits"), at: start)
        }
        decodeTicks = ticks
      default: break
      }
    }
    guard isKnown else { throw ParseError(.invalid("traf without tfhd"), at: box.offset) }
  }

  private mutating func readHeader(_ box: borrowing Box) throws(ParseError) {
    var reader = box.fields
    let flags = try FullBoxFields(reading: &reader).flags
    trackID = try reader.readUInt32()
    startsAtFragment = flags & 0x02_0000 != 0
    if flags & 0x01 != 0 { base = Int(clamping: try reader.readInteger(byteCount: 8)) }
    if flags & 0x02 != 0 { try reader.skip(4) }  // sample_description_index
    if flags & 0x08 != 0 { own.duration = try reader.readUInt32() }
    if flags & 0x10 != 0 { own.size = try reader.readUInt32() }
    if flags & 0x20 != 0 { own.flags = try reader.readUInt32() }
  }

  /// The defaults of samples that have no values of their own.
  func defaults(of track: Track?) -> SampleDefaults {
    var defaults = track?.defaults ?? SampleDefaults()
    defaults.duration = own.duration ?? defaults.duration
    defaults.size = own.size ?? defaults.size
    defaults.flags = own.flags ?? defaults.flags
    return defaults
  }
}

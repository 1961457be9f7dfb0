package import Basics
package import NALUnits

/// What a movie fragment states about the samples of a video track: their offsets and their presentation times.
package struct FragmentSamples: Equatable, Sendable {
  /// A sample.
  package struct Sample: Equatable, Sendable {
    /// Its range in the whole input, in bytes.
    package var place: Range<Int>
    /// When it is presented, to the nearest tick of 90 kHz.
    package var presentationTime: MediaTime
    /// In ticks of the track.
    var duration: UInt32
    /// As in `trun`; `nil` if they are not stated.
    var flags: UInt32?
    /// The composition time less the decode time, in ticks of the track.
    var compositionOffset: Int64
  }

  /// How the samples contain access units.
  package var layout: NALUnitLayout
  /// The samples in decoding order.
  package var samples: [Sample] = []

  /// The maximum number of samples of a fragment that are read.
  package static let mostSamples = 1 << 16

  /// Reads a whole `moof`.
  ///
  /// - Parameters:
  ///   - bytes: The box, header included.
  ///   - baseOffset: Where the box starts in the whole input.
  ///   - track: The track; `nil` is returned if its samples do not consist of NAL units.
  /// - Throws: `ParseError` if the box is invalid.
  package init?(_ bytes: Span<UInt8>, baseOffset: Int, of track: Track) throws(ParseError) {
    guard let layout = track.sampleEntries.first?.nalUnits else { return nil }
    self.layout = layout
    let box = try Box.single(bytes, baseOffset: baseOffset)
    var boxes = try box.children()
    var isFirst = true
    while let child = try boxes.next(BoxType("traf")) {
      try add(child, of: track, isFirst: isFirst, fragmentStart: baseOffset)
      isFirst = false
    }
  }

  private mutating func add(_ box: borrowing Box, of track: Track, isFirst: Bool, fragmentStart: Int) throws(ParseError) {
    let header = try TrackFragmentHeader(in: box)
    // Without a base of its own, a later track's data begins after the data of earlier tracks, which are not read.
    guard header.trackID == track.id, let decodeTicks = header.decodeTicks, isFirst || header.startsAtFragment || header.base != nil else {
      return
    }
    let defaults = header.defaults(of: track)
    let base = header.base ?? fragmentStart
    var position = base
    var time = decodeTicks
    var boxes = try box.children()
    while let child = try boxes.next(BoxType("trun")) {
      var run = try RunReader(child)
      if let offset = run.dataOffset { position = try Self.sum(base, Int(offset), at: child.offset) }
      while samples.count < Self.mostSamples, let sample = try run.next() {
        guard let size = sample.size ?? defaults.size, let duration = sample.duration ?? defaults.duration else { return }
        let end = try Self.sum(position, Int(clamping: size), at: child.offset)
        let shift = try Self.sum(sample.compositionOffset, track.presentationShift, at: child.offset)
        let ticks = try Self.sum(time, shift, at: child.offset)
        samples.append(
          Sample(
            place: position..<end, presentationTime: track.timescale.mediaTime(ticks), duration: duration,
            flags: sample.flags ?? defaults.flags, compositionOffset: sample.compositionOffset))
        position = end
        time = try Self.sum(time, Int64(duration), at: child.offset)
      }
    }
  }

  static func sum<Number: FixedWidthInteger>(_ left: Number, _ right: Number, at offset: Int) throws(ParseError) -> Number {
    let (sum, overflows) = left.addingReportingOverflow(right)
    guard !overflows else { throw ParseError(.invalid("samples beyond 63 bits"), at: offset) }
    return sum
  }
}

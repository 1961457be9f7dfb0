package import Basics

/// Writes the fragments of one track: `moof` and `mdat` (ISO/IEC 14496-12, 8.8; ISO/IEC 23000-19, 7.3.2).
package struct FragmentWriter: Equatable, Sendable {
  /// A sample of a fragment.
  package struct Sample: Equatable, Sendable {
    /// Its size in bytes.
    package var size: Int
    /// Its duration, in ticks of the track.
    package var duration: Int
    /// The time from its decoding to its presentation, in ticks of the track.
    package var compositionOffset = 0
    /// Whether decoding can start with it.
    package var isSync = true

    /// A sample.
    package init(size: Int, duration: Int, compositionOffset: Int = 0, isSync: Bool = true) {
      (self.size, self.duration, self.compositionOffset, self.isSync) = (size, duration, compositionOffset, isSync)
    }

    /// sample_flags (8.8.3.1): whether it depends on others, and whether it is a sync sample.
    fileprivate var flags: UInt32 { isSync ? 0x0200_0000 : 0x0101_0000 }
  }

  /// The track's ID: each track is alone in its movie.
  static let trackID: UInt32 = 1
  /// The number of fragments so far.
  private var count: UInt32 = 0

  /// A writer before the first fragment.
  package init() {}

  private enum TrackFlags {
    static let (defaultDuration, defaultFlags, startsAtFragment): (UInt32, UInt32, UInt32) = (0x08, 0x20, 0x02_0000)
  }

  /// The boxes of a fragment up to the bytes of its samples: `moof`, and the header of `mdat`. Without samples there is nothing.
  ///
  /// - Parameters:
  ///   - decodeTicks: When its first sample is decoded, in ticks of the track.
  ///   - samples: Its samples, at least one.
  ///   - byteCount: The size of all samples.
  /// - Throws: `ParseError` if the fragment is too large for its boxes.
  package mutating func start(decodeTicks: Int64, _ samples: [Sample], byteCount: Int) throws(ParseError) -> [UInt8] {
    guard let first = samples.first else { return [] }
    count &+= 1
    let others = samples.dropFirst()
    let rest = others.first ?? first
    let hasOneDuration = samples.allSatisfy { $0.duration == first.duration }
    let hasTwoFlags = others.allSatisfy { $0.isSync == rest.isSync }
    let hasOffsets = samples.contains { $0.compositionOffset != 0 }
    var run = RunFlags.dataOffset | RunFlags.size
    if !hasOneDuration { run |= RunFlags.duration }
    if hasOffsets { run |= RunFlags.compositionOffset }
    if !hasTwoFlags { run |= RunFlags.flags } else if first.isSync != rest.isSync { run |= RunFlags.firstSampleFlags }

    var writer = ByteWriter(capacity: 128 + 16 * samples.count)
    var offsetPlace = 0
    try writer.writeBox(.moof) { moof throws(ParseError) in
      try moof.writeFullBox(BoxType("mfhd")) { box throws(ParseError) in box.writeUInt32(count) }
      try moof.writeBox(BoxType("traf")) { traf throws(ParseError) in
        let flags = TrackFlags.startsAtFragment | TrackFlags.defaultFlags | (hasOneDuration ? TrackFlags.defaultDuration : 0)
        try traf.writeFullBox(BoxType("tfhd"), flags: flags) { box throws(ParseError) in
          box.writeUInt32(Self.trackID)
          if hasOneDuration { box.writeUInt32(UInt32(clamping: first.duration)) }
          box.writeUInt32(rest.flags)
        }
        try traf.writeFullBox(BoxType("tfdt"), version: 1) { box throws(ParseError) in
          box.writeInteger(UInt64(clamping: decodeTicks), byteCount: 8)
        }
        try traf.writeFullBox(BoxType("trun"), flags: run) { box throws(ParseError) in
          box.writeUInt32(UInt32(clamping: samples.count))
          offsetPlace = box.bytes.count
          box.writeUInt32(0)
          if run & RunFlags.firstSampleFlags != 0 { box.writeUInt32(first.flags) }
          for sample in samples {
            if !hasOneDuration { box.writeUInt32(UInt32(clamping: sample.duration)) }
            box.writeUInt32(UInt32(clamping: sample.size))
            if run & RunFlags.flags != 0 { box.writeUInt32(sample.flags) }
            if hasOffsets { box.writeUInt32(UInt32(clamping: sample.compositionOffset)) }
          }
        }
      }
    }
    // The samples start after the header of `mdat`. The offset counts from the start of `moof`.
    let offset = writer.bytes.count + BoxHeader.smallestLength
    for index in 0..<4 { writer.bytes[offsetPlace + index] = UInt8(truncatingIfNeeded: offset >> (8 * (3 - index))) }
    try BoxHeader(type: .mdat, size: UInt64(BoxHeader.smallestLength + byteCount)).write(to: &writer)
    return writer.bytes
  }
}

extension ByteWriter {
  /// Writes a box with a version and flags (ISO/IEC 14496-12, 4.2.2).
  mutating func writeFullBox(
    _ type: BoxType, version: UInt8 = 0, flags: UInt32 = 0, _ body: (inout ByteWriter) throws(ParseError) -> Void
  ) throws(ParseError) {
    try writeBox(type) { box throws(ParseError) in
      box.writeUInt32(UInt32(version) << 24 | flags)
      try body(&box)
    }
  }
}

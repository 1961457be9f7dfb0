import Basics
import CMAF
import NALUnits
import TestSupport
import Testing

/// The timecodes in SEI messages, as FFmpeg reads them from the same bytes.
@Suite struct TimecodeReaderTests {
  /// The starts of access units, without start codes, up to the first byte of the slice.
  private struct Sample: Sendable {
    var codec: NALUnitCodec
    /// The NAL units in front of each slice, in hexadecimal.
    var units: [[String]]
    /// A slice.
    var slice: String
    var timestamps: [ClockTimestamp]

    func stream(_ index: Int) -> [UInt8] { (units[index] + [slice]).flatMap { [0, 0, 0, 1] + hex($0) } }
  }

  private static func stamp(_ hours: Int, _ minutes: Int, _ seconds: Int, _ frames: Int, isDrop: Bool = false) -> ClockTimestamp {
    ClockTimestamp(frames: frames, seconds: seconds, minutes: minutes, hours: hours, isDrop: isDrop)
  }

  private static let samples = [
    // x264, without a hypothetical reference decoder.
    Sample(
      codec: .h264,
      units: [
        ["09f0", "674d400ceca0a0cfcf808800000300080000030190f8a14cb0", "68ce0fc8", "060109090400e3bb8000004080"],
        ["09f0", "060109090403e3bb8000004080"],
      ], slice: "6588", timestamps: [stamp(23, 59, 56, 0), stamp(23, 59, 56, 3)]),
    // x264 with one, whose delays come first; drop frame.
    Sample(
      codec: .h264,
      units: [
        [
          "09f0", "674d4014eca0a0cfcf808800001f4800075303130007a12000f425249807c50a6580", "68ce3c80", "06000593c670465380",
          "06010b00020492806e028000002080",
        ], ["09f0", "06010b0084049281ee028000002080"],
      ], slice: "6588", timestamps: [stamp(10, 0, 55, 0, isDrop: true), stamp(10, 0, 55, 3, isDrop: true)]),
    // x265.
    Sample(
      codec: .hevc, units: [["460150", "4e01880670400000281080"], ["460150", "4e01880670401800281080"]], slice: "2601af",
      timestamps: [stamp(10, 0, 0, 0), stamp(10, 0, 0, 3)]),
  ]

  private static func read(_ sample: Sample, pieces size: Int) -> [ClockTimestamp?] {
    var reader = TimecodeReader(sample.codec)
    return sample.units.indices.map { index in
      var head = AccessUnitHead(sample.codec, .startCodes)
      let bytes = sample.stream(index)
      for start in stride(from: 0, to: bytes.count, by: size) {
        if head.push(bytes.span.extracting(start..<min(start + size, bytes.count))) != .incomplete { break }
      }
      return reader.push(head)
    }
  }

  @Test(arguments: [1, 2, 7, 10_000]) func anyPieces(size: Int) {
    for sample in Self.samples { #expect(Self.read(sample, pieces: size) == sample.timestamps) }
  }

  /// Without the sequence parameter set nobody knows where pic_struct is.
  @Test func withoutParameters() {
    for var sample in Self.samples.prefix(2) {
      sample.units.removeFirst()
      #expect(Self.read(sample, pieces: 10_000) == [nil])
    }
  }

  /// Wherever the messages are cut off, they have no timecode, or that of the whole message; nothing traps.
  @Test func cutAtEveryLength() {
    for sample in Self.samples {
      let message = hex(sample.units[0].last ?? "")
      for count in 1..<message.count {
        var cut = sample
        cut.units[0][cut.units[0].count - 1] = message[..<count].map { $0.digits(2, radix: 16) }.joined()
        let found = Self.read(cut, pieces: 10_000)
        #expect(found[0] == nil || found[0] == sample.timestamps[0], "\(count) bytes")
        #expect(found[1] == sample.timestamps[1])
      }
    }
  }

  @Test func payloadsCutAtEveryLength() throws {
    // The last byte of the first has bits that fill it.
    let timing = PictureTiming(delaySize: 0, offsetSize: 24)
    let picture = hex("090400e3bb80000040")
    #expect(try ClockTimestamp.timestamps(inPictureTiming: picture.span, timing) == [Self.stamp(23, 59, 56, 0)])
    for count in 0..<picture.count {
      #expect(throws: ParseError.self) { try ClockTimestamp.timestamps(inPictureTiming: picture.span.extracting(0..<count), timing) }
    }
    let code = hex("704018002810")
    #expect(try ClockTimestamp.timestamps(inTimeCode: code.span) == [Self.stamp(10, 0, 0, 3)])
    for count in 0..<code.count - 1 {
      #expect(throws: ParseError.self) { try ClockTimestamp.timestamps(inTimeCode: code.span.extracting(0..<count)) }
    }
  }

  /// Writes bits.
  private static func bytes(_ fields: [(value: Int, count: Int)]) -> [UInt8] {
    var bits = fields.flatMap { field in (0..<field.count).reversed().map { UInt8(field.value >> $0 & 1) } }
    while bits.count % 8 != 0 { bits.append(0) }
    return stride(from: 0, to: bits.count, by: 8).map { start in bits[start..<start + 8].reduce(0) { $0 << 1 | $1 } }
  }

  /// A timestamp may leave out what has not changed; frames have three.
  @Test func parts() throws {
    let timing = PictureTiming(delaySize: 5, offsetSize: 0)
    // pic_struct 5 has three: one that is left out, seconds alone, and nothing but the frame.
    let three = Self.bytes([
      (31, 5), (5, 4), (0, 1), (1, 1), (0, 3), (4, 5), (0, 1), (0, 1), (1, 1), (7, 8), (1, 1), (33, 6), (0, 1), (1, 1), (0, 3), (0, 5),
      (0, 3), (8, 8), (0, 1),
    ])
    let found = try ClockTimestamp.timestamps(inPictureTiming: three.span, timing)
    let seconds = ClockTimestamp(frames: 7, seconds: 33, minutes: nil, hours: nil, isDrop: true)
    let frame = ClockTimestamp(frames: 8, seconds: nil, minutes: nil, hours: nil, isDrop: false)
    #expect(found == [seconds, frame])
    #expect(seconds.completed(from: nil) == nil)
    let whole = seconds.completed(from: Self.stamp(10, 20, 32, 5))
    #expect(whole == Self.stamp(10, 20, 33, 7, isDrop: true))
    #expect(frame.completed(from: whole) == Self.stamp(10, 20, 33, 8))
    // HEVC counts up to 511 frames, and has an offset of a size of its own.
    let code = Self.bytes([
      (2, 2), (1, 1), (1, 1), (0, 5), (0, 1), (0, 2), (300, 9), (1, 1), (1, 6), (1, 1), (2, 6), (0, 1), (31, 5), (0, 31), (0, 1),
    ])
    #expect(
      try ClockTimestamp.timestamps(inTimeCode: code.span)
        == [ClockTimestamp(frames: 300, seconds: 1, minutes: 2, hours: nil, isDrop: false)])
  }

  @Test func valuesThatAreNotAllowed() {
    for (hours, minutes, seconds) in [(24, 0, 0), (0, 60, 0), (0, 0, 60)] {
      let code = Self.bytes([(1, 2), (1, 1), (0, 6), (1, 1), (0, 2), (0, 9), (seconds, 6), (minutes, 6), (hours, 5), (0, 5)])
      #expect(throws: ParseError.self) { try ClockTimestamp.timestamps(inTimeCode: code.span) }
    }
    let structure = Self.bytes([(9, 4), (0, 12)])
    #expect(throws: ParseError.self) {
      try ClockTimestamp.timestamps(inPictureTiming: structure.span, PictureTiming(delaySize: 0, offsetSize: 24))
    }
  }

  @Test func noiseIsRefusedOrRead() {
    var generator = SeededNumbers(seed: 36)
    for _ in 0..<4_000 {
      var sample = Self.samples.randomElement(using: &generator) ?? Self.samples[0]
      let index = Int.random(in: 0..<sample.units[0].count, using: &generator)
      var unit = hex(sample.units[0][index])
      for _ in 0..<3 { unit[Int.random(in: 1..<unit.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator) }
      sample.units[0][index] = unit.map { $0.digits(2, radix: 16) }.joined()
      for found in Self.read(sample, pieces: 10_000).compactMap(\.self) {
        #expect((0..<24).contains(found.hours ?? -1) && (0..<60).contains(found.minutes ?? -1) && (0..<60).contains(found.seconds ?? -1))
        #expect((0..<512).contains(found.frames))
      }
    }
  }
}

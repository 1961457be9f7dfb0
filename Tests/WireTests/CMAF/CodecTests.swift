import Basics
import CMAF
import Testing

@Suite struct CodecTests {
  /// Parameter sets that x264 made of pictures of these sizes.
  static let h264: [(unit: [UInt8], codec: String, size: PictureSize)] = [
    (
      hex("67 42 C0 0C D9 01 41 9F 9F 01 10 00 00 03 00 10 00 00 03 03 20 F1 42 A4 80"), "avc1.42C00C",
      PictureSize(width: 320, height: 180)
    ),
    // Interlaced: the map units are of fields.
    (
      hex("67 64 00 28 AC D9 40 78 04 4F DE 02 20 00 00 03 00 20 00 00 06 43 E2 C5 B2 C0"), "avc1.640028",
      PictureSize(width: 1920, height: 1080)
    ),
    // 4:4:4.
    (
      hex("67 F4 00 0D 91 9B 28 2A 33 C7 C5 E0 22 00 00 03 00 02 00 00 03 00 64 1E 28 53 2C"), "avc1.F4000D",
      PictureSize(width: 322, height: 182)
    ),
  ]

  @Test(arguments: h264) func h264IsRead(unit: [UInt8], codec: String, size: PictureSize) throws {
    let parameters = try H264Parameters(nalUnit: unit)
    #expect(parameters.profile.codec() == codec)
    #expect(parameters.pictureSize == size)
    for count in 0..<8 {
      let cut = Array(unit[..<count])
      #expect(throws: ParseError.self) { try H264Parameters(nalUnit: cut) }
    }
  }

  @Test func scalingListsAndPictureOrderArePassedOver() throws {
    var bits = BitWriter([0x67, 100, 0, 31])
    bits.unsigned(0, 1, 0, 0)
    bits.bits("0 1")  // scaling lists follow
    bits.bits("1")
    // A list that goes on with its last value (delta_scale -8 makes it 0), a full list, then none.
    bits.signed(-8)
    bits.bits("1")
    bits.signed([Int64](repeating: 1, count: 16))
    bits.bits("0 0 0 0 0 0")
    bits.unsigned(0, 1)  // pic_order_cnt_type 1
    bits.bits("0")
    bits.signed(-3)
    bits.signed(4)
    bits.unsigned(2)
    bits.signed([-1, 1])
    bits.unsigned(4)
    bits.bits("0")
    bits.unsigned(79, 44)
    bits.bits("1 1 0 0 1")
    let unit = bits.bytes
    let parameters = try H264Parameters(nalUnit: unit)
    #expect(parameters.profile.codec(.avc3) == "avc3.64001F")
    #expect(parameters.pictureSize == PictureSize(width: 1280, height: 720))
  }

  /// Parameter sets that x265 made: 4:2:0 of 8 bits, and 4:2:2 of 10 bits in the high tier with a sub-layer.
  static let hevc: [(video: [UInt8], sequence: [UInt8], codec: String, size: PictureSize)] = [
    (
      hex("40 01 0C 01 FF FF 01 60 00 00 03 00 90 00 00 03 00 00 03 00 3C 95 98 09"),
      hex("42 01 01 01 60 00 00 03 00 90 00 00 03 00 00 03 00 3C A0 0A 48 0B 9C 95 96 56 69 24 CA F0 16 80 80"), "hvc1.1.6.L60.90",
      PictureSize(width: 322, height: 182)
    ),
    (
      hex("40 01 0C 02 FF FF 24 08 00 00 03 00 9D 08 00 00 03 00 00 96 00 00 95 98 AC C0 48"),
      hex("42 01 02 24 08 00 00 03 00 9D 08 00 00 03 00 00 96 00 00 B0 03 C0 80 10 E4 D9 65 66 2B 34 92 65 78"), "hvc1.4.10.H150.9D.8",
      PictureSize(width: 1920, height: 1080)
    ),
  ]

  @Test(arguments: hevc) func hevcIsRead(video: [UInt8], sequence: [UInt8], codec: String, size: PictureSize) throws {
    let parameters = try HEVCParameters(nalUnit: sequence)
    #expect(parameters.profile.codec() == codec)
    #expect(parameters.pictureSize == size)
    #expect(try HEVCProfile(nalUnit: video) == parameters.profile)
    #expect(try HEVCProfile(nalUnit: sequence) == parameters.profile)
    for count in 0..<20 {
      let cut = Array(sequence[..<count])
      #expect(throws: ParseError.self) { try HEVCParameters(nalUnit: cut) }
    }
    #expect(throws: ParseError.self) { try HEVCParameters(nalUnit: video) }
  }

  @Test func hevcIsWrittenInFull() {
    let main = HEVCProfile(profile: 1, compatibility: 0x6000_0000, constraints: 0xB000_0000_0000, level: 93)
    #expect(main.codec() == "hvc1.1.6.L93.B0")
    let other = HEVCProfile(space: 1, isHighTier: true, profile: 4, compatibility: 0x0800_0001, constraints: 0x0000_0000_0001, level: 120)
    #expect(other.codec(.hev1) == "hev1.A4.80000010.H120.0.0.0.0.0.1")
  }

  static let aac: [(bytes: String, configuration: AACConfiguration)] = [
    ("1190", AACConfiguration(objectType: 2, sampleRate: 48_000, channelCount: 2)),
    ("1210", AACConfiguration(objectType: 2, sampleRate: 44_100, channelCount: 2)),
    ("11B8", AACConfiguration(objectType: 2, sampleRate: 48_000, channelCount: 8)),
    ("1180", AACConfiguration(objectType: 2, sampleRate: 48_000, channelCount: nil)),
    // SBR signalled first: AAC at 24 kHz gives 48 kHz.
    ("2B118800", AACConfiguration(objectType: 5, sampleRate: 48_000, channelCount: 2)),
    ("EB098800", AACConfiguration(objectType: 29, sampleRate: 48_000, channelCount: 1)),
    // Signalled behind, so that other decoders pass over it.
    ("131056E598", AACConfiguration(objectType: 5, sampleRate: 48_000, channelCount: 2)),
    ("130856E59D4880", AACConfiguration(objectType: 29, sampleRate: 48_000, channelCount: 1)),
    ("131056E500", AACConfiguration(objectType: 2, sampleRate: 24_000, channelCount: 2)),
    // A sample rate in full, and an object type that needs an escape.
    ("17805DC010", AACConfiguration(objectType: 2, sampleRate: 48_000, channelCount: 2)),
    ("F94640", AACConfiguration(objectType: 42, sampleRate: 48_000, channelCount: 2)),
  ]

  @Test(arguments: aac) func audioConfigurationIsRead(bytes: String, configuration: AACConfiguration) throws {
    #expect(try AACConfiguration(audioSpecificConfig: hex(bytes)) == configuration)
    #expect(configuration.codec == "mp4a.40.\(configuration.objectType)")
  }

  @Test func audioConfigurationIsRefused() {
    for bytes in ["", "11", "1680", "2B", "17805D"] {
      #expect(throws: ParseError.self) { try AACConfiguration(audioSpecificConfig: hex(bytes)) }
    }
  }

  @Test func adtsIsRead() throws {
    #expect(
      try AACConfiguration(adtsHeader: hex("FFF15080 2B3FFC"))
        == AACConfiguration(objectType: 2, sampleRate: 44_100, channelCount: 2))
    for bytes in ["", "FFF1", "FFF150", "FFE15080", "FFF7508000", "FFF17C80"] {
      #expect(throws: ParseError.self) { try AACConfiguration(adtsHeader: hex(bytes)) }
    }
  }

  @Test func noiseIsRefusedOrRead() {
    var generator = SeededNumbers(seed: 3)
    let units = Self.h264.map(\.unit) + Self.hevc.map(\.sequence) + Self.hevc.map(\.video) + Self.aac.map { hex($0.bytes) }
    for _ in 0..<4_000 {
      var unit = units.randomElement(using: &generator) ?? []
      for _ in 0..<3 { unit[Int.random(in: 0..<unit.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator) }
      if Bool.random(using: &generator) { unit.removeLast(Int.random(in: 0..<unit.count, using: &generator)) }
      _ = try? H264Parameters(nalUnit: unit)
      _ = try? HEVCParameters(nalUnit: unit)
      _ = try? HEVCProfile(nalUnit: unit)
      _ = try? AACConfiguration(audioSpecificConfig: unit)
      _ = try? AACConfiguration(adtsHeader: unit)
    }
  }
}

/// Writes the bit fields of a parameter set.
struct BitWriter {
  private var digits = ""

  init(_ bytes: [UInt8]) {
    for byte in bytes {
      digits += String(repeating: "0", count: byte.leadingZeroBitCount % 8) + (byte == 0 ? "00000000" : String(byte, radix: 2))
    }
  }

  mutating func bits(_ text: String) { digits += text.filter { $0 != " " } }

  mutating func unsigned(_ values: UInt64...) {
    for value in values {
      let code = String(value + 1, radix: 2)
      digits += String(repeating: "0", count: code.count - 1) + code
    }
  }

  mutating func signed(_ value: Int64) { unsigned(value > 0 ? UInt64(2 * value - 1) : UInt64(-2 * value)) }

  mutating func signed(_ values: [Int64]) { for value in values { signed(value) } }

  var bytes: [UInt8] {
    let padded = Array((digits + String(repeating: "0", count: 7)).utf8)
    return stride(from: 0, through: padded.count - 8, by: 8).map { start in
      padded[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 == UInt8(ascii: "1") ? 1 : 0) }
    }
  }
}

import Basics
@testable import CMAF
import TestSupport
import Testing

@Suite struct CodecTests {
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
    let units = Self.aac.map { hex($0.bytes) } + [hex("FFF15080 2B3FFC")]
    for _ in 0..<4_000 {
      var unit = units.randomElement(using: &generator) ?? []
      for _ in 0..<3 { unit[Int.random(in: 0..<unit.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator) }
      if Bool.random(using: &generator) { unit.removeLast(Int.random(in: 0..<unit.count, using: &generator)) }
      _ = try? AACConfiguration(audioSpecificConfig: unit)
      _ = try? AACConfiguration(adtsHeader: unit)
    }
  }
}

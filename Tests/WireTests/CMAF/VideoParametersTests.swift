import Basics
@testable import CMAF
import NALUnits
import TestSupport
import Testing

/// What sequence parameter sets say, as x264 and x265 have written them.
@Suite struct VideoParametersTests {
  static let setsOfH264: [(bytes: String, codec: String, size: PictureSize)] = [
    ("6764001eacd940a02ff97011000003000100000300320f162d96", "avc1.64001E", PictureSize(width: 640, height: 360)),
    ("6742c028da01e0089f97011000000300100000030320f1832a", "avc1.42C028", PictureSize(width: 1_920, height: 1_080)),
    // Fields, 4:2:2.
    ("677a0028b6ce8078044fcb808800000300080000030190f8b175", "avc1.7A0028", PictureSize(width: 1_920, height: 1_080)),
    // 4:4:4, with the scaling matrices of the standard.
    ("67f4000d919681519e3e3f011000000300100000030320f142aa", "avc1.F4000D", PictureSize(width: 322, height: 178)),
  ]
  static let setsOfHEVC: [(bytes: String, codec: String, size: PictureSize)] = [
    (
      "42010101600000030090000003000003003fa00502016965959a4932bc05a02000000300200000030321", "hvc1.1.6.L63.90",
      PictureSize(width: 640, height: 360)
    ),
    // Two temporal layers, ten bits.
    (
      "4201020220000003009000000300000300780000a003c88011071123659594aca94985e02d010000030001000003001908", "hvc1.2.4.L120.90",
      PictureSize(width: 1_922, height: 1_082)
    ),
    (
      "4201010408000003009d0800000300003cb00a880c1c447e595952930bc05a020000030002000003003210", "hvc1.4.10.L60.9D.8",
      PictureSize(width: 322, height: 178)
    ),
  ]

  @Test(arguments: setsOfH264) func h264(bytes: String, codec: String, size: PictureSize) throws {
    let set = hex(bytes)
    let found = try VideoParameters(h264SequenceParameterSet: set.span)
    #expect(found.codec == codec)
    #expect(found.size == size)
  }

  @Test(arguments: setsOfHEVC) func hevc(bytes: String, codec: String, size: PictureSize) throws {
    let set = hex(bytes)
    let found = try VideoParameters(hevcSequenceParameterSet: set.span)
    #expect(found.codec == codec)
    #expect(found.size == size)
  }

  /// What the usability information says, for which all of the set before it has to be read: as x264 and x265 have written it.
  @Test func usability() throws {
    let interlaced = hex("67f4001e919b2816824dff80200016b505050540000003004000000c83c58b6580")
    let first = try VideoParameters(.h264, sequenceParameterSet: interlaced.span)
    #expect(first.pixelAspectRatio == PictureSize(width: 64, height: 45) && first.chromaFormat == 3 && first.bitDepth == .init())
    #expect(first.colour == .init(primaries: 5, transfer: 5, matrix: 5, isFullRange: false))
    let deep = hex("677a001eb6cd940b4126ffc018c0155b20000003002000000641e2c5b2c0")
    let second = try VideoParameters(.h264, sequenceParameterSet: deep.span)
    #expect(second.pixelAspectRatio == PictureSize(width: 99, height: 85))
    #expect(second.colour == nil && second.chromaFormat == 2 && second.bitDepth == .init(luma: 10, chroma: 10))
    // With scaling lists and sets of reference pictures in between.
    let highRange = hex("42010102200000030090000003000003003fa005020169365959a49395e0ad424402410000030001000003001908")
    let third = try VideoParameters(.hevc, sequenceParameterSet: highRange.span)
    #expect(third.pixelAspectRatio == PictureSize(width: 40, height: 33) && third.bitDepth == .init(luma: 10, chroma: 10))
    #expect(third.colour == .init(primaries: 9, transfer: 16, matrix: 9, isFullRange: false) && third.chromaFormat == 1)
    // Square pixels need not be told, and neither does what nobody knows.
    let plain = try VideoParameters(.h264, sequenceParameterSet: hex(Self.setsOfH264[0].bytes).span)
    #expect(plain.pixelAspectRatio == nil && plain.colour == nil)
  }

  /// Wherever it is cut off in front of the size of its pictures, it is refused; nothing traps.
  @Test func cutOff() {
    for set in Self.setsOfH264.map({ hex($0.bytes) }) {
      for count in set.indices {
        let start = Array(set[..<count])
        let found = try? VideoParameters(h264SequenceParameterSet: start.span)
        if count <= 6 { #expect(found == nil) }
      }
    }
    for set in Self.setsOfHEVC.map({ hex($0.bytes) }) {
      for count in set.indices {
        let start = Array(set[..<count])
        let found = try? VideoParameters(hevcSequenceParameterSet: start.span)
        if count <= 16 { #expect(found == nil) }
      }
    }
  }

  @Test func noiseIsRefusedOrRead() {
    var generator = SeededNumbers(seed: 32)
    let sets = (Self.setsOfH264 + Self.setsOfHEVC).map { hex($0.bytes) }
    for _ in 0..<4_000 {
      var set = sets.randomElement(using: &generator) ?? []
      for _ in 0..<3 { set[Int.random(in: 0..<set.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator) }
      if let found = try? VideoParameters(h264SequenceParameterSet: set.span) { #expect(found.size.width > 0 && found.size.height > 0) }
      if let found = try? VideoParameters(hevcSequenceParameterSet: set.span) { #expect(found.size.width > 0 && found.size.height > 0) }
    }
  }
}

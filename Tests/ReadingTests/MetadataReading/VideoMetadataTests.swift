import Basics
import MetadataReading
import NALUnits
import RTMP
import TestSupport
import Testing
import TransportStream

/// User data in SEI messages of the video, in both kinds of streams, and messages in files of FLV.
@Suite struct VideoMetadataTests {
  private static let uuid: [UInt8] = (1...16).map { $0 }
  /// NAL units of H.264: a delimiter, user data of an encoder and captions, and the start of a slice.
  private static let delimiter: [UInt8] = [9, 0xF0]
  private static let messages: [UInt8] =
    [6, 5, 18] + uuid + Array("hi".utf8) + [4, 8, 0xB5, 0, 0x31] + Array("GA94".utf8) + [3, 0x80]
  private static let slice: [UInt8] = [0x65, 0x88, 0x84, 1, 2, 3]

  private static let userData = [
    UserData(.unregistered(uuid: uuid), byteCount: 18),
    UserData(.registered(country: 0xB5, provider: 0x31, code: Array("GA94".utf8)), byteCount: 8),
  ]

  private static func items(_ findings: [MetadataFinding]) -> [TimedMetadata] {
    findings.compactMap { if case .new(let item, _) = $0 { item } else { nil } }
  }

  private static func transportStream() throws -> [UInt8] {
    let map = ProgramMapTable(programNumber: 1, version: 0, pcrPID: 0x101, streams: [.init(type: .h264, pid: 0x101)])
    let table = try Section(tableID: 0, tableIDExtension: 1, version: 0, body: [0, 1, 0xE1, 0]).encode()
    var bytes = MetadataReaderTests.packet(0, 0, [0] + table) + MetadataReaderTests.packet(0x100, 0, try [0] + map.section().encode())
    for number in 0..<4 {
      let units = [delimiter, messages, slice].flatMap { unit in [0, 0, 0, 1] as [UInt8] + unit }
      let time = UInt64(90_000 + 3_600 * number)
      let pes = PESHeader.packet(streamID: 0xE0, units, presentationTime: time, decodingTime: time)
      bytes += MetadataReaderTests.packet(0x101, UInt8(number), pes, stuffed: true)
    }
    return bytes
  }

  @Test(arguments: [1, 188, 5_000]) func userDataOfATransportStream(_ size: Int) throws {
    let findings = MetadataReaderTests.read(try Self.transportStream(), by: size)
    let items = Self.items(findings)
    #expect(items.map(\.content) == Self.userData.map { .userData($0) })
    #expect(items.map { $0.time.seconds } == [0, 0] && items.map(\.pid) == [0x101, 0x101] && items.map(\.byteCount) == [18, 8])
    #expect(items.map(\.presentationTime) == [MediaTime(seconds: 1), MediaTime(seconds: 1)])
    #expect(findings.count == 8)
  }

  /// A movie of H.264, and a fragment with two samples whose NAL units follow their lengths.
  private static func fragmentedMP4() -> [UInt8] {
    let configuration = box("avcC", hex("01 64 00 1F FF E1 00 00"))
    let entry = box("avc1", integer(0, 24), integer(160, 2), integer(120, 2), integer(0, 50), configuration)
    let track = box(
      "trak", box("tkhd", integer(0, 12), integer(1), integer(0, 60)),
      box(
        "mdia", box("mdhd", integer(0, 12), integer(12_800), integer(0, 8)), box("hdlr", integer(0, 8), Array("vide".utf8), integer(0, 13)),
        box("minf", box("stbl", box("stsd", integer(0), integer(1), entry)))))
    let sample = [delimiter, messages, slice].flatMap { unit in integer(UInt64(unit.count)) + unit }
    func moof(_ offset: Int) -> [UInt8] {
      let run = box(
        "trun", integer(0x201), integer(2), integer(UInt64(offset)), integer(UInt64(sample.count)), integer(UInt64(sample.count)))
      let decodeTime = box("tfdt", integer(0x100_0000), integer(25_600, 8))
      return box(
        "moof", box("mfhd", integer(0), integer(1)), box("traf", box("tfhd", integer(0x2_0000), integer(1)), decodeTime, run))
    }
    return BoxSample.ftyp() + BoxSample.moov(tracks: track, defaults: BoxSample.defaults(1)) + moof(moof(0).count + 8)
      + box("mdat", sample, sample)
  }

  @Test(arguments: [1, 7, 5_000]) func userDataOfFragmentedMP4(_ size: Int) {
    let bytes = Self.fragmentedMP4()
    let findings = MetadataReaderTests.read(bytes, by: size)
    let items = Self.items(findings)
    #expect(items.map(\.content) == Self.userData.map { .userData($0) })
    #expect(items.map { $0.time.seconds } == [0, 0] && items.map(\.pid) == [nil, nil] && items.map(\.byteCount) == [18, 8])
    #expect(items.map(\.presentationTime) == [MediaTime(seconds: 2), MediaTime(seconds: 2)])
    #expect(findings.count == 4)
  }

  /// A tag of FLV with the size of the tag in front of it, which readers ignore.
  private static func tag(_ kind: UInt8, at milliseconds: UInt64, _ data: [UInt8]) -> [UInt8] {
    [0, 0, 0, 0, kind] + integer(UInt64(data.count), 3) + integer(milliseconds & 0xFF_FFFF, 3) + [UInt8(milliseconds >> 24), 0, 0, 0] + data
  }

  private static func file() throws -> [UInt8] {
    let cue: AMF0Value = .object([
      .init("name", .string("break")), .init("time", .number(1.5)), .init("parameters", .list([.boolean(true), .null, .number(3)])),
    ])
    let settings: AMF0Value = .array([.init("width", .number(160)), .init("a", .number(.infinity)), .init("a", .undefined)])
    var bytes = Array("FLV".utf8) + [1, 5, 0, 0, 0, 9]
    bytes += tag(18, at: 0, try AMF0Value.encode([.string("onMetaData"), settings]))
    bytes += tag(9, at: 40, [0x17, 0, 0, 0, 0, 1, 2]) + tag(9, at: 40, [0x17, 1, 0, 0, 80] + Array(repeating: 7, count: 40))
    bytes += tag(8, at: 40, [0xAF, 1, 5]) + tag(18, at: 0x1_00_0000 + 120, try AMF0Value.encode([.string("onCuePoint"), cue]))
    return bytes + tag(18, at: 200, [2, 0, 9, 65]) + tag(0x32, at: 200, [1]) + tag(15, at: 200, [1, 2, 3])
      + tag(18, at: 240, try AMF0Value.encode([.string("onTextData"), .string("Goal")])) + tag(18, at: 280, [2, 0, 1, 65]).dropLast()
  }

  @Test(arguments: [3, 11, 188, 5_000]) func messagesOfAnFLVFile(_ size: Int) throws {
    let items = Self.items(MetadataReaderTests.read(try Self.file(), by: size))
    let cue = try JSONValue(parsing: "{\"name\":\"break\",\"time\":1.5,\"parameters\":[true,null,3]}")
    let settings = try JSONValue(parsing: "{\"width\":160,\"a\":null}")
    #expect(
      items.map(\.content) == [
        .message(name: "onMetaData", [settings]), .message(name: "onCuePoint", [cue]),
        .unreadable(.amf, reason: "cut off: 9 bytes needed, 1 there"), .unreadable(.amf, reason: "script data is encrypted"),
        .message(name: "onTextData", [.string("Goal")]),
        .unreadable(.amf, reason: "script data is cut off: 4 bytes needed, 3 there"),
      ])
    // The first picture is presented at 120 ms.
    #expect(items.map { $0.time.milliseconds } == [-120, 16_777_216, 80, 80, 120, 160])
    #expect(items.first?.offset == 13 && items.first?.kind == .amf)
  }

  @Test func nothingTrapsAtAnyCutAndInAnyDamage() throws {
    var numbers = SeededNumbers(seed: 9)
    for bytes in [try Self.file(), Self.fragmentedMP4()] {
      for count in 3..<bytes.count {
        _ = MetadataReaderTests.read(Array(bytes.prefix(count)), by: 64)
        var damaged = bytes
        for _ in 0..<4 { damaged[3 + numbers.below(damaged.count - 3)] = UInt8(numbers.below(256)) }
        _ = MetadataReaderTests.read(damaged, by: 100)
      }
    }
  }
}

import Basics
import CMAF
import GameEvents

/// Fragmented MP4 of one track, put together box by box; a picture lasts 0.04 s.
enum BoxSample {
  static func integer(_ value: UInt64, _ byteCount: Int = 4) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (byteCount - 1 - $0))) }
  }

  static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
    let payload = parts.flatMap { $0 }
    return integer(UInt64(payload.count + 8)) + Array(type.utf8) + payload
  }

  /// The map, with these brands and as many tracks.
  static func map(brands: [String] = ["cmfc", "aid3"], tracks: Int = 1) -> [UInt8] {
    let all = (1...tracks).flatMap { number in
      let media = box(
        "mdia", box("mdhd", integer(0, 12), integer(12_800), integer(0, 8)),
        box("hdlr", integer(0, 8), Array((number == 1 ? "vide" : "soun").utf8), integer(0, 13)))
      return box("trak", box("tkhd", integer(0, 12), integer(UInt64(number)), integer(0, 60)), media)
    }
    let defaults = (1...tracks).flatMap { number in
      box("trex", integer(0), integer(UInt64(number)), integer(1), integer(512), integer(10), integer(0))
    }
    return box("ftyp", Array("iso6".utf8), integer(512), brands.flatMap { Array($0.utf8) })
      + box("moov", box("mvhd", integer(0, 12), integer(1_000), integer(0, 84)), all, box("mvex", defaults))
  }

  /// `moof` and `mdat` of 25 pictures from a second on.
  static func fragment(_ second: UInt64) -> (moof: [UInt8], mdat: [UInt8]) {
    let track = box(
      "traf", box("tfhd", integer(0x2_0000), integer(1)), box("tfdt", integer(0x100_0000), integer(second * 12_800, 8)),
      box("trun", integer(0x5), integer(25), integer(0), integer(0x200_0000)))
    return (box("moof", box("mfhd", integer(0), integer(1)), track), box("mdat", [UInt8](repeating: 0x47, count: 40)))
  }

  static let segmentType = box("styp", Array("msdh".utf8), integer(0))

  /// A segment of a second, with messages in front of its fragment.
  static func segment(_ second: UInt64, _ messages: [[UInt8]] = []) -> [UInt8] {
    let (moof, mdat) = fragment(second)
    return segmentType + messages.joined() + moof + mdat
  }

  /// A message with a plain tag, changed in some way.
  static func message(_ ticks: UInt64 = 9_000, tag: [UInt8] = SampleTag.plain, _ change: (inout EventMessageBox) -> Void = { _ in }) throws
    -> [UInt8]
  {
    var message = EventMessageBox(schemeID: EventMessageBox.id3Scheme, time: .absolute(ticks), id: 7, messageData: tag)
    change(&message)
    return try message.encoded()
  }

  /// A message with a copy of an event, and the id that it should have.
  static func event(_ name: String = "info", at ticks: Int64, age: Int64 = 0, id: UInt32? = nil, number: Int = 1) throws -> [UInt8] {
    try message(UInt64(ticks + age), tag: try SampleTag.event(name, at: ticks, age: age, number: number)) {
      $0.id = id ?? CRC32MPEG2.checksum(name)
    }
  }
}

extension Fixture {
  private static func messages(_ messages: [[UInt8]]) -> [UInt8] { BoxSample.map() + BoxSample.segment(0, messages) }

  private static func message(_ rule: String, _ change: @escaping @Sendable (inout EventMessageBox) -> Void) -> Fixture {
    Fixture(rule) { messages([try BoxSample.message(9_000, change)]) }
  }

  static let eventMessages = [
    message("EMSG-VERSION") { $0.time = .afterSegmentStart(9_000) },
    message("EMSG-SCHEME") { $0.schemeID = EventMessageBox.appleID3Scheme },
    message("EMSG-VALUE") { $0.value = "1" },
    message("EMSG-DATA") { $0.messageData += [0] },
    message("EMSG-DATA") { $0.messageData = Array("{\"eventType\":\"poll\"}".utf8) },
    message("EMSG-TIMESCALE") {
      $0.timescale = Timescale(1_000) ?? .mediaTime
      $0.time = .absolute(100)
    },
    message("EMSG-DURATION") { $0.eventDuration = 0 },
    message("EMSG-TIME") { $0.time = .absolute(90_090) },
    Fixture("EMSG-PLACE") {
      let (moof, mdat) = BoxSample.fragment(0)
      return BoxSample.map() + BoxSample.segmentType + moof + (try BoxSample.message()) + mdat
    },
    Fixture("EMSG-PLACE") {
      let (moof, mdat) = BoxSample.fragment(0)
      return BoxSample.map() + BoxSample.segmentType + moof + mdat + (try BoxSample.message())
    },
    Fixture("EMSG-PLACE") { BoxSample.map() + (try BoxSample.message()) + BoxSample.segment(0) },
    Fixture("EMSG-ID") {
      messages([try BoxSample.event("a", at: 9_000), try BoxSample.event("b", at: 18_000, id: CRC32MPEG2.checksum("a"), number: 2)])
    },
    Fixture("EMSG-ID-COPIES") { messages([try BoxSample.event(at: 9_000), try BoxSample.event(at: 9_000, age: 9_000, id: 3)]) },
    Fixture("EMSG-ID-CRC") { messages([try BoxSample.event(at: 9_000, id: 3)]) },
    Fixture("EMSG-BRAND") { BoxSample.map(brands: ["cmfc"]) + BoxSample.segment(0, [try BoxSample.message()]) },
    Fixture("MP4-BOXES") { messages([try BoxSample.message()]).dropLast(10) + [] },
  ]
}

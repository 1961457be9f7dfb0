import Basics
import CMAF
import GameEvents
import TestSupport

extension BoxSample {
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
  static func messages(_ messages: [[UInt8]]) -> [UInt8] { BoxSample.map() + BoxSample.segment(0, messages) }

  static func message(_ rule: String, _ change: @escaping @Sendable (inout EventMessageBox) -> Void) -> Fixture {
    Fixture(rule) { messages([try BoxSample.message(9_000, change)]) }
  }

  @Sendable private static func inMilliseconds(_ message: inout EventMessageBox) {
    message.timescale = Timescale(1_000) ?? .mediaTime
    message.time = .absolute(100)
  }

  static let eventMessages: [Fixture] = [
    message("EMSG-VERSION") { $0.time = .afterSegmentStart(9_000) },
    message("EMSG-SCHEME") { $0.schemeID = EventMessageBox.appleID3Scheme },
    message("EMSG-VALUE") { $0.value = "1" },
    message("EMSG-DATA") { $0.messageData += [0] },
    message("EMSG-DATA") { $0.messageData += $0.messageData },
    message("EMSG-DATA") { $0.messageData += SampleTag.plain },
    message("EMSG-DATA") { $0.messageData = Array("{\"eventType\":\"poll\"}".utf8) },
    message("EMSG-TIMESCALE", inMilliseconds),
    message("EMSG-DURATION") { $0.eventDuration = 0 },
    message("EMSG-TIME") { $0.time = .absolute(90_090) },
    Fixture("EMSG-PLACE") {
      BoxSample.map() + BoxSample.styp + BoxSample.moof(decodeTicks: 0) + (try BoxSample.message()) + BoxSample.mdat
    },
    Fixture("EMSG-PLACE") {
      BoxSample.map() + BoxSample.styp + BoxSample.moof(decodeTicks: 0) + BoxSample.mdat + (try BoxSample.message())
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

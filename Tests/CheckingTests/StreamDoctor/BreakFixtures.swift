import Basics
import EventSchedule
import GameEvents
import HLSPlaylist
import HLSReading
import SCTE35
import StreamDoctor
import TestSupport
import TransportStream

/// Streams whose ad breaks break one rule, and what they become if its advice is followed.
extension Fixture {
  private static let cuePID: PID = 0x1F0

  /// A stream with the first section before its fourth video frame, the next one twenty frames later, and an event in it.
  private static func cued(_ sections: [[UInt8]], _ event: GameEvent? = nil) throws -> [UInt8] {
    var stream = TagStream(TagStream.map(more: [.init(type: StreamType(rawValue: 0x86), pid: cuePID)]))
    for (counter, section) in sections.enumerated() {
      let header: [UInt8] = [0x47, 0x41, 0xF0, 0x10 | UInt8(counter & 15), 0]
      stream.stream.extras[3 + 20 * counter, default: []].append(
        .packets(header + section + [UInt8](repeating: 0xFF, count: 188 - header.count - section.count)))
    }
    guard let event else { return stream.with(tag: SampleTag.plain).bytes }
    return stream.with(tag: try EventCopy(of: event).encodedTag()).bytes
  }

  /// A splice_insert at a time of the programme.
  private static func insert(
    _ id: UInt32 = 1, isOut: Bool = true, at ticks: Int64 = 45_000, duration: UInt64? = 45_000, returns: Bool = true
  ) throws -> [UInt8] {
    var splice = SpliceInsert.Splice(isOut: isOut, at: TagStream().time(ticks), duration: duration)
    splice.returnsByItself = returns && duration != nil
    return try SpliceSection(command: .insert(SpliceInsert(eventID: id, splice))).encode()
  }

  /// A question that is asked with the tag of ``cued(_:_:)``.
  private static func question(allotted ticks: Int64) -> GameEvent {
    GameEvent(
      guid: SampleGame.guid("ask"), game: "g", sequence: 1, at: MediaTime(ticks: 21_600),
      content: .askQuestion(
        AskQuestion(question: "q", answers: ["a", "b"], questionNumber: 1, allottedTime: MediaTime(ticks: ticks))))
  }

  /// A presentation whose date range opens a break with this section, and is planned to last so many seconds.
  private static func dated(_ section: [UInt8], planned: String) throws -> DoctorReport {
    let text = """
      #EXTM3U
      #EXT-X-VERSION:3
      #EXT-X-TARGETDURATION:3
      #EXT-X-PROGRAM-DATE-TIME:2026-11-20T20:00:00.000Z
      #EXT-X-DATERANGE:ID="1",START-DATE="2026-11-20T20:00:00.500Z",PLANNED-DURATION=\(planned),\
      SCTE35-OUT=0x\(section.map { $0.digits(2, radix: 16) }.joined())
      #EXT-X-DATERANGE:ID="1",DURATION=\(planned)
      #EXTINF:2.44,
      segment-0
      #EXT-X-ENDLIST

      """
    let bytes = Array(text.utf8)
    let span = bytes.span
    guard case .media(let playlist) = try Playlist(span) else { throw ParseError(.invalid("no media playlist"), at: 0) }
    var doctor = StreamDoctor(name: "index.m3u8")
    doctor.receive(.playlist(bytes, uri: "index.m3u8"))
    doctor.receive(.segments(playlist, firstNew: 0, missed: nil))
    doctor.receive(.next(mediaSequence: 0, isGap: false))
    doctor.receive(.begin(HLSPortion.Part(kind: .segment, source: HLSSource(uri: "segment-0", mediaSequence: 0))))
    doctor.receive(.bytes(TagStream().with(tag: SampleTag.plain).bytes[...]))
    doctor.receive(.end(MediaTime(ticks: 219_600)))
    return doctor.finish()
  }

  static let breaks: [Fixture] = [
    Fixture("CUE-SECTION") {
      var section = try insert()
      section[section.count - 1] ^= 1
      return try cued([section])
    },
    Fixture("CUE-ID") { try cued([insert(duration: 9_000), insert(at: 99_000, duration: 9_000)]) },
    Fixture("CUE-END") { try cued([insert(returns: false)]) },
    Fixture("CUE-EVENT") { try cued([insert()], question(allotted: 45_000)) },
    Fixture("CUE-DATERANGE", reporting: { try dated(insert(duration: 45_000), planned: "30.000") }),
  ]

  static let advisedBreaks: [Fixture] = [
    Fixture("CUE-SECTION") { try cued([insert()]) },
    Fixture("CUE-ID") { try cued([insert(duration: 9_000), insert(2, at: 99_000, duration: 9_000)]) },
    Fixture("CUE-END") { try cued([insert(returns: false), insert(isOut: false, at: 81_000, duration: nil)]) },
    Fixture("CUE-EVENT") { try cued([insert()], question(allotted: 9_000)) },
    Fixture("CUE-DATERANGE", reporting: { try dated(insert(duration: 45_000), planned: "0.500") }),
  ]
}

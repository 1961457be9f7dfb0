import Basics
import CueSheet
import EventSchedule
import GameEvents
import SCTE35
import TestSupport
import Testing

@testable import LiveGame

/// Events for timecodes of the stream.
@Suite struct TimecodeTests {
  private static func anchor(_ text: String, at seconds: Double, _ rate: String = "25") throws -> TimecodeAnchor {
    let rate = try #require(FrameRate(rate))
    return TimecodeAnchor(time: MediaTime(seconds: seconds), timecode: try Timecode(text, rate: rate), rate: rate)
  }

  private static func now(_ seconds: Double, _ timecode: StreamTimecode) -> LiveGame.Now {
    var now = LiveSample.now(seconds)
    now.timecode = timecode
    return now
  }

  private static func request(_ timecode: String, _ keys: String = "") throws -> LiveRequest {
    try LiveSample.poll("g-\(timecode)", ",\"timecode\":\"\(timecode)\"\(keys)")
  }

  private static func guid(_ timecode: String) -> GUID { SampleGame.guid("g-\(timecode)") }

  /// The time of a timecode in seconds; `nil` if no frame has it.
  private static func time(_ text: String, _ anchor: TimecodeAnchor, near seconds: Double) -> Double? {
    TimecodeLabel(text).flatMap { try? anchor.time(of: $0, near: MediaTime(seconds: seconds)) }?.seconds
  }

  // MARK: Where timecodes are

  @Test func timesOfTimecodes() throws {
    let anchor = try Self.anchor("10:00:00:00", at: 5)
    #expect(Self.time("10:00:00:00", anchor, near: 5) == 5)
    #expect(Self.time("10:00:01:05", anchor, near: 5) == 6.2)
    #expect(Self.time("09:59:59:24", anchor, near: 5) == 4.96)
    #expect(Self.time("10:00:00:25", anchor, near: 5) == nil)
    #expect(Self.time("10:00:00;00", anchor, near: 5) == nil)
    #expect(anchor.text(at: MediaTime(seconds: 6.2)) == "10:00:01:05")
    #expect(anchor.text(at: MediaTime(seconds: 6.199)) == "10:00:01:04")
    #expect(anchor.text(at: MediaTime(seconds: 4.99)) == "09:59:59:24")
  }

  /// Over midnight, and days later, it is the nearest one.
  @Test func midnight() throws {
    let anchor = try Self.anchor("23:59:50:00", at: 100)
    #expect(Self.time("00:00:10:00", anchor, near: 100) == 120)
    #expect(Self.time("11:59:49:24", anchor, near: 100) == 100 + 43_199.96)
    #expect(Self.time("11:59:50:01", anchor, near: 100) == 100 - 43_199.96)
    let days = 3 * 86_400.0
    #expect(Self.time("00:00:10:00", anchor, near: 100 + days) == 120 + days)
    #expect(Self.time("23:59:49:00", anchor, near: 100 + days) == 99 + days)
    #expect(anchor.text(at: MediaTime(seconds: 110)) == "00:00:00:00" && anchor.text(at: MediaTime(seconds: 110 + days)) == "00:00:00:00")
    #expect(try Self.anchor("00:00:00:00", at: 1).text(at: MediaTime(seconds: 0.96)) == "23:59:59:24")
  }

  @Test func dropFrame() throws {
    let anchor = try Self.anchor("10:00:59;29", at: 0, "29.97")
    #expect(TimecodeLabel("10:01:00;02").map { try? anchor.time(of: $0, near: .zero) } == MediaTime(ticks: 3_003))
    // A colon means the frame of the same number.
    #expect(TimecodeLabel("10:01:00:02").map { try? anchor.time(of: $0, near: .zero) } == MediaTime(ticks: 3_003))
    #expect(anchor.text(at: MediaTime(ticks: 3_003)) == "10:01:00;02" && anchor.text(at: MediaTime(ticks: 3_002)) == "10:00:59;29")
    #expect(throws: Timecode.Failure.leftOut(next: "10:01:00;02")) {
      try anchor.time(of: #require(TimecodeLabel("10:01:00;01")), near: .zero)
    }
    let plain = try Self.anchor("10:00:59:29", at: 0, "29.97")
    #expect(TimecodeLabel("10:01:00:00").map { try? plain.time(of: $0, near: .zero) } == MediaTime(ticks: 3_003))
    #expect(throws: Timecode.Failure.noDropFrame) { try plain.time(of: #require(TimecodeLabel("10:01:00;02")), near: .zero) }
    // A day of drop frame is a day of the clock, but for two frames and a half.
    #expect(
      TimecodeLabel("10:00:59;28").map { try? anchor.time(of: $0, near: MediaTime(seconds: 86_400)) } == MediaTime(ticks: 2_589_407 * 3_003)
    )
  }

  // MARK: Requests

  @Test func goesWithItsFrame() throws {
    var game = LiveGame(LiveSample.settings)
    let timecode = StreamTimecode.running(try Self.anchor("10:00:00:00", at: 5))
    let (answer, change) = try game.accept(Self.request("10:00:03:12"), now: Self.now(6, timecode))
    #expect(answer.status.state == .scheduled && answer.status.timecode == "10:00:03:12" && answer.status.reason == nil)
    #expect(change.records.count == 1 && change.arrivals.isEmpty)
    #expect(game.nextRelease(now: Self.now(6, timecode)) == MediaTime(seconds: 8.48 - 0.25))
    #expect(game.release(now: Self.now(8.2, timecode)) == LiveGame.Change())
    let released = game.release(now: Self.now(8.23, timecode))
    #expect(released.arrivals.map(\.planned.event.at) == [MediaTime(seconds: 8.48)])
    #expect(game.status(Self.guid("10:00:03:12"))?.timecode == "10:00:03:12")
  }

  @Test func refusals() throws {
    var game = LiveGame(LiveSample.settings)
    func problem(_ text: String, _ timecode: StreamTimecode) throws -> LiveProblem? {
      #expect(throws: LiveProblem.self) { try game.accept(Self.request(text), now: Self.now(6, timecode)) }
    }
    func mistake(_ message: String) -> LiveProblem { .invalid([.init(pointer: "/timecode", message: message)]) }
    let running = StreamTimecode.running(try Self.anchor("10:00:00:00", at: 5))
    #expect(
      try problem("10:00:00:24", running) == .tooLate(at: .timecode("10:00:00:24", now: "10:00:01:00"), now: MediaTime(seconds: 6)))
    #expect(try problem("10:00:01:00", running)?.description == "10:00:01:00 has passed: the stream's timecode is 10:00:01:00")
    #expect(
      try problem("10:00:05:25", running)
        == mistake("\"timecode\" is \"10:00:05:25\", but the stream has only the frames 00 to 24 of a second"))
    #expect(
      try problem("10:00:05;10", running)
        == mistake("\"timecode\" is \"10:00:05;10\", but the stream's timecode is not drop frame; write a colon before the frames"))
    let drop = StreamTimecode.running(try Self.anchor("10:00:00;00", at: 5, "29.97"))
    #expect(
      try problem("10:01:00;00", drop) == mistake("\"timecode\" is \"10:01:00;00\", which drop frame skips; the next one is 10:01:00;02"))
    #expect(
      try problem("10:00:05:00", .absent) == .noTimecode("the stream has no timecode now (pic_timing of H.264, time_code of HEVC)"))
    #expect(
      try problem("10:00:05:00", .unusable)
        == .noTimecode(
          "the stream's timecode stands still, or has none of the rates 23.976, 24, 25, 29.97, 30, 48, 50, 59.94 or 60"))
    #expect(game.waitingCount == 0 && game.statuses.isEmpty)
  }

  /// A late event goes at once if the request says so.
  @Test func lateAllowed() throws {
    var game = LiveGame(LiveSample.settings)
    let running = StreamTimecode.running(try Self.anchor("10:00:00:00", at: 5))
    let (answer, change) = try game.accept(Self.request("09:00:00:00", ",\"late\":\"next\""), now: Self.now(6, running))
    #expect(answer.status.state == .accepted && change.arrivals.map(\.planned.event.at) == [nil])
  }

  /// Before the stream, and in its first second, nobody knows its timecode: the event waits, and says why if there is none.
  @Test func beforeTheStream() throws {
    var game = LiveGame(LiveSample.settings)
    let label = "10:00:03:12"
    let (answer, _) = try game.accept(Self.request(label), now: LiveSample.now(nil))
    #expect(answer.status.state == .scheduled && answer.status.reason == nil)
    #expect(game.release(now: Self.now(0.5, .unknown)) == LiveGame.Change() && game.nextRelease(now: Self.now(0.5, .unknown)) == nil)
    #expect(game.release(now: Self.now(2, .absent)) == LiveGame.Change())
    #expect(game.status(Self.guid(label))?.reason == StreamTimecode.absent.problem && game.status(Self.guid(label))?.state == .scheduled)
    let running = StreamTimecode.running(try Self.anchor("10:00:00:00", at: 3))
    #expect(game.release(now: Self.now(3, running)) == LiveGame.Change())
    #expect(game.status(Self.guid(label))?.reason == nil)
    #expect(game.release(now: Self.now(6.3, running)).arrivals.map(\.planned.event.at) == [MediaTime(seconds: 6.48)])
  }

  // MARK: Jumps

  /// A jump moves what is waiting. What it has skipped by less than a minute goes at once; by more, it is lost, unless it may be late.
  @Test func jumps() throws {
    var game = LiveGame(LiveSample.settings)
    let running = StreamTimecode.running(try Self.anchor("10:00:00:00", at: 0))
    let labels = ["10:00:30:00", "10:05:00:00", "10:06:00:00", "10:20:00:00"]
    for label in labels {
      _ = try game.accept(Self.request(label, label == labels[1] ? ",\"late\":\"next\"" : ""), now: Self.now(1, running))
    }
    let back = StreamTimecode.running(try Self.anchor("09:59:00:00", at: 2))
    #expect(game.release(now: Self.now(2, back)) == LiveGame.Change())
    #expect(game.nextRelease(now: Self.now(2, back)) == MediaTime(seconds: 92 - 0.25))
    let soon = StreamTimecode.running(try Self.anchor("10:01:20:00", at: 3))
    #expect(game.release(now: Self.now(3, soon)).arrivals.map(\.planned.event.guid) == [Self.guid(labels[0])])
    let far = StreamTimecode.running(try Self.anchor("10:10:00:00", at: 4))
    let change = game.release(now: Self.now(4, far))
    #expect(change.arrivals.map(\.planned.event.guid) == [Self.guid(labels[1])])
    let reason = "the timecode has jumped from before 10:06:00:00 to 10:10:00:00"
    #expect(change.records.first == .lost(guid: Self.guid(labels[2]), reason: reason))
    #expect(game.status(Self.guid(labels[2]))?.state == .lost && game.status(Self.guid(labels[2]))?.reason == reason)
    #expect(game.waitingCount == 1)
  }

  /// An event for a frame that the stream does not have is lost when that is known.
  @Test func unknownFrame() throws {
    var game = LiveGame(LiveSample.settings)
    _ = try game.accept(Self.request("10:00:03:29"), now: LiveSample.now(nil))
    let change = game.release(now: Self.now(1, .running(try Self.anchor("10:00:00:00", at: 0))))
    let reason = "\"timecode\" is \"10:00:03:29\", but the stream has only the frames 00 to 24 of a second"
    #expect(change == LiveGame.Change(records: [.lost(guid: Self.guid("10:00:03:29"), reason: reason)]))
  }

  /// After a restart the event waits again, for the timecode of the stream that comes then.
  @Test func restart() throws {
    var game = LiveGame(LiveSample.settings)
    let running = StreamTimecode.running(try Self.anchor("10:00:00:00", at: 5))
    let (_, change) = try game.accept(Self.request("10:00:03:12"), now: Self.now(6, running))
    var (restored, arrivals) = try LiveGame.restored(change.records, LiveSample.settings)
    #expect(arrivals.isEmpty && restored.statuses == game.statuses)
    let later = StreamTimecode.running(try Self.anchor("10:00:02:00", at: 20))
    #expect(restored.release(now: Self.now(21.4, later)).arrivals.map(\.planned.event.at) == [MediaTime(seconds: 21.48)])
  }

  /// A question that waits for its timecode is held during an ad break, and its timecode is not lost meanwhile.
  @Test func heldInABreak() throws {
    var settings = LiveSample.settings
    settings.breaks = .hold
    var game = LiveGame(settings)
    let running = StreamTimecode.running(try Self.anchor("10:00:00:00", at: 0))
    _ = try game.accept(LiveSample.ask("q", ",\"timecode\":\"10:00:10:00\""), now: Self.now(1, running))
    var open = AdBreak(
      .init(eventID: 77), number: 3, start: MediaTime(seconds: 5), duration: MediaTime(seconds: 90), returnsByItself: true, out: [0xFC])
    open.state = .open
    _ = game.note([open], now: Self.now(5, running))
    #expect(game.status(SampleGame.guid("q"))?.state == .held)
    #expect(game.release(now: Self.now(90, running)) == LiveGame.Change())
    #expect(game.release(now: Self.now(94.9, running)).arrivals.map(\.planned.event.at) == [MediaTime(seconds: 95)])
  }
}

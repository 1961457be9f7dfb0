import Basics
import GameEvents
import TestSupport
import Testing

@testable import DeliveryWatch

/// What is said of events, segment by segment: segments of four seconds from the date 100 s on.
@Suite struct DeliveryWatchTests {
  private typealias Expected = DeliveryWatch.Expected

  private static func expected(_ guid: String, date: Int64, sequence: Int = 1) -> Expected {
    Expected(guid: SampleGame.guid(guid), type: "poll", sequence: sequence, at: MediaTime(milliseconds: date), date: date)
  }

  private static func copy(_ guid: String, age: MediaTime = .zero) -> EventCopy {
    EventCopy(of: GameEvent(guid: SampleGame.guid(guid), content: .custom(EventType("poll"), JSONObject())), copy: 1, copies: 3, age: age)
  }

  /// A watch whose injector has put in some events, and what it has said.
  private struct Play {
    var watch = DeliveryWatch(patience: MediaTime(seconds: 30), tolerance: MediaTime(seconds: 0.3))
    var events: [Expected] = []
    var said: [DeliveryWatch.Finding] = []

    /// A segment that comes five seconds after its start, and then the injector's list.
    mutating func segment(_ number: Int64, _ copies: [EventCopy] = [], hasDate: Bool = true, after delay: Int64 = 5_000) {
      let date = 100_000 + number * 4_000
      let now = date + delay
      watch.begin(UInt64(number), date: hasDate ? date : nil, at: now)
      for copy in copies { said += watch.receive(copy, at: now) }
      said += watch.endSegment(at: now)
      said += watch.learn(events, known: Set(events.map(\.guid)), asked: now + 100, at: now + 100)
    }
  }

  @Test func inTime() {
    var play = Play()
    play.events = [Self.expected("old", date: 99_999), Self.expected("a", date: 100_000), Self.expected("b", date: 105_000, sequence: 2)]
    play.segment(0, [Self.copy("old", age: MediaTime(seconds: 9)), Self.copy("a")])
    play.segment(1, [Self.copy("a", age: MediaTime(seconds: 4)), Self.copy("b", age: MediaTime(seconds: 0.1))])
    play.segment(2)
    play.segment(3)
    #expect(play.said.isEmpty)
    let tally = play.watch.tally
    #expect(tally.isRight && tally.inTime == 2 && tally.events == 2 && tally.mostLatency == MediaTime(seconds: 5))
    #expect(tally.text == "2 events: 2 in time, latency up to 5.0 s")
  }

  /// An event is missing as soon as the segment behind its own has come without it.
  @Test func missing() {
    var play = Play()
    play.segment(0)
    play.events = [Self.expected("a", date: 105_000)]
    play.segment(1)
    #expect(play.said.isEmpty)
    play.segment(2)
    #expect(play.said == [.missing(play.events[0], segment: 2)])
    #expect(play.watch.tally.missing == 1 && !play.watch.tally.isRight)
    // It is said once, and taken back where a refresh brings the event after all.
    play.segment(3)
    play.segment(4, [Self.copy("a", age: MediaTime(seconds: 11))])
    #expect(play.said.dropFirst() == [.late(play.events[0], by: MediaTime(seconds: 11), .copies, segment: 4)])
    #expect(play.watch.tally.missing == 0 && play.watch.tally.late == 1 && play.watch.tally.events == 1)
    #expect(play.watch.tally.text == "1 event: 0 in time, 1 late")
  }

  /// What the injector lists late is compared with what was seen before.
  @Test func listedLater() {
    var other = Play()
    other.watch.begin(0, date: 100_000, at: 105_000)
    #expect(other.watch.receive(Self.copy("a"), at: 105_000).isEmpty && other.watch.endSegment(at: 105_000).isEmpty)
    let event = Self.expected("a", date: 101_000)
    #expect(other.watch.learn([event], known: [event.guid], asked: 105_000, at: 106_000).isEmpty)
    #expect(other.watch.tally.inTime == 1 && other.watch.tally.latency == MediaTime(seconds: 4))
  }

  @Test func lateCopies() {
    var play = Play()
    play.events = [Self.expected("a", date: 103_500)]
    play.segment(0)
    play.segment(1, [Self.copy("a", age: MediaTime(seconds: 0.5))])
    #expect(play.said == [.late(play.events[0], by: MediaTime(seconds: 0.5), .copies, segment: 1)])
    play.segment(2, [Self.copy("a", age: MediaTime(seconds: 4.5))])
    #expect(play.said.count == 1)
  }

  /// A network that is slow, and one that stands still.
  @Test func lateDelivery() {
    var play = Play()
    play.segment(0)
    play.events = [Self.expected("a", date: 104_000), Self.expected("b", date: 108_000, sequence: 2)]
    #expect(play.watch.learn(play.events, known: [], asked: 0, at: 110_000).isEmpty)
    #expect(play.watch.pass(to: 134_000).isEmpty)
    #expect(play.watch.pass(to: 134_001) == [.missing(play.events[0], segment: 0)])
    play.segment(1, [Self.copy("a")], after: 31_500)
    #expect(play.said == [.late(play.events[0], by: MediaTime(seconds: 31.5), .delivery, segment: 1)])
    play.segment(2, [Self.copy("b")], after: 30_000)
    #expect(play.said.count == 1 && play.watch.tally.inTime == 1)
  }

  /// Without dates, time alone tells.
  @Test func withoutDates() {
    var play = Play()
    play.segment(0, hasDate: false)
    play.events = [Self.expected("early", date: 104_999), Self.expected("a", date: 106_000)]
    for number in 1..<8 { play.segment(Int64(number), hasDate: false) }
    #expect(play.said.isEmpty)
    play.segment(8, hasDate: false)
    #expect(play.said == [.missing(play.events[1], segment: 8)])
  }

  @Test func unlisted() {
    var play = Play()
    play.segment(0, [Self.copy("foreign"), Self.copy("earlier", age: MediaTime(seconds: 60))])
    #expect(play.said == [.unlisted(SampleGame.guid("foreign"), type: "poll", segment: 0)])
    play.segment(1, [Self.copy("foreign")])
    #expect(play.said.count == 1 && play.watch.tally.isRight && play.watch.tally.unlisted == 1)
  }

  /// At its end a stream has everything that it will ever have.
  @Test func end() {
    var play = Play()
    play.events = [Self.expected("a", date: 103_000), Self.expected("b", date: 104_000)]
    play.segment(0)
    #expect(play.said.isEmpty)
    #expect(play.watch.finish(MediaTime(seconds: 4), at: 106_000) == [.missing(play.events[0], segment: 0)])
  }

  /// Lost segments are passed over, and what was in them is missing.
  @Test func manyAtOnce() {
    var play = Play()
    play.segment(0)
    play.events = (0..<5).map { Self.expected("e\($0)", date: 104_000 + Int64($0), sequence: $0) }
    play.segment(2)
    #expect(play.said == play.events.map { .missing($0, segment: 2) })
  }

  @Test func words() {
    let event = Self.expected("a", date: 1_767_323_045_678, sequence: 7)
    let findings: [(DeliveryWatch.Finding, String, String)] = [
      (
        .missing(Expected(guid: event.guid, type: "poll", sequence: 7, at: MediaTime(seconds: 65), date: event.date), segment: 4),
        "01:05.000  poll a: missing, segments are read up to 4",
        #"{"type":"missing","guid":"a","event":"poll","sequence":7,"at":65,"wallClock":"2026-01-02T03:04:05.678Z","segment":4}"#
      ),
      (
        .late(
          Expected(guid: event.guid, type: "poll", sequence: nil, at: nil, date: event.date), by: MediaTime(seconds: 2), .copies,
          segment: nil),
        "--:--  poll a: 2.000 s late: its first copies are missing",
        #"{"type":"late","guid":"a","event":"poll","sequence":null,"at":null,"wallClock":"2026-01-02T03:04:05.678Z","segment":null,"by":2,"cause":"copies"}"#
      ),
      (
        .late(
          Expected(guid: event.guid, type: "poll", sequence: nil, at: .zero, date: event.date), by: MediaTime(seconds: 40), .delivery,
          segment: 2), "00:00.000  poll a: 40.000 s late: it arrived this long after its date, in segment 2",
        #"{"type":"late","guid":"a","event":"poll","sequence":null,"at":0,"wallClock":"2026-01-02T03:04:05.678Z","segment":2,"by":40,"cause":"delivery"}"#
      ),
      (
        .unlisted(SampleGame.guid("x"), type: "poll", segment: 3), "poll x: the injector does not know it, in segment 3",
        #"{"type":"unlisted","guid":"x","event":"poll","segment":3}"#
      ),
    ]
    for (finding, text, object) in findings {
      #expect(finding.text == text)
      #expect(JSONValue.object(finding.object).text == object)
    }
    let tally = DeliveryWatch.Tally()
    #expect(
      JSONValue.object(tally.object).text
        == #"{"type":"summary","events":0,"inTime":0,"late":0,"missing":0,"unlisted":0,"latency":null}"#)
    #expect(tally.metrics.contains("cuelight_watch_events_total{outcome=\"missing\"} 0\n"))
    #expect(tally.metrics.hasSuffix("cuelight_watch_latency_seconds NaN\n"))
  }
}

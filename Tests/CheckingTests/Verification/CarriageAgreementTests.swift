import Basics
import EventReading
import GameEvents
import TestSupport
import Testing

@testable import Verification

@Suite struct CarriageAgreementTests {
  private static let events = (0..<3).map { index in
    GameEvent(
      guid: SampleGame.guid("e\(index)"), game: "g", sequence: index + 1, at: MediaTime(seconds: 10 * index + 5),
      content: .endGame(EndGame(totalQuestions: 1)))
  }

  /// What is found in a stream with these copies.
  private func report(_ copies: [(event: GameEvent, age: Int, time: MediaTime, carriage: Carriage)]) -> CarriageAgreement.Report {
    var agreement = CarriageAgreement(tolerance: MediaTime(ticks: 90))
    for copy in copies {
      let place = Place(
        time: copy.time, presentationTime: copy.time, carriage: copy.carriage, offset: 0, byteCount: 1)
      agreement.add(EventCopy(of: copy.event, age: MediaTime(ticks: Int64(copy.age))), at: place)
    }
    return agreement.finish()
  }

  private func copies(
    _ carriage: Carriage, _ events: [GameEvent] = CarriageAgreementTests.events, later delay: Int64 = 0
  ) -> [(event: GameEvent, age: Int, time: MediaTime, carriage: Carriage)] {
    events.map { ($0, 0, ($0.at ?? .zero) + MediaTime(ticks: delay), carriage) }
  }

  @Test func allCarriagesAgree() {
    let refresh = (event: Self.events[0], age: 90_000, time: MediaTime(seconds: 6), carriage: Carriage.eventMessage(id: 2))
    let report = report(
      copies(.eventMessage(id: 1)) + [refresh] + copies(.sei(pid: nil), later: 90) + copies(.dateRange(id: "r")))
    let totals = [("emsg", 3, 4), ("sei", 3, 3), ("daterange", 3, 3)].map {
      CarriageAgreement.Report.Total(carriage: $0.0, events: $0.1, copies: $0.2)
    }
    #expect(report == CarriageAgreement.Report(totals: totals, events: 3))
    #expect(report.hasPassed)
  }

  @Test func oneCarriageProvesNothing() { #expect(!report(copies(.eventMessage(id: 1))).hasPassed) }

  @Test func disagreements() {
    var other = Self.events[0]
    other.sequence = 9
    let report = report(
      copies(.eventMessage(id: 1)) + copies(.sei(pid: nil), [Self.events[1]], later: 91) + copies(.sei(pid: nil), [Self.events[2]])
        + copies(.dateRange(id: "a"), [other]) + copies(.dateRange(id: "b"), Array(Self.events.dropFirst())))
    #expect(
      report.findings.map(\.description) == [
        "endGame e0 says something else in daterange than in emsg", "endGame e0 is in emsg and not in sei",
        "endGame e1 is \(MediaTime(ticks: 91).shortestDecimalSeconds) s later in sei than in emsg",
      ])
    #expect(report.findings.map(\.kind) == ["content", "missing", "time"] && !report.hasPassed)
  }

  /// The playlist of a stream that goes on has ranges of times that were not read.
  @Test func rangesOutsideOfWhatWasRead() {
    let early = GameEvent(guid: SampleGame.guid("early"), game: "g", sequence: 8, at: .zero, content: .endGame(EndGame(totalQuestions: 1)))
    let late = GameEvent(
      guid: SampleGame.guid("late"), game: "g", sequence: 9, at: MediaTime(seconds: 99), content: .endGame(EndGame(totalQuestions: 1)))
    #expect(report(copies(.dateRange(id: "x"), [early, late]) + copies(.eventMessage(id: 1)) + copies(.dateRange(id: "y"))).hasPassed)
  }

  // MARK: The events of an MPD

  /// What is found in segments whose timeline begins at 100 s, with these events in the MPD.
  private func listed(_ events: [(event: GameEvent, time: MediaTime)], _ types: [Carriage] = [.eventMessage(id: 1)])
    -> CarriageAgreement.Report
  {
    var agreement = CarriageAgreement(tolerance: .zero)
    for carriage in types {
      for event in Self.events {
        let time = event.at ?? .zero
        let place = Place(time: time, presentationTime: time + MediaTime(seconds: 100), carriage: carriage, offset: 0, byteCount: 1)
        agreement.add(EventCopy(of: event), at: place)
      }
    }
    for (event, time) in events { agreement.add(listed: EventCopy(of: event), at: time) }
    return agreement.finish()
  }

  private static let listed = events.map { (event: $0, time: ($0.at ?? .zero) + MediaTime(seconds: 100)) }

  @Test func manifestAgrees() {
    let report = listed(Self.listed, [.eventMessage(id: 1), .dateRange(id: "r")])
    #expect(report.totals.map(\.carriage) == ["emsg", "daterange", "mpd"] && report.totals.map(\.events) == [3, 3, 3])
    #expect(report.hasPassed)
  }

  /// A tick is enough, and so is an event that is missing.
  @Test func manifestDisagrees() {
    var other = Self.listed
    other[0].time = other[0].time + MediaTime(ticks: 1)
    other[1].event.sequence = 9
    other.remove(at: 2)
    #expect(
      listed(other).findings.map(\.description) == [
        "endGame e0 is \(MediaTime(ticks: 1).shortestDecimalSeconds) s later in mpd than in emsg",
        "endGame e1 says something else in mpd than in emsg", "endGame e2 is in emsg and not in mpd",
      ])
    let unknown = GameEvent(
      guid: SampleGame.guid("x"), game: "g", sequence: 4, at: MediaTime(seconds: 6), content: .endGame(EndGame(totalQuestions: 1)))
    #expect(
      listed(Self.listed + [(unknown, MediaTime(seconds: 106))]).findings.map(\.description) == ["endGame x is in mpd and not in emsg"])
    // It is outside of the segments that were read.
    #expect(listed(Self.listed + [(unknown, MediaTime(seconds: 6))]).hasPassed)
  }
}

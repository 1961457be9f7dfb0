import Basics
import EventReading
import EventSchedule
import GameEvents
import TestSupport
import Testing

@testable import Verification

/// The copies of a stream against what its policy should have put there.
@Suite struct CopyTests {
  static let planned = VerifierTests.planned
  static let interval = MediaTime(ticks: 45_000)
  static let policy = CopyPolicy(refreshInterval: interval)

  static func differences(_ items: [StreamItem], _ expected: ExpectedCopies) -> [Difference] {
    var verifier = Verifier(planned, conditions: .whole(expected), verifySeal: SampleGame.verifySeal)
    for item in items { verifier.receive(item) }
    return verifier.finish(at: MediaTime(ticks: SampleStream().end)).differences
  }

  static func items(_ policy: CopyPolicy = policy) throws -> [StreamItem] { try VerifierTests.items(SampleGame.plan(), policy) }

  /// The items without the copies that are not wanted.
  static func items(where isKept: (EventCopy) -> Bool) throws -> [StreamItem] {
    try items().filter { if case .copy(let copy, _) = $0 { isKept(copy) } else { true } }
  }

  @Test(arguments: [1, 3, 5], [45_000, 90_000, nil] as [Int64?]) func whatWasPlannedPasses(copies: Int, interval: Int64?) throws {
    let refresh = interval.map { MediaTime(ticks: $0) }
    let items = try Self.items(CopyPolicy(copies: copies, refreshInterval: refresh))
    let expected = ExpectedCopies(copies: copies, refreshes: refresh.map { .every($0) } ?? .off)
    #expect(Self.differences(items, expected) == [])
    #expect(Self.differences(items, ExpectedCopies()) == [])
  }

  @Test(arguments: 1...3) func aMissingCopy(number: Int) throws {
    let event = Self.planned[1].event
    let items = try Self.items { $0.event.guid != event.guid || $0.copy != number }
    for expected in [ExpectedCopies(), ExpectedCopies(copies: 3, refreshes: .every(Self.interval))] {
      #expect(Self.differences(items, expected) == [.copyMissing(event, number: number, of: 3)])
    }
    let difference = Difference.copyMissing(event, number: number, of: 3)
    #expect(difference.description == "askQuestion 2 at 00:00.800 (friday-ask): copy \(number) of 3 is missing")
  }

  @Test func aRepeatedCopy() throws {
    let event = Self.planned[3].event
    let items = try Self.items().flatMap { item -> [StreamItem] in
      guard case .copy(let copy, _) = item, copy.event.guid == event.guid, copy.copy == 2 else { return [item] }
      return [item, item]
    }
    #expect(Self.differences(items, ExpectedCopies(copies: 3)) == [.copyRepeated(event, number: 2, times: 2)])
    #expect(Self.differences(items, ExpectedCopies()) == [])
  }

  @Test func anotherNumberOfCopies() throws {
    let differences = Self.differences(try Self.items(), ExpectedCopies(copies: 4))
    #expect(
      differences
        == Self.planned.flatMap { planned -> [Difference] in
          [.burstLength(planned.event, found: 3, expected: 4), .copyMissing(planned.event, number: 4, of: 4)]
        })
    #expect(differences[0].description == "startGame 1 at 00:00.000 (friday-start): its burst has 3 copies instead of 4")
  }

  @Test(arguments: [nil, Carriage.sei(pid: 0x100)]) func aMissingRefresh(carriage: Carriage?) throws {
    let event = Self.planned[0].event
    let kept = try Self.items { $0.event.guid != event.guid || !$0.isRefresh || $0.age > MediaTime(ticks: 100_000) }
    let items = kept.map { item in
      guard let carriage, case .copy(let copy, var place) = item else { return item }
      place.carriage = carriage
      return .copy(copy, place)
    }
    let differences = Self.differences(items, ExpectedCopies(refreshes: .every(Self.interval)))
    guard case .notRefreshed(event, let start, let duration)? = differences.first, differences.count == 1 else {
      Issue.record("\(differences)")
      return
    }
    // From the last copy of the burst to the first refresh that was left.
    #expect(start == MediaTime(ticks: 7_200) && duration > MediaTime(ticks: 92_800))
    #expect(Self.differences(items, ExpectedCopies(copies: 3)) == [])
    #expect(differences[0].description.hasPrefix("startGame 1 at 00:00.000 (friday-start): is not refreshed for 1."))
  }

  /// An event that is active up to the end is refreshed up to the end.
  @Test func noRefreshAtAll() throws {
    let items = try Self.items(CopyPolicy(refreshInterval: nil))
    let differences = Self.differences(items, ExpectedCopies(refreshes: .every(MediaTime(ticks: 45_000))))
    #expect(differences.map { $0.kind } == ["refreshes"])
    #expect(differences.first?.event == Self.planned[0].event)
  }

  @Test func refreshesThatShouldNotBe() throws {
    let items = try Self.items()
    let counts = Self.planned.map { planned in items.copies.filter { $0.copy.event.guid == planned.event.guid && $0.copy.isRefresh }.count }
    let expected = zip(Self.planned, counts).filter { $0.1 > 0 }.map { Difference.refreshed($0.0.event, times: $0.1) }
    #expect(Self.differences(items, ExpectedCopies(refreshes: .off)) == expected && !expected.isEmpty)
  }

  /// Event messages lie once in their fragment, whatever the policy says, and follow no interval.
  @Test func eventMessages() throws {
    let items = try Self.items(CopyPolicy(copies: 1, refreshInterval: nil)).map { item -> StreamItem in
      guard case .copy(let copy, var place) = item else { return item }
      place.carriage = .eventMessage(id: 1)
      return .copy(copy, place)
    }
    #expect(Self.differences(items, ExpectedCopies(copies: 3, refreshes: .every(Self.interval))) == [])
  }

  /// Copies of other systems carry no checksum, and no plan.
  @Test func unverifiedCopies() throws {
    let items = try Self.items { $0.copy == 1 }.map { item -> StreamItem in
      guard case .copy(var copy, let place) = item else { return item }
      copy.isVerified = false
      return .copy(copy, place)
    }
    #expect(Self.differences(items, ExpectedCopies()) == [])
    var verifier = Verifier(Self.planned, verifySeal: SampleGame.verifySeal)
    for item in items { verifier.receive(item) }
    #expect(verifier.finish(at: nil).unverified == 5)
  }

  /// Through a loss, copies are not counted, and the video does not tell the time.
  @Test func afterALoss() throws {
    let items = try Self.items { $0.isRefresh || $0.copy == 3 }.map { item -> StreamItem in
      guard case .copy(let copy, var place) = item else { return item }
      place.videoTime = place.time + MediaTime(seconds: 2)
      return .copy(copy, place)
    }
    var verifier = Verifier(Self.planned, conditions: .lossy, verifySeal: SampleGame.verifySeal)
    for item in items { verifier.receive(item) }
    let report = verifier.finish(at: nil)
    #expect(report.differences == [] && report.events == 5)
    #expect(report.results.map { $0.burst } == [1, 1, 1, 1, 1])
    #expect(report.results[1].delay == items.copies.first { $0.copy.event.guid == Self.planned[1].event.guid }?.copy.age)
  }
}

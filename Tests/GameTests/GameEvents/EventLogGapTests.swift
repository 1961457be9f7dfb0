import Basics
import Testing

@testable import GameEvents

/// Missing, lost and recovered events.
@Suite struct EventLogGapTests {
  private static let friday = GameID("friday")

  private static func log(_ numbers: [Int]) -> EventLog {
    var log = EventLog()
    for number in numbers { _ = log.accept(Sample.info("\(number)", sequence: number, at: number)) }
    return log
  }

  @Test func whatDoesNotComeWithinTheDelayIsLost() {
    var log = Self.log([1, 2, 6, 8])
    #expect(log.nextDeadline == .seconds(11))
    #expect(log.losses(upTo: .seconds(11) - MediaTime(ticks: 1)).isEmpty)
    #expect(log.losses(upTo: .seconds(11)) == [EventLog.Loss(game: Self.friday, sequences: 3...5)])
    #expect(log.nextDeadline == .seconds(13))
    #expect(log.losses(upTo: .seconds(100)) == [EventLog.Loss(game: Self.friday, sequences: 7...7)])
    #expect(log.nextDeadline == nil)
    #expect(log.losses(upTo: .seconds(100)).isEmpty)
    #expect(log.lost(of: Self.friday).ranges == [3...5, 7...7])
    #expect(log.lost(of: GameID("saturday")).isEmpty)
  }

  @Test func whatComesInTimeIsNotLost() {
    var log = Self.log([1, 6])
    for number in [4, 2] {
      #expect(log.accept(Sample.info("\(number)", sequence: number, at: number), seenAt: 7) == .new)
    }
    #expect(log.losses(upTo: .seconds(20)).map { $0.sequences } == [3...3, 5...5])
  }

  @Test func whatComesAfterwardsIsRecovered() {
    var log = Self.log([1, 6])
    #expect(log.losses(upTo: .seconds(11)).map { $0.sequences } == [2...5])
    #expect(log.accept(Sample.info("4", sequence: 4, at: 4), seenAt: 12) == .recovered)
    #expect(log.accept(Sample.info("4", sequence: 4, at: 4), seenAt: 12) == .duplicate)
    #expect(log.lost(of: Self.friday).ranges == [2...3, 5...5])
    #expect(log.guids() == ["1", "4", "6"])
  }

  @Test func theDelayCanBeSet() {
    var log = EventLog(limits: .init(lossDelay: .seconds(1)))
    for number in [1, 3] { _ = log.accept(Sample.info("\(number)", sequence: number, at: number)) }
    #expect(log.nextDeadline == .seconds(4))
  }

  @Test func theEndOfTheStreamEndsTheWaiting() {
    var log = Self.log([1, 3, 5])
    #expect(log.finish().map { $0.sequences } == [2...2, 4...4])
    #expect(log.finish().isEmpty)
  }

  @Test func eachGameHasItsOwnGaps() {
    var log = Self.log([1])
    _ = log.accept(Sample.info("s1", game: "saturday", sequence: 1, at: 2))
    _ = log.accept(Sample.info("3", sequence: 3, at: 3))
    _ = log.accept(Sample.info("s3", game: "saturday", sequence: 3, at: 4))
    #expect(
      log.losses(upTo: .seconds(60)) == [
        EventLog.Loss(game: Self.friday, sequences: 2...2), EventLog.Loss(game: GameID("saturday"), sequences: 2...2),
      ])
  }

  @Test func whatHappenedBeforeTheReaderJoinedIsNotLost() {
    var log = EventLog()
    // Refreshes of active events, from before the reader joined.
    _ = log.accept(Sample.start(sequence: 1, at: 2), seenAt: 100)
    _ = log.accept(Sample.ask("q", sequence: 20, at: 95), seenAt: 101)
    #expect(log.nextDeadline == nil)
    // From here on, an event that is missing counts as lost.
    _ = log.accept(Sample.info("22", sequence: 22, at: 102))
    #expect(log.finish().map { $0.sequences } == [21...21])
  }

  @Test func aRefreshTellsWhatHappenedBeforeTheReaderJoined() {
    var log = EventLog()
    _ = log.accept(Sample.start(sequence: 1, at: 2), seenAt: 100)
    // A new event comes between the refreshes.
    _ = log.accept(Sample.info("22", sequence: 22, at: 101))
    #expect(log.nextDeadline == .seconds(106))
    _ = log.accept(Sample.ask("q", sequence: 20, at: 95), seenAt: 102)
    #expect(log.finish().map { $0.sequences } == [21...21])
  }

  @Test func theFirstCopyOfAGameOpensNoGap() {
    var log = EventLog()
    _ = log.accept(Sample.info("7", sequence: 7, at: 50))
    _ = log.accept(Sample.info("s9", game: "saturday", sequence: 9, at: 60))
    #expect(log.nextDeadline == nil)
  }

  @Test func whatASeekPassesOverIsNotLost() {
    var log = Self.log([1, 2, 4])
    log.seek(to: .seconds(50))
    #expect(log.nextDeadline == nil)
    _ = log.accept(Sample.info("20", sequence: 20, at: 51))
    #expect(log.nextDeadline == nil)
    _ = log.accept(Sample.info("22", sequence: 22, at: 52))
    #expect(log.finish().map { $0.sequences } == [21...21])
  }

  @Test func goingBackIsNoReset() {
    var log = Self.log([1, 2, 3, 5])
    let entries = log.entries
    log.seek(to: .zero)
    for number in [1, 2, 3, 5] {
      #expect(log.accept(Sample.info("\(number)", sequence: number, at: number)) == .duplicate)
    }
    #expect(log.entries == entries)
    #expect(log.finish().isEmpty)
    // What was skipped the first time fills its place.
    #expect(log.accept(Sample.info("4", sequence: 4, at: 4), seenAt: 4) == .new)
    #expect(log.guids() == ["1", "2", "3", "4", "5"])
    // After that, gaps are gaps again.
    _ = log.accept(Sample.info("8", sequence: 8, at: 8))
    #expect(log.finish().map { $0.sequences } == [6...7])
  }

  @Test func theLargestNumberIsANumber() {
    var log = Self.log([1])
    _ = log.accept(Sample.info("max", sequence: .max, at: 2))
    #expect(log.finish().map { $0.sequences } == [2...(Int.max - 1)])
    #expect(log.lost(of: Self.friday).count == Int.max - 2)
  }
}

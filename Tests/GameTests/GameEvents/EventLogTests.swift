import Basics
import TestSupport
import Testing

@testable import GameEvents

/// What the log makes of copies: one entry for each event.
@Suite struct EventLogTests {
  @Test func interleavedRepeatsAreOneEntryEach() {
    // TriviaWOW compared only with the last GUID and fired again here.
    let events = [
      Sample.start(sequence: 1, at: 2), Sample.ask("q1", sequence: 2, at: 5), Sample.info("i1", sequence: 3, at: 6),
    ]
    var log = EventLog()
    for round in 0..<5 {
      for event in events {
        #expect(log.accept(event, seenAt: 6 + round) == (round == 0 ? .new : .duplicate))
      }
    }
    #expect(
      log.entries
        == events.map { EventLog.Entry(event: $0, time: $0.at ?? .zero, isVerified: true, lastSeen: .seconds(10)) })
    #expect(log.games == [GameID("friday")])
    #expect(log.entry(.of("q1"), of: GameID("friday")) == log.entries[1])
    #expect(log.entry(.of("q2"), of: GameID("friday")) == nil)
    #expect(log.entry(.of("q1"), of: GameID("saturday")) == nil)
  }

  @Test func eachGameHasItsOwnEntries() {
    var log = EventLog()
    #expect(log.accept(Sample.start("g", game: "friday", at: 1)) == .new)
    #expect(log.accept(Sample.start("g", game: "saturday", at: 2)) == .new)
    #expect(log.accept(Sample.start("g", game: nil, at: 3)) == .new)
    #expect(log.accept(Sample.start("g", game: "friday", at: 1), seenAt: 4) == .duplicate)
    #expect(log.games == [GameID("saturday"), GameID(""), GameID("friday")])
    #expect(log.entries.map { $0.time } == [.seconds(2), .seconds(3), .seconds(1)])
  }

  @Test func gamesSeenAtTheSameTimeAreInTheOrderOfTheirBytes() {
    for names in [["Z", "a", "\u{E9}", "e\u{301}"], ["e\u{301}", "\u{E9}", "a", "Z"]] {
      var log = EventLog()
      for name in names { _ = log.accept(Sample.poll("p", game: name, at: 1)) }
      #expect(log.games == ["Z", "a", "e\u{301}", "\u{E9}"].map { GameID($0) })
    }
  }

  @Test func theTimeIsWhatAtSaysElseWhenTheCopyWasSeenLessItsAge() {
    let copy = EventCopy(of: Sample.info("i", at: 7), age: .seconds(1))
    #expect(EventLog.time(of: copy, seenAt: .seconds(9)) == .seconds(7))
    let foreign = EventCopy(of: Sample.info("i"), age: .seconds(1))
    #expect(EventLog.time(of: foreign, seenAt: .seconds(9)) == .seconds(8))
  }

  @Test func anotherContentIsAConflict() {
    var log = EventLog()
    _ = log.accept(Sample.ask("q", sequence: 1, at: 5))
    let before = log
    for other in [
      Sample.ask("q", sequence: 2, at: 5), Sample.ask("q", sequence: 1, at: 6), Sample.info("q", sequence: 1, at: 5),
      Sample.ask("q", sequence: nil, at: 5),
    ] {
      #expect(log.accept(other, seenAt: 5) == .conflict)
      #expect(log.accept(other, seenAt: 5, isVerified: false) == .conflict)
    }
    #expect(log == before)
  }

  @Test func textsThatOnlyLookAlikeAreAConflict() {
    let (composed, decomposed) = (EventType("caf\u{E9}"), EventType("cafe\u{301}"))
    var log = EventLog()
    #expect(log.accept(Sample.event("a", .custom(composed, JSONObject()), at: 1)) == .new)
    #expect(log.accept(Sample.event("a", .custom(decomposed, JSONObject()), at: 1)) == .conflict)
    #expect(log.accept(Sample.event("b", .startGame(StartGame(title: composed.text, totalQuestions: 1)), at: 1)) == .new)
    #expect(log.accept(Sample.event("b", .startGame(StartGame(title: decomposed.text, totalQuestions: 1)), at: 1)) == .conflict)
  }

  @Test func copyNumberAndAgeAreNoConflict() {
    var log = EventLog()
    let event = Sample.ask("q", sequence: 1, at: 5)
    #expect(log.accept(EventCopy(of: event, copy: 1, copies: 3), at: .seconds(5)) == .new)
    #expect(log.accept(EventCopy(of: event, copy: 9, copies: 4, age: .seconds(4)), at: .seconds(9)) == .duplicate)
  }

  @Test func aVerifiedCopyReplacesAnUnverifiedOne() {
    var log = EventLog()
    let (wrong, right) = (Sample.info("i", sequence: 9, at: 50), Sample.ask("i", sequence: 2, at: 5))
    _ = log.accept(Sample.start())
    #expect(log.accept(wrong, seenAt: 6, isVerified: false) == .new)
    #expect(log.accept(wrong, seenAt: 7, isVerified: false) == .duplicate)
    #expect(log.accept(right, seenAt: 6) == .corrected)
    #expect(
      log.entries.last == EventLog.Entry(event: right, time: .seconds(5), isVerified: true, lastSeen: .seconds(7)))
    #expect(log.entries.count == 2)
    #expect(log.accept(wrong, seenAt: 8) == .conflict)
    #expect(log.accept(right, seenAt: 8) == .duplicate)
  }

  @Test func anEqualVerifiedCopyMakesAnEntryVerified() {
    var log = EventLog()
    let event = Sample.info("i", at: 1)
    #expect(log.accept(event, isVerified: false) == .new)
    #expect(log.entries.first?.isVerified == false)
    #expect(log.accept(event) == .duplicate)
    #expect(log.entries.first?.isVerified == true)
    #expect(log.accept(event, isVerified: false) == .duplicate)
    #expect(log.entries.first?.isVerified == true)
  }

  // MARK: Order

  @Test func sequenceNumbersGoBeforeTimes() {
    var log = EventLog()
    for event in [
      Sample.info("b", sequence: 2, at: 1), Sample.info("c", sequence: 3, at: 9), Sample.info("a", sequence: 1, at: 5),
    ] {
      _ = log.accept(event)
    }
    #expect(log.guids() == ["a", "b", "c"])
    // One event without a number, and the times count; unless it is unverified.
    #expect(log.accept(Sample.info("d", at: 6), isVerified: false) == .new)
    #expect(log.guids() == ["a", "b", "c", "d"])
    #expect(log.accept(Sample.info("d", at: 6)) == .duplicate)
    #expect(log.guids() == ["b", "a", "d", "c"])
    #expect(log.accept(Sample.info("a", sequence: 1, at: 5)) == .duplicate)
  }

  /// The numbers choose the order as long as at most 32 events are dated before one with a smaller number. Events that do not count, and events
  /// that have left the log, do not matter for this.
  @Test(arguments: [false, true]) func numbersThatContradictTheTimesTooOftenChooseNoOrder(isReversed: Bool) {
    let contradicting = (1...33).map { Sample.info("\($0)", sequence: 100 + $0, at: $0) }
    let first = Sample.info("first", sequence: 1, at: 50)
    let (later, last) = (Sample.info("later", sequence: 200, at: 60), Sample.info("last", sequence: 201, at: 60))
    var log = EventLog()
    let known = [first, later, last] + contradicting.dropLast()
    for event in isReversed ? known.reversed() : known { #expect(log.accept(event) == .new) }
    let byNumber = ["first"] + (1...32).map { "\($0)" } + ["later", "last"]
    #expect(log.guids() == byNumber)
    #expect(log.accept(contradicting[32], isVerified: false) == .new)
    #expect(log.guids() == byNumber.dropLast(2) + ["33", "later", "last"])
    #expect(log.accept(contradicting[32]) == .duplicate)
    #expect(log.guids() == (1...33).map { "\($0)" } + ["first", "later", "last"])
    #expect(log.isOrderedByTime(GameID("friday")))
  }

  /// An event that made the numbers contradict the times is replaced by what its undamaged copy says.
  @Test func numbersChooseAgain() {
    var log = EventLog()
    #expect(log.accept(Sample.info("first", sequence: 1, at: 50), isVerified: false) == .new)
    for number in 1...33 { #expect(log.accept(Sample.info("\(number)", sequence: 100 + number, at: number), isVerified: false) == .new) }
    #expect(log.isOrderedByTime(GameID("friday")) && log.guids().last == "first")
    // No event of the game's own is verified by this one, so all go on counting.
    let moved = Sample.poll("33", sequence: 133, at: 51)
    #expect(log.accept(moved) == .corrected)
    #expect(!log.isOrderedByTime(GameID("friday")) && log.guids().first == "first")
  }

  @Test func theOrderOfVerifiedEventsDependsOnNoOther() {
    var log = EventLog()
    for event in [Sample.info("b", sequence: 2, at: 1), Sample.info("a", sequence: 1, at: 5), Sample.info("c", at: 3)] {
      #expect(log.accept(event, isVerified: false) == .new)
    }
    #expect(log.guids() == ["b", "c", "a"])
    #expect(log.accept(Sample.info("d", sequence: 4, at: 0)) == .new)
    #expect(log.guids() == ["a", "b", "d", "c"])
  }

  @Test(arguments: 0..<UInt64(40)) func theOrderOfArrivalDoesNotMatter(seed: UInt64) {
    var generator = SeededNumbers(seed: seed)
    let isMixed = seed % 2 == 0
    let numbers = (1...24).shuffled(using: &generator)
    let events = (1...24).map { number in
      // Times that coincide, and that contradict the numbers.
      let sequence = isMixed && number % 5 == 0 ? nil : numbers[number - 1]
      return Sample.info("\(number)", sequence: sequence, at: Int.random(in: 0...9, using: &generator))
    }
    var expected: [String]?
    for _ in 0..<8 {
      var log = EventLog()
      for event in events.shuffled(using: &generator) {
        // Some come damaged first and say something else.
        if Int.random(in: 0..<3, using: &generator) == 0 {
          let wrong = Sample.poll(event.guid.text, sequence: Bool.random(using: &generator) ? 100 + (event.sequence ?? 0) : nil, at: 3)
          #expect(log.accept(wrong, seenAt: 10, isVerified: false) == .new)
          #expect(log.accept(event, seenAt: 10) == .corrected)
        } else {
          #expect(log.accept(event, seenAt: 10) == .new)
        }
      }
      for event in events { #expect(log.accept(event, seenAt: 10) == .duplicate) }
      #expect(log.guids() == expected ?? log.guids())
      expected = log.guids()
    }
    #expect(expected?.count == events.count)
  }
}

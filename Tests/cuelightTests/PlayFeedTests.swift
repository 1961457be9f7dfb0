import Basics
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import cuelight

/// Reading ahead of the player, but not far.
@Suite struct PlayFeedTests {
  /// Counts what a thread has handed on.
  private final class Counter: Sendable {
    // A class: two threads share it.
    let count = Atomic<Int>(0)
  }

  private static func start(_ feed: PlayFeed, _ counter: Counter, upTo last: Int, apart: Int) {
    Thread {
      for number in 1...last {
        let time = MediaTime(seconds: number * apart)
        feed.put(.copy(PlaySample.end, at: time), at: time)
        counter.count.store(number, ordering: .sequentiallyConsistent)
      }
    }.start()
  }

  /// Plays to a time, waiting for what is due by then.
  private static func play(_ feed: PlayFeed, to second: Int, until count: Int, taken: inout Int) {
    let end = ContinuousClock.now + .seconds(60)
    while taken < count, ContinuousClock.now < end {
      taken += feed.removeItems(upTo: MediaTime(seconds: second)).count
    }
  }

  @Test func noMoreThanTheLeadIsReadAhead() {
    let (feed, counter) = (PlayFeed(from: nil), Counter())
    #expect(feed.removeItems(upTo: .zero).isEmpty)
    Self.start(feed, counter, upTo: 200, apart: 1)
    var taken = 0
    for second in stride(from: 10, through: 200, by: 10) {
      Self.play(feed, to: second, until: second, taken: &taken)
      #expect(taken == second)
      #expect(counter.count.load(ordering: .sequentiallyConsistent) <= second + 30)
    }
    #expect(feed.isEmpty)
  }

  @Test func noMoreThanAThousandItemsAreKept() {
    let (feed, counter) = (PlayFeed(from: nil), Counter())
    Self.start(feed, counter, upTo: 5_000, apart: 0)
    var taken = 0
    while taken < 5_000 {
      #expect(counter.count.load(ordering: .sequentiallyConsistent) <= taken + 1_024)
      let items = feed.removeItems(upTo: .zero)
      #expect(items.count <= 1_024)
      taken += items.count
    }
    #expect(taken == 5_000)
  }

  @Test func theBeginningIsThatOfTheStream() {
    let feed = PlayFeed(from: nil)
    feed.put(.message("slow"), at: nil)
    #expect(feed.beginning() == nil)
    #expect(feed.removeItems(upTo: nil).count == 1)
    feed.put(.copy(PlaySample.end, at: MediaTime(seconds: 9)), at: MediaTime(seconds: 9))
    #expect(feed.beginning() == .zero)
    #expect(feed.removeItems(upTo: nil).isEmpty && feed.removeItems(upTo: MediaTime(seconds: 8)).isEmpty)
    #expect(feed.ending { _ in true } == nil)
    feed.put(.end(MediaTime(seconds: 60), isWhole: true, contents: ""), at: nil)
    #expect(feed.ending { _ in false } == nil)
    guard case .end? = feed.ending(ifKnown: { _ in true }) else { return #expect(Bool(false), "the end is known") }
    let late = PlayFeed(from: MediaTime(seconds: 7))
    #expect(late.mereEnding == nil)
    late.put(.message("slow"), at: nil)
    late.put(.end(nil, isWhole: true, contents: ""), at: nil)
    #expect(late.beginning() == MediaTime(seconds: 7))
    // What is wrong with the stream is told first.
    #expect(late.mereEnding == nil)
    let whole = PlayFeed(from: nil)
    whole.put(.end(nil, isWhole: true, contents: "x"), at: nil)
    guard case .end(nil, true, "x")? = whole.mereEnding else { return #expect(Bool(false), "there is nothing but the end") }
  }

  @Test func aStoppedFeedTakesNothing() {
    let feed = PlayFeed(from: nil)
    feed.stop()
    feed.put(.message("late"), at: nil)
    #expect(feed.isEmpty)
  }
}

import Basics
import Testing

@testable import GameServer

/// The time of a programme that another process has.
@Suite struct FollowedTimeTests {
  private let start = ContinuousClock.now

  private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .milliseconds(Int(seconds * 1_000)) }

  private func time(_ seconds: Double) -> MediaTime { MediaTime(seconds: seconds) }

  /// As long as the other process is away, nobody says whether an answer is in time, and what is decided stays where it is.
  @Test func away() {
    var followed = FollowedTime()
    #expect(followed.time(at: at(0)) == nil && !followed.isCurrent(at: at(0)))
    followed.learn(time(10), at: at(0), hasEnded: false)
    #expect(followed.time(at: at(2)) == time(12) && followed.isCurrent(at: at(3)))
    #expect(followed.time(at: at(60)) == time(13) && !followed.isCurrent(at: at(3.5)))
    followed.learn(time(70), at: at(60), hasEnded: false)
    #expect(followed.time(at: at(60)) == time(70) && followed.isCurrent(at: at(60)))
  }

  /// The programme does not go back, unless it is another one.
  @Test func neverBack() {
    var followed = FollowedTime()
    followed.learn(time(10), at: at(0), hasEnded: false)
    #expect(followed.time(at: at(2)) == time(12))
    followed.learn(time(11), at: at(2), hasEnded: false)
    #expect(followed.time(at: at(2)) == time(12))
    followed.learn(time(1), at: at(3), hasEnded: false)
    #expect(followed.time(at: at(3)) == time(1))
  }

  /// A programme that is over stands still, and answers to its end are judged.
  @Test func ended() {
    var followed = FollowedTime()
    followed.learn(time(10), at: at(0), hasEnded: true)
    #expect(followed.hasEnded && followed.time(at: at(100)) == time(10) && followed.isCurrent(at: at(100)))
    followed.learn(time(0), at: at(200), hasEnded: false)
    #expect(!followed.hasEnded && followed.time(at: at(201)) == time(1))
  }
}

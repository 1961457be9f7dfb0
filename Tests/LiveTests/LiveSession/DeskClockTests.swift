import Basics
import LiveGame
import Testing

@testable import LiveSession

/// The programme time of a session between its access units.
@Suite struct DeskClockTests {
  private let start = ContinuousClock.now
  private let dates = DateAnchor(time: .zero, wallClock: 1_000)

  private func time(_ clock: inout DeskClock, after duration: Duration) -> Double? {
    clock.now(at: start + duration, wallClock: 5).time.map { Double($0.ticks) / 90_000 }
  }

  @Test func withoutInput() {
    var clock = DeskClock()
    #expect(clock.now(at: start, wallClock: 5) == LiveGame.Now(time: nil, wallClock: 5))
    #expect(clock.instant(of: .zero, now: start) == nil)
  }

  /// The time goes on by the clock for a second, and never back.
  @Test func betweenUnits() {
    var clock = DeskClock()
    #expect(clock.advance(to: MediaTime(seconds: 10), dates, at: start) == (true, true))
    #expect([0, 400, 1_000, 5_000].map { time(&clock, after: .milliseconds($0)) } == [10, 10.4, 11, 11])
    #expect(clock.advance(to: MediaTime(seconds: 10.5), dates, at: start + .seconds(6)) == (true, false))
    #expect(time(&clock, after: .seconds(6)) == 11)
    // Frames may be reordered.
    #expect(clock.advance(to: MediaTime(seconds: 10.4), dates, at: start + .seconds(7)) == (false, false))
    let others = DateAnchor(time: .zero, wallClock: 2_000)
    #expect(clock.advance(to: MediaTime(seconds: 10.4), others, at: start + .seconds(7)) == (false, true))
    #expect(clock.dates == others && time(&clock, after: .seconds(8)) == 11.5)
  }

  /// Events take place by other dates than those that playlists list.
  @Test func twoDates() {
    var clock = DeskClock()
    let measured = DateAnchor(time: .zero, wallClock: 1_030)
    #expect(clock.advance(to: MediaTime(seconds: 10), dates, measured: measured, at: start) == (true, true))
    #expect(
      clock.now(at: start, wallClock: 5)
        == LiveGame.Now(time: MediaTime(seconds: 10), wallClock: 5, dates: measured, programmeDate: 11_000))
    let others = DateAnchor(time: .zero, wallClock: 1_010)
    #expect(clock.advance(to: MediaTime(seconds: 11), others, measured: measured, at: start) == (true, false))
  }

  /// Another timecode moves events as other dates do.
  @Test func timecode() {
    var clock = DeskClock()
    #expect(clock.advance(to: MediaTime(seconds: 10), dates, at: start) == (true, true))
    #expect(clock.advance(to: MediaTime(seconds: 11), dates, timecode: .absent, at: start) == (true, true))
    #expect(clock.advance(to: MediaTime(seconds: 12), dates, timecode: .absent, at: start) == (true, false))
    #expect(clock.now(at: start, wallClock: 5).timecode == .absent)
  }

  @Test func instants() {
    var clock = DeskClock()
    _ = clock.advance(to: MediaTime(seconds: 10), dates, at: start)
    let now = start + .milliseconds(100)
    #expect(clock.instant(of: MediaTime(seconds: 9), now: now) == now)
    #expect(clock.instant(of: MediaTime(seconds: 10.5), now: now) == start + .milliseconds(500))
    #expect(clock.instant(of: MediaTime(seconds: 11), now: now) == start + .seconds(1))
    #expect(clock.instant(of: MediaTime(seconds: 11.5), now: now) == nil)
  }
}

import Testing

@testable import GameServer

/// How many watch.
@Suite struct AudienceTests {
  // MARK: Viewers

  /// So many players say that they watch, the first of these numbers first.
  private func add(_ players: Range<Int>, to audience: AudienceCount, share: Double = 1) {
    for player in players { audience.add(.player(player), share: share) }
  }

  @Test func viewers() {
    let audience = AudienceCount()
    let start = ContinuousClock.now
    #expect(audience.viewers(at: start) == 0 && audience.share == 1 && AudienceCount.interval == 10)
    add(0..<37, to: audience)
    #expect(audience.viewers(at: .now) == 37)
    // They count in the next interval, too, and then no more.
    #expect(audience.viewers(at: .now + .seconds(10)) == 37)
    #expect(audience.viewers(at: .now + .seconds(20)) == 0)
  }

  /// However often somebody says so, a player is one, and an address without players a household.
  @Test func nobodyInventsViewers() {
    let audience = AudienceCount()
    let start = ContinuousClock.now
    for _ in 0..<1_000 {
      audience.add(.player(0), share: 1, at: start)
      audience.add(.address("192.0.2.1"), share: 1, at: start)
    }
    #expect(audience.viewers(at: start) == 1 + AudienceCount.mostOfAddress)
    for address in 2..<5 { audience.add(.address("192.0.2.\(address)"), share: 1, at: start) }
    #expect(audience.viewers(at: start) == 4 + AudienceCount.mostOfAddress)
    // The next interval counts them again.
    let later = start + .seconds(AudienceCount.interval)
    for _ in 0..<3 { audience.add(.player(0), share: 1, at: later) }
    #expect(audience.viewers(at: later + .seconds(AudienceCount.interval)) == 1)
  }

  /// Where more watch than have to say so, only a part of them does, and counts for the others.
  @Test func shares() {
    let audience = AudienceCount()
    add(0..<2_000, to: audience)
    #expect(audience.viewers(at: .now) == 2_000 && audience.share == 1)
    add(2_000..<2_001, to: audience)
    #expect(audience.viewers(at: .now) == 2_001 && audience.share == 0.5)
    add(2_001..<2_002, to: audience, share: 0.5)
    #expect(audience.viewers(at: .now) == 2_003)
    // Nobody counts for more than twice as many as can have been told.
    add(2_002..<2_003, to: audience, share: 0.000_001)
    #expect(audience.viewers(at: .now) == 2_007)
    // And nobody for less than one.
    add(2_003..<2_004, to: audience, share: 50)
    #expect(audience.viewers(at: .now) == 2_008)
  }

  /// What nobody can have been told is passed over: nothing that a stranger sends does harm, now or later.
  @Test func nonsense() {
    let audience = AudienceCount()
    add(0..<1, to: audience)
    for share in [.nan, .signalingNaN, .infinity, -.infinity, 0, -0.0, -1, -1e300] as [Double] { add(1..<2, to: audience, share: share) }
    #expect(audience.viewers(at: .now) == 1)
    add(1..<2, to: audience, share: .leastNonzeroMagnitude)
    #expect(audience.viewers(at: .now) == 3)
    for seconds in [10, 20, 1_000_000] { #expect(audience.viewers(at: .now + .seconds(seconds)) >= 0) }
  }

  /// However many there are, a few hundred a second say so.
  @Test func millions() {
    let audience = AudienceCount()
    var steps = 0
    while audience.share > 1.0 / 256, steps < 400_000 {
      audience.add(.player(steps), share: audience.share)
      steps += 1
    }
    let viewers = Double(audience.viewers(at: .now))
    #expect(viewers * audience.share / 10 <= 200 && viewers * audience.share / 10 > 90 && steps < 20_000)
  }
}

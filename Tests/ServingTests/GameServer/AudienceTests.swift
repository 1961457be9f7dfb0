import Testing

@testable import GameServer

/// How many watch.
@Suite struct AudienceTests {
  // MARK: Viewers

  @Test func viewers() {
    let audience = AudienceCount()
    let start = ContinuousClock.now
    #expect(audience.viewers(at: start) == 0 && audience.share == 1 && AudienceCount.interval == 10)
    for _ in 0..<37 { audience.add(share: 1) }
    #expect(audience.viewers(at: .now) == 37)
    // They count in the next interval, too, and then no more.
    #expect(audience.viewers(at: .now + .seconds(10)) == 37)
    #expect(audience.viewers(at: .now + .seconds(20)) == 0)
  }

  /// Where more watch than have to say so, only a part of them does, and counts for the others.
  @Test func shares() {
    let audience = AudienceCount()
    for _ in 0..<2_000 { audience.add(share: 1) }
    #expect(audience.viewers(at: .now) == 2_000 && audience.share == 1)
    audience.add(share: 1)
    #expect(audience.viewers(at: .now) == 2_001 && audience.share == 0.5)
    audience.add(share: 0.5)
    #expect(audience.viewers(at: .now) == 2_003)
    // Nobody counts for more than twice as many as can have been told.
    audience.add(share: 0.000_001)
    #expect(audience.viewers(at: .now) == 2_007)
    // And nobody for less than one.
    audience.add(share: 50)
    #expect(audience.viewers(at: .now) == 2_008)
  }

  /// What nobody can have been told is passed over: nothing that a stranger sends does harm, now or later.
  @Test func nonsense() {
    let audience = AudienceCount()
    audience.add(share: 1)
    for share in [.nan, .signalingNaN, .infinity, -.infinity, 0, -0.0, -1, -1e300] as [Double] { audience.add(share: share) }
    #expect(audience.viewers(at: .now) == 1)
    audience.add(share: .leastNonzeroMagnitude)
    #expect(audience.viewers(at: .now) == 3)
    for seconds in [10, 20, 1_000_000] { #expect(audience.viewers(at: .now + .seconds(seconds)) >= 0) }
  }

  /// However many there are, a few hundred a second say so.
  @Test func millions() {
    let audience = AudienceCount()
    var steps = 0
    while audience.share > 1.0 / 256, steps < 400_000 {
      audience.add(share: audience.share)
      steps += 1
    }
    let viewers = Double(audience.viewers(at: .now))
    #expect(viewers * audience.share / 10 <= 200 && viewers * audience.share / 10 > 90 && steps < 20_000)
  }
}

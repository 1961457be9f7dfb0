import Testing

@testable import LiveInterface

/// When something that has failed is tried again.
@Suite struct BackOffTests {
  private let start = ContinuousClock.now

  @Test func fixedDelay() {
    var backOff = BackOff(.milliseconds(500))
    #expect(backOff.nextTry == nil && backOff.reason == nil)
    // An end without a reason tells nothing new, and hides no old reason.
    let reasons = ["refused", "refused", "timed out", nil, "timed out"]
    var areNew: [Bool] = []
    for (second, reason) in reasons.enumerated() {
      areNew.append(backOff.fail(reason, at: start + .seconds(second)))
      #expect(backOff.nextTry == start + .seconds(second) + .milliseconds(500) && backOff.failures == second + 1)
    }
    #expect(areNew == [true, false, true, false, false] && backOff.reason == "timed out")
  }

  @Test func growingDelay() {
    var backOff = BackOff(.milliseconds(200), longest: .seconds(1))
    #expect((0..<5).map { _ in backOff.fail() } == [200, 400, 800, 1_000, 1_000].map { .milliseconds($0) })
    for _ in 0..<100 { #expect(backOff.fail() == .seconds(1)) }
  }

  @Test func success() {
    let unused = BackOff(.milliseconds(200), longest: .seconds(10))
    var backOff = unused
    // The same reason is new again after a success, and the delay is the first one.
    for _ in 1...2 {
      #expect(backOff.succeed() == false)
      #expect([1, 2].map { backOff.fail("refused", at: start + .seconds($0)) } == [true, false])
      #expect(backOff.nextTry == start + .seconds(2) + .milliseconds(400))
      #expect(backOff.succeed() == true)
      #expect(backOff == unused)
    }
  }

  @Test func lastAttempt() {
    var backOff = BackOff(.seconds(1), attempts: 3)
    #expect((0..<4).map { _ in backOff.fail() } == [.seconds(1), .seconds(1), nil, nil] && backOff.failures == 2)
    backOff = BackOff(.seconds(1), attempts: 1)
    #expect(backOff.fail("refused", at: start) == true)
    #expect(backOff.nextTry == nil)
  }

  @Test func wantedDelay() {
    var backOff = BackOff(.milliseconds(200), longest: .seconds(10))
    #expect(
      [.seconds(1), .zero, .seconds(3_600), nil].map { backOff.fail(wanted: $0) } == [
        .seconds(1), .zero, .seconds(10), .milliseconds(1_600),
      ])
  }
}

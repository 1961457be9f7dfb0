import Testing

@testable import LiveSession

/// Messages for the operator, of which many of one kind come.
@Suite struct NoticeGateTests {
  private let start = ContinuousClock.now

  private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

  @Test func aFlood() {
    var gate = NoticeGate()
    #expect(gate.add("lost 3 packets", at: at(0)) == "lost 3 packets")
    for time in 1...500 { #expect(gate.add("lost \(time) packets", at: at(time)) == nil) }
    #expect(gate.takeDue(at: at(999)) == [] && gate.nextDue == at(1_000))
    #expect(gate.takeDue(at: at(1_000)) == ["lost 500 packets (and 499 more of this kind)"])
    #expect(gate.takeDue(at: at(9_000)) == [] && gate.nextDue == nil)
    #expect(gate.add("lost 7 packets", at: at(2_000)) == "lost 7 packets")
  }

  /// Other kinds pass at once, also names with digits.
  @Test func otherKinds() {
    var gate = NoticeGate()
    for message in ["media2.m3u8: away", "media3.m3u8: away", "input down", "input up"] {
      #expect(gate.add(message, at: at(0)) == message)
    }
    #expect(gate.add("input up", at: at(10)) == nil)
    #expect(gate.takeAll(at: at(20)) == ["input up"])
  }

  /// After a while without a check, the next message counts the held ones.
  @Test func theNextOne() {
    var gate = NoticeGate()
    _ = gate.add("a", at: at(0))
    for time in 1...3 { _ = gate.add("a", at: at(time)) }
    #expect(gate.add("a", at: at(1_500)) == "a (and 3 more of this kind)")
  }

  /// Few of many kinds are remembered, and each one passes.
  @Test func manyKinds() {
    var gate = NoticeGate()
    for number in 0..<2_000 { #expect(gate.add("kind\(number)", at: at(number / 10)) == "kind\(number)") }
  }
}

import Testing

@testable import LiveSession

@Suite struct SilenceTests {
  /// What is due second after second, with a target duration of four seconds.
  @Test func steps() {
    let start = ContinuousClock.now
    let target = Duration.seconds(4)
    var silence = Silence(from: start)
    var steps: [Int: Silence.Step] = [:]
    for second in 0..<30 {
      let now = start + .seconds(second)
      if second == 3 || second == 25 { silence.end(at: now) }
      let step = silence.step(at: now, target: target)
      steps[second] = step
      switch step {
      case .begin: silence.begin(target: target)
      case .gap: silence.cover(target: target)
      case nil: break
      }
    }
    // Viewers notice it earlier.
    #expect((0..<40).first { silence.isNoticeable(at: start + .seconds(25 + $0), target: target) } == 2)
    let (short, long) = (Duration.seconds(1), Duration.seconds(9))
    #expect((0..<400).first { silence.isNoticeable(at: start + .milliseconds(25_000 + 100 * $0), target: short) } == 10)
    #expect((0..<400).first { silence.isNoticeable(at: start + .milliseconds(25_000 + 100 * $0), target: long) } == 45)
    // Nothing has come for six seconds; from then on a gap every four seconds, until something comes.
    #expect(steps == [9: .begin, 10: .gap, 13: .gap, 17: .gap, 21: .gap])
  }

  /// Whoever looks only when something is due next misses nothing, and does not look more often.
  @Test func nextSteps() {
    let start = ContinuousClock.now
    let target = Duration.seconds(8)
    var silence = Silence(from: start)
    var (now, looks) = (start, [String]())
    for _ in 0..<5 {
      now = silence.next(after: now, target: target)
      let step = silence.step(at: now, target: target)
      looks.append("\((now - start).components.seconds) \(step.map { "\($0)" } ?? "noticeable")")
      switch step {
      case .begin: silence.begin(target: target)
      case .gap: silence.cover(target: target)
      case nil: break
      }
    }
    #expect(looks == ["4 noticeable", "12 begin", "12 gap", "20 gap", "28 gap"])
    silence.end(at: start + .seconds(30))
    #expect(silence.next(after: start + .seconds(30), target: target) == start + .seconds(34))
  }

  /// A time for which the whole process was stopped is no silence: what came meanwhile is still to be read.
  @Test func aStoppedProcess() {
    let start = ContinuousClock.now
    let target = Duration.seconds(4)
    var silence = Silence(from: start)
    silence.sleep(until: start + .seconds(2))
    silence.wake(at: start + .seconds(22))
    #expect(silence.step(at: start + .seconds(22), target: target) == nil)
    #expect(
      silence.step(at: start + .seconds(25), target: target) == nil && silence.step(at: start + .seconds(26), target: target) == .begin)
    // The thread is woken early, or a little late.
    for seconds in [1.0, 2.2] {
      silence = Silence(from: start)
      silence.sleep(until: start + .seconds(2))
      silence.wake(at: start + .seconds(seconds))
      #expect(silence.step(at: start + .seconds(6), target: target) == .begin)
    }
    // What has come since is not in the future.
    silence.end(at: start + .seconds(30))
    silence.sleep(until: start + .seconds(10))
    silence.wake(at: start + .seconds(30))
    #expect(silence.step(at: start + .seconds(36), target: target) == .begin)
  }
}

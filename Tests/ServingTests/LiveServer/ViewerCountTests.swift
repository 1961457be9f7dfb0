import Testing

@testable import LiveServer

@Suite struct ViewerCountTests {
  @Test func viewers() {
    let (viewers, start) = (ViewerCount(), ContinuousClock.now)
    for second in 0..<10 {
      viewers.note("192.0.2.1", "hls.js", at: start + .seconds(second))
      viewers.note("192.0.2.\(second % 2)", "Safari", at: start + .seconds(second))
    }
    #expect(viewers.count(at: start + .seconds(9)) == 3)
    // The last request of one was at the eighth second, those of the others at the ninth.
    #expect(viewers.count(at: start + .seconds(38)) == 2 && viewers.count(at: start + .seconds(39)) == 0)
  }

  /// Addresses are remembered only up to a limit.
  @Test func limit() {
    let (viewers, now) = (ViewerCount(), ContinuousClock.now)
    for number in 0..<(ViewerCount.most + 5) { viewers.note("\(number)", "", at: now) }
    #expect(viewers.count(at: now) == ViewerCount.most)
  }
}

import Synchronization
import Testing

@testable import LiveSession

struct RelayTests {
  @Test func receiver() {
    let relay = Relay<Int>()
    let sum = Atomic(0)
    relay.send(1_000_000_000)
    relay.reach { sum.add($0, ordering: .relaxed) }
    // As many as a long show has: each is passed on as the first one is, or the last ones would take minutes and more stack than there is.
    for _ in 0..<200_000 { relay.send(1) }
    #expect(sum.load(ordering: .relaxed) == 200_000)
  }
}

import GameStore
import Testing

@testable import GameServer

/// What the operator hears of what goes wrong on a node.
@Suite struct NodeTroublesTests {
  /// Each trouble is told once, and again only after it went well.
  @Test func once() {
    var troubles = NodeTroubles()
    let (away, full) = (StoreError.unavailable("away"), StoreError.full)
    let told = [
      troubles.note(.leading, nil), troubles.note(.leading, away), troubles.note(.leading, full), troubles.note(.leases, full),
      troubles.note(.leading, nil), troubles.note(.leases, away), troubles.note(.leading, full),
    ]
    let (leading, leases) = ("this node cannot take the lead: ", "this node cannot say which host leads: ")
    #expect(told == [nil, "\(leading)\(away)", nil, "\(leases)\(full)", nil, nil, "\(leading)\(full)"])
  }

  /// What a client has written is nothing that the operator could mend.
  @Test func refusals() {
    var troubles = NodeTroubles()
    for refusal in [StoreError.exists, .closed, .unfit("a zero")] { #expect(troubles.note(.leases, refusal) == nil) }
  }
}

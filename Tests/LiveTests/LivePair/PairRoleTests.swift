import Testing

@testable import LivePair

/// Which of two nodes leads, and when.
@Suite struct PairRoleTests {
  private static let start = ContinuousClock.now

  private static func hello(_ phase: PairHello.Phase, _ node: String = "a", term: Int = 1, length: Int = 10) -> PairHello {
    PairHello(stream: "live", game: "g", node: node, phase: phase, term: term, length: length, digest: "")
  }

  /// A node that follows.
  private static func follower() -> PairRole {
    var role = PairRole(at: start)
    #expect(role.hear(hello(.leading, "b"), hello(.undecided), at: start) == .follow)
    return role
  }

  @Test func aloneAfterAWhile() {
    var role = PairRole(at: Self.start)
    #expect(role.hearNothing(isRefused: true, at: Self.start + .milliseconds(1_999)) == .ask)
    #expect(role.hearNothing(isRefused: false, at: Self.start + PairRole.patience) == .lead)
    #expect(role.phase == .leading && role.hearNothing(isRefused: true, at: Self.start) == .go)
  }

  /// Of two new nodes one leads, whichever asks first.
  @Test func bothBegin() {
    let nodes = [
      Self.hello(.undecided, "a"), Self.hello(.undecided, "b"), Self.hello(.undecided, "a", length: 11),
      Self.hello(.undecided, "a", term: 2, length: 0),
    ]
    for (index, left) in nodes.enumerated() {
      for right in nodes[(index + 1)...] {
        var roles = (PairRole(at: Self.start), PairRole(at: Self.start))
        #expect(roles.0.hear(right, left, at: Self.start) == .ask)
        #expect(roles.1.hear(left, right, at: Self.start) == .lead)
      }
    }
  }

  /// A node that has followed leads at once if the connection is refused, and after a second without an answer.
  @Test func takingOver() {
    var role = Self.follower()
    #expect(role.phase == .following && role.lose(isComplete: true, at: Self.start) == .ask)
    #expect(role.phase == .succeeding)
    var other = role
    #expect(role.hearNothing(isRefused: true, at: Self.start) == .lead)
    #expect(other.hearNothing(isRefused: false, at: Self.start + .milliseconds(999)) == .ask)
    #expect(other.hearNothing(isRefused: false, at: Self.start + .seconds(1)) == .lead)
  }

  /// Only the connection was lost.
  @Test func stillThere() {
    var role = Self.follower()
    _ = role.lose(isComplete: true, at: Self.start)
    #expect(role.hear(Self.hello(.leading, "b"), Self.hello(.succeeding), at: Self.start) == .follow)
    #expect(role.phase == .following)
  }

  /// A node that led and is back before the other one leads does not lead: it may have events that were never acknowledged.
  @Test func backAtOnce() {
    var (stays, returns) = (Self.follower(), PairRole(at: Self.start))
    _ = stays.lose(isComplete: true, at: Self.start)
    let (own, other) = (Self.hello(.succeeding, "a", length: 10), Self.hello(.undecided, "b", length: 99))
    #expect(returns.hear(own, other, at: Self.start) == .ask)
    #expect(stays.hear(other, own, at: Self.start) == .lead)
    #expect(returns.hear(Self.hello(.leading, "a"), other, at: Self.start) == .follow)
  }

  /// A node that had not caught up knows less than was promised: it waits as one that begins.
  @Test func notCaughtUp() {
    var role = Self.follower()
    #expect(role.lose(isComplete: false, at: Self.start) == .ask && role.phase == .undecided)
    #expect(role.hearNothing(isRefused: true, at: Self.start + .seconds(1)) == .ask)
    #expect(role.hearNothing(isRefused: true, at: Self.start + PairRole.patience) == .lead)
  }

  @Test func leaving() {
    var (handed, ended) = (Self.follower(), Self.follower())
    #expect(handed.hearLeaving(isEnd: false) == .lead && handed.phase == .leading)
    #expect(ended.hearLeaving(isEnd: true) == .end)
  }

  /// If both lead, one of them yields, and both agree on which. A node with an input continues.
  @Test func bothLead() {
    var hears = PairRole(at: Self.start)
    _ = hears.hearNothing(isRefused: true, at: Self.start + PairRole.patience)
    var (old, new) = (Self.hello(.leading, "b", term: 5), Self.hello(.leading, "a", term: 6))
    var copy = hears
    #expect(copy.hear(new, old, at: Self.start) == .yield && copy.hear(old, new, at: Self.start) == .go)
    old.isInputUp = true
    #expect(hears.hear(new, old, at: Self.start) == .go && hears.hear(old, new, at: Self.start) == .yield)
    new.isInputUp = true
    #expect(hears.hear(new, old, at: Self.start) == .yield)
  }

  /// A node that leads.
  private static func leader() -> PairRole {
    var role = PairRole(at: start)
    #expect(role.hearNothing(isRefused: true, at: start + PairRole.patience) == .lead)
    return role
  }

  /// A node that has lost its input hands leadership over to one that has not, and begins anew.
  @Test func inputAway() {
    var role = Self.leader()
    let lost = Self.start + .seconds(10)
    func looked(_ milliseconds: Int) -> PairRole.Step {
      let now = lost + .milliseconds(milliseconds)
      return role.compareInputs(own: lost, other: now - .milliseconds(40), at: now)
    }
    #expect(looked(0) == .go && looked(639) == .go && role.handOverInstant == nil)
    // 0.6 s behind, for a quarter of a second.
    #expect(looked(640) == .go && looked(889) == .go && role.phase == .leading)
    #expect(role.handOverInstant == lost + .milliseconds(890))
    #expect(looked(890) == .handOver && role.phase == .undecided)
    #expect(looked(2_000) == .go)
    #expect(role.hear(Self.hello(.leading, "b"), Self.hello(.undecided), at: lost + .seconds(2)) == .follow)
  }

  /// Nothing changes where both inputs are away, where nothing has ever come to the other node, where its own comes again in time, or where it follows.
  @Test func inputKept() {
    var role = Self.leader()
    let lost = Self.start + .seconds(10)
    for second in 1...60 {
      let now = lost + .seconds(second)
      #expect(role.compareInputs(own: lost, other: lost + .milliseconds(599), at: now) == .go)
      #expect(role.compareInputs(own: lost, other: nil, at: now) == .go)
      #expect(role.compareInputs(own: now, other: lost, at: now) == .go)
    }
    // The machine was busy: what had come was read late.
    #expect(role.compareInputs(own: lost, other: lost + .seconds(2), at: lost + .seconds(2)) == .go)
    #expect(role.compareInputs(own: lost + .seconds(2), other: lost + .seconds(2), at: lost + .milliseconds(2_020)) == .go)
    #expect(role.compareInputs(own: lost, other: lost + .seconds(3), at: lost + .seconds(3)) == .go)
    #expect(role.phase == .leading)
    var follower = Self.follower()
    for second in 1...3 { #expect(follower.compareInputs(own: lost, other: lost + .seconds(9), at: lost + .seconds(second)) == .go) }
  }

  @Test func digests() {
    let journal = Array("one\ntwo\n".utf8)
    #expect(PairHello.digest(journal[..<4]) == PairHello.digest(Array("one\n".utf8)[...]))
    #expect(PairHello.digest(journal[..<4]) != PairHello.digest(journal[...]) && PairHello.digest([]).utf8.count == 32)
  }
}

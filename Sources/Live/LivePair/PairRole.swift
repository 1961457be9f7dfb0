/// Decides which of two nodes leads: it touches neither clock nor connection.
package struct PairRole: Equatable, Sendable {
  /// What the node is to do next.
  package enum Step: Equatable, Sendable {
    /// Ask the other one again after a moment.
    case ask
    /// Follow the one that has answered.
    case follow
    /// Lead.
    case lead
    /// Two nodes lead. This one ends, and follows when it is started again.
    case yield
    /// Let the other one lead, which follows and has an input, and follow it.
    case handOver
    /// The stream is over.
    case end
    /// Go on.
    case go
  }

  package private(set) var phase: PairHello.Phase = .undecided
  /// Since when the node does not know who leads.
  private var since: ContinuousClock.Instant
  /// Since when the node leads without the input that the other one has; `nil` where that is not so.
  private var blindSince: ContinuousClock.Instant?

  /// A node that begins waits so long for the other one before it leads alone.
  package static let patience = Duration.seconds(2)
  /// A node that has lost the one that led waits so long for an answer, where nobody refuses the connection.
  package static let patienceAfterLoss = Duration.seconds(1)
  /// Nothing has come from the other node for this long: it is gone.
  package static let silence = Duration.milliseconds(1_500)
  /// How often a node says that it goes on.
  package static let beat = Duration.milliseconds(250)
  /// What an input brings reaches both nodes within this time of each other. A node that gets nothing for longer has lost its input.
  package static let inputLead = Duration.milliseconds(600)
  /// For so long that has to be seen: a process that had no time for its input is given some.
  package static let certainty = Duration.milliseconds(250)

  /// A node that begins.
  package init(at now: ContinuousClock.Instant) { since = now }

  /// The other node has answered, or has asked.
  ///
  /// - Parameter own: What this node says of itself.
  package mutating func hear(_ other: PairHello, _ own: PairHello, at now: ContinuousClock.Instant) -> Step {
    switch (phase, other.phase) {
    case (.undecided, .leading), (.succeeding, .leading):
      phase = .following
      return .follow
    case (.undecided, .undecided), (.succeeding, .succeeding): return own.leads(over: other) ? lead() : .ask
    // Who has followed until now knows all that was promised. Who begins anew may not.
    case (.succeeding, .undecided): return lead()
    case (.undecided, _), (.succeeding, .following): return .ask
    case (.leading, .leading): return own.leads(over: other) ? .go : .yield
    case (.leading, _), (.following, _): return .go
    }
  }

  /// Nobody has answered.
  ///
  /// - Parameter isRefused: Whether nobody listens there, so that nothing is to be waited for.
  package mutating func hearNothing(isRefused: Bool, at now: ContinuousClock.Instant) -> Step {
    switch phase {
    case .undecided: now - since >= Self.patience ? lead() : .ask
    case .succeeding: isRefused || now - since >= Self.patienceAfterLoss ? lead() : .ask
    case .following, .leading: .go
    }
  }

  /// The connection to the node that led has ended.
  ///
  /// - Parameter isComplete: Whether this node has all that the other one had promised.
  package mutating func lose(isComplete: Bool, at now: ContinuousClock.Instant) -> Step {
    guard phase == .following else { return .go }
    // A node that had not caught up begins anew.
    (phase, since) = (isComplete ? .succeeding : .undecided, now)
    return .ask
  }

  /// The node that led has ended as it should.
  package mutating func hearLeaving(isEnd: Bool) -> Step {
    guard phase == .following else { return .go }
    return isEnd ? .end : lead()
  }

  /// Compares when something has come from both inputs last: a node that leads, and has lost its input alone, lets the other one lead. Where nothing comes
  /// to either of them, nothing changes.
  ///
  /// - Parameters:
  ///   - own: When that was here, or when this node began to lead.
  ///   - other: When that was on the node that follows; `nil` where nobody does, or nothing has ever come there.
  package mutating func compareInputs(
    own: ContinuousClock.Instant, other: ContinuousClock.Instant?, at now: ContinuousClock.Instant
  ) -> Step {
    guard phase == .leading, let other, other - own >= Self.inputLead else {
      blindSince = nil
      return .go
    }
    let start = blindSince ?? now
    blindSince = start
    guard now - start >= Self.certainty else { return .go }
    (phase, since, blindSince) = (.undecided, now, nil)
    return .handOver
  }

  /// When ``compareInputs(own:other:at:)`` lets the other node lead, if nothing comes here until then; `nil` where that is not to be.
  package var handOverInstant: ContinuousClock.Instant? { blindSince.map { $0 + Self.certainty } }

  private mutating func lead() -> Step {
    phase = .leading
    return .lead
  }
}

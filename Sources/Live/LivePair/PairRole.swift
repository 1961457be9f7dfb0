/// Decides which of two nodes leads. It touches neither clock nor connection.
package struct PairRole: Equatable, Sendable {
  /// What the node does next.
  package enum Step: Equatable, Sendable {
    /// Ask the other node again after a moment.
    case ask
    /// Follow the node that has answered.
    case follow
    /// Lead.
    case lead
    /// Both nodes lead. This one ends, and follows when it is started again.
    case yield
    /// Hand leadership over to the following node, which has an input, and follow it.
    case handOver
    /// The stream is over.
    case end
    /// Change nothing.
    case go
  }

  package private(set) var phase: PairHello.Phase = .undecided
  /// Since when the node does not know which node leads.
  private var since: ContinuousClock.Instant
  /// Since when the node leads without an input while the other node has one; `nil` if that is not so.
  private var blindSince: ContinuousClock.Instant?

  /// How long a new node waits for the other one before it leads alone.
  package static let patience = Duration.seconds(2)
  /// How long a node that has lost the leading one waits for an answer if the connection is not refused.
  package static let patienceAfterLoss = Duration.seconds(1)
  /// A node that has sent nothing for this long is gone.
  package static let silence = Duration.milliseconds(1_500)
  /// How often a node says that it is alive.
  package static let beat = Duration.milliseconds(250)
  /// The inputs of both nodes deliver the same bytes within this time. A node that receives nothing for longer has lost its input.
  package static let inputLead = Duration.milliseconds(600)
  /// How long that must last, since a busy process may read its input late.
  package static let certainty = Duration.milliseconds(250)

  /// A new node.
  package init(at now: ContinuousClock.Instant) { since = now }

  /// Records what the other node says about itself.
  ///
  /// - Parameter own: What this node says about itself.
  package mutating func hear(_ other: PairHello, _ own: PairHello, at now: ContinuousClock.Instant) -> Step {
    switch (phase, other.phase) {
    case (.undecided, .leading), (.succeeding, .leading):
      phase = .following
      return .follow
    case (.undecided, .undecided), (.succeeding, .succeeding): return own.leads(over: other) ? lead() : .ask
    // The node that has followed until now knows everything that was accepted. A new one may not.
    case (.succeeding, .undecided): return lead()
    case (.undecided, _), (.succeeding, .following): return .ask
    case (.leading, .leading): return own.leads(over: other) ? .go : .yield
    case (.leading, _), (.following, _): return .go
    }
  }

  /// Records that the other node has not answered.
  ///
  /// - Parameter isRefused: Whether the connection was refused, so that waiting does not help.
  package mutating func hearNothing(isRefused: Bool, at now: ContinuousClock.Instant) -> Step {
    switch phase {
    case .undecided: now - since >= Self.patience ? lead() : .ask
    case .succeeding: isRefused || now - since >= Self.patienceAfterLoss ? lead() : .ask
    case .following, .leading: .go
    }
  }

  /// Records that the connection to the leading node has ended.
  ///
  /// - Parameter isComplete: Whether this node has everything that the other one had accepted.
  package mutating func lose(isComplete: Bool, at now: ContinuousClock.Instant) -> Step {
    guard phase == .following else { return .go }
    // A node that has not caught up begins anew.
    (phase, since) = (isComplete ? .succeeding : .undecided, now)
    return .ask
  }

  /// Records that the leading node has ended properly.
  package mutating func hearLeaving(isEnd: Bool) -> Step {
    guard phase == .following else { return .go }
    return isEnd ? .end : lead()
  }

  /// Compares when the nodes last received bytes from their inputs. If only the leading node has lost its input, it hands leadership over. If both have,
  /// nothing changes.
  ///
  /// - Parameters:
  ///   - own: When this node did, or when it began to lead.
  ///   - other: When the following node did; `nil` without one, and if it never has.
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

  /// When ``compareInputs(own:other:at:)`` will hand leadership over, if this input stays silent; `nil` if it will not.
  package var handOverInstant: ContinuousClock.Instant? { blindSince.map { $0 + Self.certainty } }

  private mutating func lead() -> Step {
    phase = .leading
    return .lead
  }
}

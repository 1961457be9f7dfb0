import Basics
import GameStore
import Synchronization

/// Who may lead a game, and whether the operator lets it into the stream.
final class HostAccess: Sendable {
  /// Which console leads.
  let lease = HostLease()
  private let stored: StoredGame
  private let cluster: any Cluster
  private let writer: StoreWriter
  /// How many times the host's access was renewed according to the store, and how many renewals have begun.
  private let renewed: Atomic<Int>
  private let renewing: Atomic<Int>
  /// The operator's decision about the game: the raw value of a `StoredGame.Approval`.
  private let approved: Atomic<Int>
  /// The name of the leading console in the lease that many nodes share; an outer `nil` if there is none of this process alone.
  private let sharedLeader = Mutex<String??>(nil)

  init(_ stored: StoredGame, _ writer: StoreWriter, _ cluster: any Cluster) {
    (self.stored, self.writer, self.cluster) = (stored, writer, cluster)
    renewed = Atomic(stored.hostGeneration)
    renewing = Atomic(stored.hostGeneration)
    approved = Atomic(stored.approval.rawValue)
  }

  // MARK: Tokens

  /// How many times the host's access was renewed: earlier tokens are no longer valid.
  var generation: Int { renewed.load(ordering: .acquiring) }

  /// Ends all tokens of the host, and returns when that is in the store.
  func renew() async throws(StoreError) {
    let number = renewing.add(1, ordering: .relaxed).newValue
    try await writer.write([.hostGeneration(game: stored.id, number)])
    await end(number)
  }

  /// Ends all tokens of the host of a game whose account has lost it; the store has changed already.
  func end() async { await end(generation + 1) }

  private func end(_ generation: Int) async {
    noteRenewal(generation)
    await cluster.endLease(stored.id, of: nil)
  }

  /// Records a renewal of the host's access, made here or in another process.
  func noteRenewal(_ number: Int) {
    _ = renewing.max(number, ordering: .relaxed)
    guard renewed.max(number, ordering: .releasing).oldValue < number else { return }
    lease.end()
  }

  // MARK: Consoles

  /// Takes the lead for a console; returns whether it leads: no other one does, in any process, or `takesOver` ends the other's lead.
  func lead(_ console: HostLease.Console, takesOver: Bool = false) async -> Bool {
    // If the store cannot say who leads, it cannot accept a command either.
    await cluster.lease(stored.id, to: console, takesOver: takesOver) ?? lease.take(console, takesOver: takesOver)
  }

  /// Lets a console listen; returns `nil` if another one leads and `takesOver` is false.
  ///
  /// - Parameter end: Ends the stream of messages, once it no longer belongs to the leading console.
  func listen(_ console: HostLease.Console, takesOver: Bool, end: @escaping @Sendable (HostLease.Ending) -> Void) async -> Int? {
    guard await cluster.lease(stored.id, to: console, takesOver: takesOver) ?? true else { return nil }
    return lease.listen(console, takesOver: takesOver, end: end)
  }

  /// Lets a console listen without leading; returns `nil` if too many do.
  func watch(_ console: HostLease.Console, end: @escaping @Sendable (HostLease.Ending) -> Void) -> Int? { lease.watch(console, end: end) }

  /// The name that the leading console was given, empty without one; `nil` if none leads.
  var leader: String? {
    if let console = lease.listener { return console.client ?? "" }
    guard let shared = sharedLeader.withLock({ $0 }) else { return lease.leader.map { $0.client ?? "" } }
    return shared.map { HostLease.Console.client(ofName: $0) }
  }

  /// Records which console leads in any process; `nil` for none. Returns whether that is new.
  @discardableResult
  func note(leader name: String?) -> Bool { sharedLeader.withLock { exchange(&$0, with: .some(name)) != .some(name) } }

  // MARK: The operator

  /// The operator's decision about the game.
  var approval: StoredGame.Approval { StoredGame.Approval(rawValue: approved.load(ordering: .acquiring)) ?? .open }

  /// Whether the game may be in the stream: the operator's own games may, and those that the operator has approved.
  var isApproved: Bool { stored.account == nil || approval == .approved }

  /// Records the operator's decision about the game, made here or in another process; returns whether that is new.
  @discardableResult
  func note(_ approval: StoredGame.Approval) -> Bool {
    approved.exchange(approval.rawValue, ordering: .acquiringAndReleasing) != approval.rawValue
  }
}

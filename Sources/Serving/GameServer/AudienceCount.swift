import Synchronization

/// How many people watch, estimated from a sample of them who say so now and then.
final class AudienceCount: Sendable {
  /// Who says that somebody watches.
  enum Viewer: Hashable, Sendable {
    /// A player, by the place in the roster: one person.
    case player(Int)
    /// Somebody at this address, who has no player's token: perhaps one of several behind it.
    case address(String)

    /// How many times it counts in an interval.
    fileprivate var most: Int {
      switch self {
      case .player: 1
      case .address: AudienceCount.mostOfAddress
      }
    }
  }

  private struct State {
    /// What was counted in each of the latest intervals.
    var counts: [Int: Double] = [:]
    /// How often each viewer was counted in the interval that runs.
    var viewers: [Viewer: Int] = [:]
    var interval = 0
    /// How many other nodes have.
    var others = 0
  }

  private let state = Mutex(State())
  private let epoch = ContinuousClock.now

  /// How often a viewer is to say so, in seconds.
  static let interval = 10
  /// How many viewers without a player's token an address has at most: a household. Nobody can tell more of them from one who says so again and again.
  static let mostOfAddress = 10
  /// More viewers than say so in an interval.
  private static let mostViewers = 100_000
  /// More people than there are.
  private static let most = 1e10
  /// About how many a second are enough for an estimate.
  private static let enough = 200.0

  /// The share of viewers who are to say so, so that there are not too many.
  var share: Double {
    let viewers = Double(viewers(at: .now))
    let perSecond = viewers / Double(Self.interval)
    guard perSecond > Self.enough else { return 1 }
    // In steps, so that many viewers know the same share.
    var share = 1.0
    while perSecond * share > Self.enough, share > 1.0 / 65_536 { share /= 2 }
    return share
  }

  /// Records that a viewer of a sample is there. One that has said so often enough in this interval is not counted again.
  ///
  /// - Parameter share: The share that the viewer was told; a smaller one than can have been told counts as that.
  func add(_ viewer: Viewer, share: Double, at instant: ContinuousClock.Instant = .now) {
    guard share.isFinite, share > 0 else { return }
    let weight = 1 / min(max(share, self.share / 2), 1)
    let interval = index(instant)
    state.withLock { state in
      if state.interval != interval { (state.interval, state.viewers) = (interval, [:]) }
      let count = state.viewers[viewer] ?? 0
      guard count < viewer.most, count > 0 || state.viewers.count < Self.mostViewers else { return }
      state.viewers[viewer] = count + 1
      state.counts[interval, default: 0] += weight
      if state.counts.count > 4 { state.counts = state.counts.filter { $0.key >= interval - 2 } }
    }
  }

  /// Records how many viewers other nodes have.
  func add(others: Int) { state.withLock { $0.others = min(max(others, 0), Int(Self.most)) } }

  /// The estimate, with those of other nodes.
  func viewers(at instant: ContinuousClock.Instant) -> Int { ownViewers(at: instant) + state.withLock { $0.others } }

  /// The estimate of this node: of the last whole interval, or of the running one where that has more.
  func ownViewers(at instant: ContinuousClock.Instant) -> Int {
    let interval = index(instant)
    return state.withLock { Int(min(max($0.counts[interval - 1] ?? 0, $0.counts[interval] ?? 0), Self.most)) }
  }

  private func index(_ instant: ContinuousClock.Instant) -> Int { Int((instant - epoch).components.seconds) / Self.interval }
}

import Synchronization

/// The number of viewers, estimated from a sample of them who report now and then.
final class AudienceCount: Sendable {
  /// The sender of a report.
  enum Viewer: Hashable, Sendable {
    /// A player, by the place in the roster: one person.
    case player(Int)
    /// A viewer at this address without a player's token: perhaps one of several behind it.
    case address(String)

    /// How many reports count in an interval.
    fileprivate var most: Int {
      switch self {
      case .player: 1
      case .address: AudienceCount.mostOfAddress
      }
    }
  }

  private struct State {
    /// The estimated number of viewers in each of the latest intervals.
    var counts: [Int: Double] = [:]
    /// The number of reports of each viewer in the current interval.
    var viewers: [Viewer: Int] = [:]
    var interval = 0
    /// The number of viewers of other nodes.
    var others = 0
  }

  private let state = Mutex(State())
  private let epoch = ContinuousClock.now

  /// How often a viewer is to report, in seconds.
  static let interval = 10
  /// The maximum number of viewers without a player's token that an address counts for: a household. More of them cannot be told from one that
  /// reports again and again.
  static let mostOfAddress = 10
  /// More viewers than report in an interval.
  private static let mostViewers = 100_000
  /// More people than there are.
  private static let most = 1e10
  /// About how many reports per second are enough for an estimate.
  private static let enough = 200.0

  /// The share of viewers who are to report, so that there are not too many reports.
  var share: Double {
    let viewers = Double(viewers(at: .now))
    let perSecond = viewers / Double(Self.interval)
    guard perSecond > Self.enough else { return 1 }
    // In steps, so that many viewers know the same share.
    var share = 1.0
    while perSecond * share > Self.enough, share > 1.0 / 65_536 { share /= 2 }
    return share
  }

  /// Records a report of a viewer. One that has reported often enough in this interval is not counted again.
  ///
  /// - Parameter share: The share that the viewer was given; a share smaller than any that can have been given counts as the smallest one that can.
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

  /// The estimate, including the viewers of other nodes.
  func viewers(at instant: ContinuousClock.Instant) -> Int { ownViewers(at: instant) + state.withLock { $0.others } }

  /// The estimate of this node: from the last complete interval, or from the current one if that has more.
  func ownViewers(at instant: ContinuousClock.Instant) -> Int {
    let interval = index(instant)
    return state.withLock { Int(min(max($0.counts[interval - 1] ?? 0, $0.counts[interval] ?? 0), Self.most)) }
  }

  private func index(_ instant: ContinuousClock.Instant) -> Int { Int((instant - epoch).components.seconds) / Self.interval }
}

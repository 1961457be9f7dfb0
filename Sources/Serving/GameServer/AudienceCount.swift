import Basics
import Synchronization

/// How many people watch, estimated from a sample of them who say so now and then.
final class AudienceCount: Sendable {
  private struct State {
    /// What was counted in each of the latest intervals.
    var counts: [Int: Double] = [:]
    /// How many other nodes have.
    var others = 0
  }

  private let state = Mutex(State())
  private let epoch = ContinuousClock.now

  /// How often a viewer is to say so, in seconds.
  static let interval = 10
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

  /// Records that a viewer of a sample is there.
  ///
  /// - Parameter share: The share that the viewer was told; a smaller one than can have been told counts as that.
  func add(share: Double) {
    guard share.isFinite, share > 0 else { return }
    let weight = 1 / min(max(share, self.share / 2), 1)
    let interval = index(.now)
    state.withLock { state in
      state.counts[interval, default: 0] += weight
      if state.counts.count > 4 { state.counts = state.counts.filter { $0.key >= interval - 2 } }
    }
  }

  /// Takes over how many viewers other nodes have.
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

import Synchronization

/// How many connections come from each address.
final class ConnectionCounts: Sendable {
  private let counts: Mutex<[String: Int]> = Mutex([:])

  /// The most connections of an address. Thousands of phones share one behind a mobile network.
  static let most = 10_000

  /// Counts a connection; returns whether there may be another one.
  func open(_ address: String) -> Bool {
    counts.withLock { counts in
      counts[address, default: 0] += 1
      return counts[address, default: 0] <= Self.most
    }
  }

  /// Counts a connection no more.
  func close(_ address: String) {
    counts.withLock { counts in
      let left = (counts[address] ?? 0) - 1
      counts[address] = left > 0 ? left : nil
    }
  }
}

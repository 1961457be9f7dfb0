import Synchronization

/// How many connections come from each address; a proxy that is trusted has those of everybody, and is not counted.
final class ConnectionCounts: Sendable {
  private let counts: Mutex<[String: Int]> = Mutex([:])
  private let proxies: TrustedProxies

  init(_ proxies: TrustedProxies = TrustedProxies([])) { self.proxies = proxies }

  /// The most connections of an address. Thousands of phones share one behind a mobile network.
  static let most = 10_000

  /// Counts a connection; returns whether there may be another one.
  func open(_ address: String) -> Bool {
    guard !proxies.contains(address) else { return true }
    let place = IPAddress.place(of: address)
    return counts.withLock { counts in
      counts[place, default: 0] += 1
      return counts[place, default: 0] <= Self.most
    }
  }

  /// Counts a connection no more.
  func close(_ address: String) {
    guard !proxies.contains(address) else { return }
    let place = IPAddress.place(of: address)
    counts.withLock { counts in
      let left = (counts[place] ?? 0) - 1
      counts[place] = left > 0 ? left : nil
    }
  }
}

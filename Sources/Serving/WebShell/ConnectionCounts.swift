import NIOCore
import Synchronization

/// The connections of a web server: their number from each address and in total, and how many bytes wait for their clients.
package final class ConnectionCounts: Sendable {
  /// The maximum numbers of connections.
  package struct Capacity: Equatable, Sendable {
    /// The maximum number of simultaneous connections.
    package var total: Int
    /// The maximum number from one address. Thousands of phones share one address in a mobile network, but one address must not keep all others out.
    package var perAddress: Int

    package init(total: Int, perAddress: Int) { (self.total, self.perAddress) = (total, perAddress) }

    /// The capacity of a process that can open a number of files: the rest is for the journal, segments, the database, publishers and encoders.
    package init(descriptors: Int) {
      let reserve = min(max(descriptors / 4, 0), Self.largestReserve)
      total = max(descriptors - reserve, 1)
      perAddress = min(max(total / 2, 16), Self.mostPerAddress)
    }

    private static let largestReserve = 256
    private static let mostPerAddress = 10_000
  }

  private struct Place {
    var connections = 0
    /// Bytes that were written to these connections, and that their clients have not received yet.
    var waiting = 0
  }

  private struct State {
    var places: [String: Place] = [:]
    var total = 0
    var waiting = 0
  }

  package let capacity: Capacity
  private let state = Mutex(State())
  private let proxies: TrustedProxies

  /// - Parameter proxies: Their connections carry many clients, and are not counted for an address.
  package init(_ capacity: Capacity, _ proxies: TrustedProxies = TrustedProxies([])) { (self.capacity, self.proxies) = (capacity, proxies) }

  /// The maximum number of waiting bytes for the clients of one address, and for all: beyond it, clients that receive nothing are disconnected
  /// sooner.
  static let (mostWaitingOfAddress, mostWaiting) = (64 << 20, 256 << 20)

  /// Counts a connection; returns whether there may be another one from this address.
  func open(_ address: String) -> Bool {
    state.withLock { state in
      state.total += 1
      guard let place = place(of: address) else { return true }
      state.places[place, default: Place()].connections += 1
      return state.places[place, default: Place()].connections <= capacity.perAddress
    }
  }

  /// Stops counting a connection.
  ///
  /// - Parameter waiting: The last known number of bytes that its client has not received.
  func close(_ address: String, waiting: Int) {
    state.withLock { state in
      state.total -= 1
      add(-waiting, of: address, &state)
      guard let place = place(of: address), var counts = state.places[place] else { return }
      counts.connections -= 1
      state.places[place] = counts.connections > 0 ? counts : nil
    }
  }

  /// Records by how much the number of bytes that wait for a client has changed.
  ///
  /// - Returns: Whether too many bytes wait, for the address or in all.
  func wait(_ change: Int, of address: String) -> Bool {
    state.withLock { state in
      add(change, of: address, &state)
      let own = place(of: address).flatMap { state.places[$0]?.waiting } ?? 0
      return own > Self.mostWaitingOfAddress || state.waiting > Self.mostWaiting
    }
  }

  private func add(_ change: Int, of address: String, _ state: inout State) {
    state.waiting += change
    if let place = place(of: address) { state.places[place]?.waiting += change }
  }

  /// The maximum idle time of a connection. If nearly all places are in use, unused connections soon make room.
  var idleTime: TimeAmount {
    state.withLock { $0.total > capacity.total / 4 * 3 } ? Self.crowdedIdleTime : Self.usualIdleTime
  }

  /// The maximum time without activity: no request, and no progress in sending.
  static let usualIdleTime = TimeAmount.seconds(30)
  static let crowdedIdleTime = TimeAmount.seconds(5)

  /// The number of connections.
  package var total: Int { state.withLock { $0.total } }

  private func place(of address: String) -> String? { proxies.contains(address) ? nil : IPAddress.place(of: address) }
}

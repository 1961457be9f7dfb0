import NIOCore
import Synchronization
import WebShell

/// The connections of publishers. Their number is limited; if there are too many, the oldest one that does not publish is closed, so that an encoder
/// with the key always gets in.
final class PublisherConnections: Sendable {
  /// A connection and its state.
  private struct Entry {
    var channel: any Channel
    /// The place of its address, which all connections of one caller share.
    var place: String
    /// Connections are numbered as they open.
    var number: Int
    var isPublishing = false
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var count = 0
  }

  private let state = Mutex(State())

  /// The maximum number of simultaneous connections, and of those from one address that do not publish.
  static let (most, mostOfAddress) = (64, 16)

  /// Counts a new connection.
  ///
  /// - Returns: Whether there is room for it, and the connections to close to make room.
  func open(_ channel: any Channel, from address: String?) -> (isOpen: Bool, closing: [any Channel]) {
    let place = address.map { IPAddress.place(of: $0) } ?? ""
    return state.withLock { state in
      var closing: [any Channel] = []
      func close(_ isOneOf: (Entry) -> Bool, above limit: Int) -> Bool {
        let idle = state.entries.filter { !$0.value.isPublishing && isOneOf($0.value) }
        guard idle.count >= limit else { return true }
        guard let oldest = idle.min(by: { $0.value.number < $1.value.number }) else { return false }
        closing.append(oldest.value.channel)
        state.entries[oldest.key] = nil
        return true
      }
      _ = close({ $0.place == place }, above: Self.mostOfAddress)
      guard state.entries.count < Self.most || close({ _ in true }, above: 0) else { return (false, closing) }
      state.count += 1
      state.entries[ObjectIdentifier(channel)] = Entry(channel: channel, place: place, number: state.count)
      return (true, closing)
    }
  }

  /// Records whether a connection publishes.
  func setPublishing(_ channel: any Channel, _ isPublishing: Bool) {
    state.withLock { $0.entries[ObjectIdentifier(channel)]?.isPublishing = isPublishing }
  }

  func close(_ channel: any Channel) { state.withLock { $0.entries[ObjectIdentifier(channel)] = nil } }

  func takeAll() -> [any Channel] { state.withLock { exchange(&$0.entries, with: [:]).values.map(\.channel) } }
}

import NIOCore
import Synchronization

/// Bodies that are sent to many clients, each once in memory: a client that is slow to receive holds no copy of its own.
final class SharedBodies: Sendable {
  private struct Entry {
    var bytes: [UInt8]
    var buffer: ByteBuffer
    var lastUse: ContinuousClock.Instant
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var size = 0
  }

  private let state = Mutex(State())
  private let most: Int
  /// How long a body is kept after its last use. Clients of a live stream ask for the latest segments at about the same time, and an older one would only
  /// be in memory twice.
  private static let patience = Duration.seconds(2)

  /// The bodies of this process.
  static let all = SharedBodies(most: 64 << 20)

  /// - Parameter most: The maximum number of bytes that are kept. Beyond it, the bodies that were sent longest ago are released.
  init(most: Int) { self.most = most }

  /// A body as a buffer that all clients with the same bytes share.
  ///
  /// - Parameter name: The name of the body. If its bytes have changed, they replace the old ones.
  func buffer(_ name: String, _ bytes: [UInt8], at now: ContinuousClock.Instant = .now) -> ByteBuffer {
    state.withLock { state in
      // Arrays with the same storage are compared at once.
      if let entry = state.entries[name], entry.bytes == bytes {
        state.entries[name]?.lastUse = now
        return entry.buffer
      }
      let buffer = ByteBuffer(bytes: bytes)
      guard bytes.count <= most / 4 else { return buffer }
      state.size += bytes.count - (state.entries[name]?.bytes.count ?? 0)
      state.entries[name] = Entry(bytes: bytes, buffer: buffer, lastUse: now)
      while let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse }),
        state.size > most || now - oldest.value.lastUse > Self.patience
      {
        state.size -= oldest.value.bytes.count
        state.entries[oldest.key] = nil
      }
      return buffer
    }
  }

  /// The number of bytes that are kept.
  var size: Int { state.withLock { $0.size } }
}

import Hummingbird
import Synchronization

/// Collects the body of an answer that goes to the other node of a pair.
struct BodyCollector: ResponseBodyWriter {
  /// What was collected: the writer is used up by writing.
  final class Collected: Sendable {
    private let content = Mutex<[UInt8]>([])

    var bytes: [UInt8] { content.withLock { $0 } }

    fileprivate func append(_ buffer: ByteBuffer) { content.withLock { $0 += buffer.readableBytesView } }
  }

  private let collected: Collected

  /// A writer, and what it collects.
  static func make() -> (BodyCollector, Collected) {
    let collected = Collected()
    return (BodyCollector(collected: collected), collected)
  }

  mutating func write(_ buffer: ByteBuffer) async throws { collected.append(buffer) }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

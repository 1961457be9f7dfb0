import Hummingbird
import Synchronization

/// Collects the body of an answer that goes to the other node of a pair.
struct BodyCollector: ResponseBodyWriter {
  /// The collected bytes, which outlive the writer: writing consumes it.
  final class Collected: Sendable {
    private let content = Mutex<[UInt8]>([])

    var bytes: [UInt8] { content.withLock { $0 } }

    fileprivate func append(_ buffer: ByteBuffer) { content.withLock { $0 += buffer.readableBytesView } }
  }

  private let collected: Collected

  /// Makes a writer, and the object that collects its bytes.
  static func make() -> (BodyCollector, Collected) {
    let collected = Collected()
    return (BodyCollector(collected: collected), collected)
  }

  mutating func write(_ buffer: ByteBuffer) async throws { collected.append(buffer) }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

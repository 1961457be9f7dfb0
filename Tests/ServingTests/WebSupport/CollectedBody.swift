import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// Collects the body of a response, and in which pieces it was written.
struct CollectedBody: ResponseBodyWriter {
  final class Collected: Sendable {
    private let content = Mutex<[[UInt8]]>([])

    var pieces: [[UInt8]] { content.withLock { $0 } }
    var bytes: [UInt8] { pieces.flatMap(\.self) }
    var text: String { String(decoding: bytes, as: UTF8.self) }

    fileprivate func append(_ buffer: ByteBuffer) { content.withLock { $0.append(Array(buffer.readableBytesView)) } }
  }

  private let collected: Collected

  /// A writer, and what it collects.
  static func make() -> (CollectedBody, Collected) {
    let collected = Collected()
    return (CollectedBody(collected: collected), collected)
  }

  mutating func write(_ buffer: ByteBuffer) async throws { collected.append(buffer) }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

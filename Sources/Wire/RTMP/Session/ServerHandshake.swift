package import Basics

/// The server's side of the handshake (RTMP 1.0, section 5.2).
package struct ServerHandshake: Sendable {
  private static let version: UInt8 = 3
  private static let size = 1_536

  private var received: [UInt8] = []
  private var hasAnswered = false
  private var seed: UInt64

  /// A handshake that has not begun.
  ///
  /// - Parameter seed: The seed of the random bytes.
  package init(seed: UInt64) { self.seed = seed }

  /// Whether the handshake is complete.
  package private(set) var isComplete = false

  /// Receives the next bytes.
  ///
  /// - Returns: The bytes to send, and how many of the received bytes belong to the handshake.
  /// - Throws: `ParseError` if the peer speaks another version.
  package mutating func push(_ bytes: Span<UInt8>) throws(ParseError) -> (answer: [UInt8], taken: Int) {
    var answer: [UInt8] = []
    var taken = 0
    while !isComplete {
      let wanted = hasAnswered ? Self.size : Self.size + 1
      let part = bytes.extracting(droppingFirst: taken).extracting(first: wanted - received.count)
      received.append(copying: part)
      taken += part.count
      if !hasAnswered, let first = received.first, first != Self.version {
        throw ParseError(.invalid("version \(first) of RTMP is not supported"), at: 0)
      }
      guard received.count == wanted else { break }
      // The peer's second message should echo ours, but nothing depends on it.
      if hasAnswered { isComplete = true } else { answer = reply(to: received.dropFirst()) }
      hasAnswered = true
      received.removeAll()
    }
    return (answer, taken)
  }

  /// The version, a time of 0 with random bytes, and an echo of the peer's message.
  private func reply(to sent: ArraySlice<UInt8>) -> [UInt8] {
    var numbers = SeededNumbers(seed: seed)
    var writer = ByteWriter(capacity: 1 + 2 * Self.size)
    writer.writeUInt8(Self.version)
    writer.writeInteger(0, byteCount: 8)
    for _ in 0..<(Self.size - 8) / 8 { writer.writeInteger(numbers.next(), byteCount: 8) }
    writer.write(sent)
    return writer.bytes
  }
}

internal import HLSPlaylist
internal import LibAV

/// A request and the beginning of its answer, on a connection of its own.
struct Exchange: ~Copyable {
  private var connection: ServerConnection
  private let limits: NetworkLimits
  private let deadline: ContinuousClock.Instant
  /// What came over the connection.
  private(set) var buffer: [UInt8]
  /// Which of the buffer's bytes belong to the body and were not taken yet.
  private var pending = 0..<0
  /// The answer's head.
  private(set) var head: AnswerHead

  /// Connects, asks, and reads the answer's head.
  ///
  /// - Parameter buffer: An array to read into, of at least `NetworkLimits.headSize` bytes.
  static func open(
    _ address: WebAddress, range: ByteRange?, authorities: String?, limits: NetworkLimits, until deadline: ContinuousClock.Instant,
    buffer: consuming [UInt8], isInterrupted: @escaping @Sendable () -> Bool
  ) throws(NetworkInputError.Reason) -> Exchange {
    let connection: ServerConnection
    do throws(ConnectionError) {
      connection = try connect(address, range, authorities, limits, deadline, isInterrupted)
    } catch {
      throw reason(error, .connection, until: deadline)
    }
    var exchange = Exchange(connection: connection, limits: limits, deadline: deadline, buffer: buffer, head: AnswerHead(status: 0))
    try exchange.readHead()
    return exchange
  }

  private static func connect(
    _ address: WebAddress, _ range: ByteRange?, _ authorities: String?, _ limits: NetworkLimits, _ deadline: ContinuousClock.Instant,
    _ isInterrupted: @escaping @Sendable () -> Bool
  ) throws(ConnectionError) -> ServerConnection {
    var connection = try ServerConnection(
      host: address.host, port: address.port, security: address.isSecure ? .tls(authorities: authorities) : .none,
      until: min(deadline, .now + limits.connecting), isInterrupted: isInterrupted)
    let request = address.request(for: range)
    try connection.send(request.span, until: min(deadline, .now + limits.silence))
    return connection
  }

  /// Reads heads until one is not informational (RFC 9110, 15.2).
  private mutating func readHead() throws(NetworkInputError.Reason) {
    var (start, filled) = (0, 0)
    var searched = 0
    repeat {
      while true {
        if let end = AnswerHead.end(in: buffer.span.extracting(start..<filled), from: searched) {
          head = try AnswerHead(parsing: buffer[start..<(start + end)])
          start += end
          searched = 0
          break
        }
        searched = filled - start
        guard filled < NetworkLimits.headSize else { throw .malformed(.head) }
        let count = try receive(from: filled)
        guard count > 0 else { throw .cutOff(received: 0, expected: nil) }
        filled += count
      }
    } while (100..<200).contains(head.status) && head.status != 101
    pending = start..<filled
  }

  /// Waits for bytes behind those that the buffer holds.
  private mutating func receive(from start: Int) throws(NetworkInputError.Reason) -> Int {
    do throws(ConnectionError) {
      return try connection.receive(into: &buffer, from: start, until: min(deadline, .now + limits.silence))
    } catch {
      throw Self.reason(error, .bytes, until: deadline)
    }
  }

  /// Takes the next content of the body; where it lies in the buffer. Empty at the end of the connection or the body.
  mutating func take(_ framing: inout BodyFraming) throws(NetworkInputError.Reason) -> Range<Int> {
    while !framing.isComplete {
      if pending.isEmpty {
        let count = try receive(from: 0)
        guard count > 0 else { break }
        pending = 0..<count
      }
      let (start, end) = (pending.lowerBound, pending.upperBound)
      let content = try framing.take(from: buffer.span.extracting(start..<end))
      pending = (start + content.upperBound)..<end
      if !content.isEmpty { return (start + content.lowerBound)..<(start + content.upperBound) }
    }
    return 0..<0
  }

  private static func reason(_ error: ConnectionError, _ wait: NetworkInputError.Wait, until deadline: ContinuousClock.Instant)
    -> NetworkInputError.Reason
  {
    switch error {
    case .interrupted: .interrupted
    case .timedOut: .timedOut(.now >= deadline ? .end : wait)
    case .notFound, .failed: .connection("\(error)")
    }
  }
}

public import HLSPlaylist

/// A resource on a web server, read front to back through one buffer (RFC 9110 and 9112: HTTP/1.1).
///
/// ```swift
/// var input = try NetworkInput(url: "https://example.com/show.ts")
/// while try input.fill() { items += try reader.push(input.bytes) }
/// ```
///
/// Every resource has a connection of its own. An answer that ends early is an error, unless only the end of the connection says where it ends.
public struct NetworkInput: ~Copyable {
  /// The URL as it was asked for.
  public let url: String
  /// The URL from which the bytes come, after all redirections: what references in a playlist are relative to.
  public let finalURL: String
  /// How many bytes there will be, where the server says so or a part was asked for.
  public let size: Int?

  private var exchange: Exchange
  private var framing: BodyFraming
  private let limits: NetworkLimits
  /// How many bytes of content came, those that are passed over included.
  private var received = 0
  /// Which bytes of the content are asked for.
  private let wanted: Range<Int>
  /// Where the bytes of the last `fill()` lie in the buffer.
  private var current = 0..<0

  /// The size of the buffer.
  public static let bufferSize = 256 * 1024

  /// Asks for a resource, follows redirections, and reads as far as the answer's head.
  ///
  /// - Parameters:
  ///   - url: A URL of http or https.
  ///   - byteRange: The part to read; `nil` for all. Where the server sends everything, what was not asked for is passed over.
  ///   - limits: How much is accepted.
  ///   - authorities: A file of PEM certificates to be trusted instead of the system's authorities.
  ///   - isInterrupted: Asked ten times a second and more; once it says yes, reading ends with `interrupted`.
  /// - Throws: ``NetworkInputError``.
  public init(
    url: String, byteRange: ByteRange? = nil, limits: NetworkLimits = NetworkLimits(), authorities: String? = nil,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(NetworkInputError) {
    let opened: Opened
    do throws(NetworkInputError.Reason) {
      opened = try Self.open(url, byteRange, limits, authorities, isInterrupted)
    } catch {
      throw NetworkInputError(url: url, reason: error)
    }
    self.url = url
    self.limits = limits
    finalURL = opened.finalURL
    size = opened.size
    wanted = opened.wanted
    framing = BodyFraming(opened.exchange.head)
    exchange = opened.exchange
  }

  /// An answer that brings what was asked for.
  private struct Opened: ~Copyable {
    var finalURL: String
    var size: Int?
    var wanted: Range<Int>
    var exchange: Exchange
  }

  private static func open(
    _ url: String, _ byteRange: ByteRange?, _ limits: NetworkLimits, _ authorities: String?, _ isInterrupted: @escaping @Sendable () -> Bool
  ) throws(NetworkInputError.Reason) -> Opened {
    try check(byteRange, limits)
    let deadline = ContinuousClock.now + limits.time
    func ask(_ address: WebAddress) throws(NetworkInputError.Reason) -> Exchange {
      try .open(
        address, range: byteRange, authorities: authorities, limits: limits, until: deadline,
        buffer: [UInt8](repeating: 0, count: bufferSize), isInterrupted: isInterrupted)
    }
    var address = try WebAddress(URIReference(url))
    var exchange = try ask(address)
    var redirects = 0
    while [301, 302, 303, 307, 308].contains(exchange.head.status) {
      guard let location = exchange.head.location else { throw .malformed(.location) }
      guard redirects < limits.redirects else { throw .tooManyRedirects(limit: limits.redirects) }
      redirects += 1
      address = try address.following(location)
      exchange = try ask(address)
    }
    let wanted = try wanted(byteRange, in: exchange.head)
    let size = byteRange == nil ? exchange.head.contentLength : wanted.count
    guard (byteRange == nil ? size ?? 0 : wanted.upperBound) <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
    return Opened(finalURL: address.url.text, size: size, wanted: wanted, exchange: exchange)
  }

  /// The bytes that the last ``fill()`` read.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { exchange.buffer.span.extracting(current) }
  }

  /// Reads the next bytes; returns whether there were any.
  ///
  /// - Throws: ``NetworkInputError``.
  public mutating func fill() throws(NetworkInputError) -> Bool {
    do throws(NetworkInputError.Reason) {
      return try next()
    } catch {
      throw NetworkInputError(url: url, reason: error)
    }
  }

  private mutating func next() throws(NetworkInputError.Reason) -> Bool {
    current = 0..<0
    while received < wanted.upperBound {
      let content = try exchange.take(&framing)
      guard !content.isEmpty else {
        if framing.endsWithConnection, wanted.upperBound == .max { return false }
        throw .cutOff(received: max(received - wanted.lowerBound, 0), expected: size)
      }
      let first = received
      received += content.count
      let end = min(received, wanted.upperBound)
      guard end <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
      let passedOver = max(wanted.lowerBound - first, 0)
      if passedOver < end - first {
        current = (content.lowerBound + passedOver)..<(content.lowerBound + end - first)
        return true
      }
    }
    return false
  }

  /// Refuses a part that cannot be asked for.
  private static func check(_ range: ByteRange?, _ limits: NetworkLimits) throws(NetworkInputError.Reason) {
    guard let range else { return }
    guard range.length > 0, range.end < UInt64(Int.max) else { throw .invalidRange }
    guard range.length <= UInt64(clamping: limits.bytes) else { throw .tooLarge(limit: limits.bytes) }
  }

  /// Which bytes of an answer's content are those that were asked for (RFC 9110, 14.2 and 15.3); without an end where all are.
  private static func wanted(_ range: ByteRange?, in head: AnswerHead) throws(NetworkInputError.Reason) -> Range<Int> {
    switch (head.status, range) {
    case (200, nil), (203, nil): return 0..<Int.max
    case (200, let range?), (203, let range?): return Int(range.offset)..<Int(range.end)
    case (206, let range?) where head.part?.first == Int(range.offset): return 0..<Int(range.length)
    case (206, _): throw .malformed(.range)
    case (404, _), (410, _): throw .notFound(status: head.status)
    case (400..<500, _): throw .refused(status: head.status)
    case (500..<600, _): throw .server(status: head.status)
    default: throw .unexpected(status: head.status)
    }
  }
}

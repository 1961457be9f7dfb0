package import HLSPlaylist

/// A resource on a web server, read front to back (RFC 9110).
///
/// ```swift
/// var input = try NetworkInput(url: "https://example.com/show.ts")
/// while try input.fill() { items += try reader.push(input.bytes) }
/// ```
///
/// libcurl speaks HTTP/1.1 and HTTP/2, takes proxies from the environment, and keeps connections for the next resource. A response that ends
/// early is an error, unless only the end of the connection marks its end.
package struct NetworkInput: ~Copyable {
  /// The URL as it was asked for.
  package let url: String
  /// The URL after all redirections, which references in a playlist are relative to.
  package let finalURL: String
  /// The number of bytes to expect, if the server states it or a range was requested.
  package let size: Int?

  private var transfer: CurlTransfer
  private let limits: NetworkLimits
  /// The number of bytes of content received, including skipped ones.
  private var received = 0
  /// The range of the content that the caller wants.
  private let wanted: Range<Int>
  /// The range of the transfer's content that the last `fill()` provided.
  private var current = 0..<0

  /// Requests a resource, follows redirections, and reads the head of the response.
  ///
  /// - Parameters:
  ///   - url: A URL of http or https.
  ///   - byteRange: The bytes to read; `nil` for all. If the server sends everything, the other bytes are skipped.
  ///   - limits: How much is accepted.
  ///   - access: Header fields for one origin.
  ///   - authorities: A file of PEM certificates to be trusted instead of the system's authorities.
  ///   - isInterrupted: Asked ten times a second and more; once it returns `true`, reading ends with `interrupted`.
  /// - Throws: ``NetworkInputError``.
  package init(
    url: String, byteRange: ByteRange? = nil, limits: NetworkLimits = NetworkLimits(), access: WebAccess = WebAccess(),
    authorities: String? = nil, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(NetworkInputError) {
    do throws(NetworkInputError.Reason) {
      let transfer = try Self.start(
        WebRequest(url: url, access: access), byteRange, limits, authorities, on: try MultiHandle(), isInterrupted)
      try self.init(transfer, url, byteRange, limits)
    } catch {
      throw NetworkInputError(url: url, reason: error)
    }
  }

  /// A transfer of a resource, which is not waited for yet.
  static func start(
    _ request: WebRequest, _ byteRange: ByteRange?, _ limits: NetworkLimits, _ authorities: String? = nil,
    on multi: MultiHandle, _ isInterrupted: @escaping @Sendable () -> Bool
  ) throws(NetworkInputError.Reason) -> CurlTransfer {
    try check(byteRange, limits)
    return try CurlTransfer(
      starting: request, range: byteRange.map { $0.offset...($0.end - 1) }, limits: limits, authorities: authorities, on: multi,
      isInterrupted: isInterrupted)
  }

  /// Waits for the head of a transfer's response.
  init(
    _ transfer: consuming CurlTransfer, _ url: String, _ byteRange: ByteRange?, _ limits: NetworkLimits
  ) throws(NetworkInputError.Reason) {
    try transfer.awaitHead()
    let wanted = try Self.wanted(byteRange, in: transfer.head)
    let size = byteRange == nil ? transfer.contentLength : wanted.count
    guard (byteRange == nil ? size ?? 0 : wanted.upperBound) <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
    var finalURL = URIReference(transfer.finalURL)
    finalURL.fragment = nil
    (self.url, self.limits, self.finalURL, self.size, self.wanted) = (url, limits, finalURL.text, size, wanted)
    self.transfer = transfer
  }

  /// Throws if libcurl is missing, which all network input needs.
  ///
  /// - Throws: ``NetworkInputError`` with the reason ``NetworkInputError/Reason/libraryMissing(_:)`` if it is not there.
  package static func requireLibrary(for url: String) throws(NetworkInputError) {
    _ = try naming(url, try CurlFunctions.found())
  }

  /// Puts the URL into an error.
  static func naming<Output: ~Copyable>(
    _ url: String, _ result: @autoclosure () throws(NetworkInputError.Reason) -> Output
  ) throws(NetworkInputError) -> Output {
    do throws(NetworkInputError.Reason) { return try result() } catch { throw NetworkInputError(url: url, reason: error) }
  }

  /// The value of the last header field of this name in the response; the name must be in lower case.
  package subscript(name: String) -> String? { transfer.head[name] }

  /// The bytes that the last ``fill()`` read.
  package var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { transfer.content.span.extracting(current) }
  }

  /// The same bytes as a slice of the memory that they lie in.
  package var slice: ArraySlice<UInt8> { transfer.content[current] }

  /// Reads the next bytes; returns whether there were any.
  ///
  /// - Throws: ``NetworkInputError``.
  package mutating func fill() throws(NetworkInputError) -> Bool { try Self.naming(url, try next()) }

  private mutating func next() throws(NetworkInputError.Reason) -> Bool {
    current = 0..<0
    while received < wanted.upperBound {
      let count = try nextCount()
      guard count > 0 else {
        if wanted.upperBound == .max { return false }
        throw cutOff
      }
      let first = received
      received += count
      let end = min(received, wanted.upperBound)
      guard end <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
      let skipped = max(wanted.lowerBound - first, 0)
      if skipped < end - first {
        current = skipped..<(end - first)
        return true
      }
    }
    return false
  }

  /// Waits for content, and returns the number of its bytes; 0 at the end.
  private mutating func nextCount() throws(NetworkInputError.Reason) -> Int {
    do throws(NetworkInputError.Reason) {
      return try transfer.fill() ? transfer.content.count : 0
    } catch {
      // The transfer does not know which part of the content is wanted.
      if case .cutOff = error { throw cutOff }
      throw error
    }
  }

  private var cutOff: NetworkInputError.Reason { .cutOff(received: max(received - wanted.lowerBound, 0), expected: size) }

  /// Refuses a part that cannot be asked for.
  private static func check(_ range: ByteRange?, _ limits: NetworkLimits) throws(NetworkInputError.Reason) {
    guard let range else { return }
    guard range.length > 0, range.end < UInt64(Int.max) else { throw .invalidRange }
    guard range.length <= UInt64(clamping: limits.bytes) else { throw .tooLarge(limit: limits.bytes) }
  }

  /// Which bytes of an answer's content are those that were asked for (RFC 9110, 14.2 and 15.3); without an end if all are.
  private static func wanted(_ range: ByteRange?, in head: AnswerHead) throws(NetworkInputError.Reason) -> Range<Int> {
    let coding = head["content-encoding"]?.lowercased() ?? "identity"
    switch (head.status, range) {
    // The content of an error response may be encoded.
    case (200..<300, _) where coding != "identity": throw .malformed(.contentEncoding)
    case (200, nil), (203, nil): return 0..<Int.max
    case (200, let range?), (203, let range?): return Int(range.offset)..<Int(range.end)
    case (206, let range?) where head["content-range"].flatMap(ContentRange.init)?.first == range.offset: return 0..<Int(range.length)
    case (206, _): throw .malformed(.range)
    default: throw NetworkInputError.Reason(status: head.status)
    }
  }
}

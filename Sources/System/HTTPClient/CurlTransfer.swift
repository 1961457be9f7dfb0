internal import HLSPlaylist

/// A resource of a web server, read in chunks (RFC 9110): libcurl connects, encrypts, sends the request, follows redirections and parses responses.
///
/// Everything happens in the caller's thread and while the caller waits. Between two calls nothing is received, so that a slow reader slows
/// the server down.
struct CurlTransfer: ~Copyable {
  private var carried: CarriedTransfer
  private var request: WebRequest
  private let range: ClosedRange<UInt64>?
  private let limits: NetworkLimits
  private let authorities: String?
  private var deadline = ContinuousClock.now
  /// The deadline for the head of the response.
  private var headDeadline = ContinuousClock.now
  private let isInterrupted: @Sendable () -> Bool
  /// How the transfer has ended; `nil` if it has not.
  private var outcome: Result<Void, NetworkInputError.Reason>?
  /// The content that the last ``fill()`` received.
  private(set) var content: [UInt8] = []
  /// The time of the last activity on the connection.
  private var lastSign = ContinuousClock.now

  /// The maximum time between two calls of the interrupt check.
  private static let interval = Duration.milliseconds(100)

  /// Sends a request and waits for the head of the response.
  ///
  /// - Parameters:
  ///   - request: Its URL is an http or https one without a user name; blanks and other characters than ASCII in it are percent-encoded.
  ///   - range: The bytes to request; `nil` for all.
  ///   - limits: How much of the server's time is accepted. The number of bytes is not limited here.
  ///   - authorities: A file of PEM certificates to be trusted instead of the system's authorities.
  ///   - pool: The pool whose connections are reused, and which keeps this one.
  ///   - isInterrupted: Asked ten times a second and more during each call; `true` ends the work.
  /// - Throws: The reason. No status is an error. An error for cut-off content has no byte counts yet.
  static func open(
    _ request: WebRequest, range: ClosedRange<UInt64>? = nil, limits: NetworkLimits, authorities: String? = nil,
    pool: HandlePool = .shared, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(NetworkInputError.Reason) -> CurlTransfer {
    var transfer = try CurlTransfer(
      starting: request, range: range, limits: limits, authorities: authorities, on: try MultiHandle(from: pool),
      isInterrupted: isInterrupted)
    try transfer.awaitHead()
    return transfer
  }

  /// Prepares a request. It is sent, and its response arrives, while somebody waits for this transfer or for another one of the same handle.
  ///
  /// - Throws: The reason, as ``open(_:range:limits:authorities:pool:isInterrupted:)``. It does not wait.
  init(
    starting request: WebRequest, range: ClosedRange<UInt64>? = nil, limits: NetworkLimits, authorities: String? = nil,
    on multi: MultiHandle,
    isInterrupted: @escaping @Sendable () -> Bool
  ) throws(NetworkInputError.Reason) {
    let curl = try CurlFunctions.found()
    var request = request
    request.url = try WebAddress(request.url, curl).url
    carried = try CarriedTransfer(try EasyHandle(request, range: range, limits: limits, authorities: authorities, curl), on: multi)
    (self.request, self.range, self.limits, self.authorities) = (request, range, limits, authorities)
    self.isInterrupted = isInterrupted
  }

  /// Waits for the head of the response. The limits of time count from here.
  mutating func awaitHead() throws(NetworkInputError.Reason) {
    deadline = .now + limits.time
    headDeadline = .now + limits.headTime
    try advance()
    // libcurl follows the others.
    guard !request.isRedirectedByLibrary else { return }
    var redirects = 0
    while let destination = head.destination {
      guard redirects < limits.redirects else { throw .tooManyRedirects(limit: limits.redirects) }
      redirects += 1
      try follow(destination)
    }
  }

  /// Requests the destination of a redirection, with those fields alone that are for its origin.
  private mutating func follow(_ destination: String) throws(NetworkInputError.Reason) {
    let curl = try CurlFunctions.found()
    request.url = try WebAddress(URIReference(destination).resolve(base: URIReference(finalURL)).text, curl).url
    let multi = carried.multi
    carried = try CarriedTransfer(try EasyHandle(request, range: range, limits: limits, authorities: authorities, curl), on: multi)
    outcome = nil
    try advance()
  }

  private var easy: EasyHandle { carried.easy }

  /// The head of the response; after redirections, of the last one.
  var head: AnswerHead { easy.reader.head }

  /// The URL of the response, after redirections.
  var finalURL: String { easy.finalURL }

  /// The content length that the server announced, if any.
  var contentLength: Int? { easy.contentLength }

  /// Waits for more content; returns whether there was any, and `false` at the end.
  ///
  /// - Throws: The reason, after all content that was received before.
  mutating func fill() throws(NetworkInputError.Reason) -> Bool {
    content.removeAll(keepingCapacity: true)
    if easy.content.isEmpty { try advance() }
    // Both arrays keep their memory.
    let easy = easy
    swap(&content, &easy.content)
    return !content.isEmpty
  }

  /// Continues until there is content, the head of the response, or the end.
  private mutating func advance() throws(NetworkInputError.Reason) {
    let wasAnswered = easy.reader.isComplete
    var hasPerformed = false
    lastSign = .now
    easy.resume()
    while easy.content.isEmpty, wasAnswered || !easy.reader.isComplete {
      if let outcome { return try outcome.get() }
      do throws(NetworkInputError.Reason) {
        try checkPatience()
        let (multi, signs) = (carried.multi, easy.signs)
        // What happened on the connections of other transfers is no sign of this one.
        if hasPerformed, try multi.wait(atMost: Self.interval), multi.isAlone { lastSign = .now }
        try multi.perform()
        if easy.signs != signs { lastSign = .now }
        if let code = easy.result { outcome = ended(easy.failure(code)) }
        hasPerformed = true
      } catch {
        outcome = .failure(error)
      }
    }
  }

  /// libcurl accepts an incomplete head as a complete response.
  private func ended(_ failure: NetworkInputError.Reason?) -> Result<Void, NetworkInputError.Reason> {
    guard let failure else { return easy.reader.isComplete ? .success(()) : .failure(.cutOff(received: 0, expected: nil)) }
    return .failure(failure)
  }

  private func checkPatience() throws(NetworkInputError.Reason) {
    if isInterrupted() { throw .interrupted }
    let now = ContinuousClock.now
    guard now < deadline else { throw .timedOut(.end) }
    guard easy.reader.isComplete || now < headDeadline else { throw .timedOut(.head) }
    // libcurl limits the time of connecting, but not that of the rest of a redirecting response.
    let (patience, wait) = easy.hasAsked ? (limits.silence, NetworkInputError.Wait.bytes) : (limits.connecting, .connection)
    guard now - lastSign < patience else { throw .timedOut(wait) }
  }
}

/// A resource of a web server, read in chunks (RFC 9110): libcurl connects, encrypts, sends the request, follows redirections and parses responses.
///
/// Everything happens in the caller's thread and while the caller waits. Between two calls nothing is received, so that a slow reader slows
/// the server down.
struct CurlTransfer: ~Copyable {
  private let multi: MultiHandle
  private let limits: NetworkLimits
  private let deadline: ContinuousClock.Instant
  /// The deadline for the head of the response.
  private let headDeadline: ContinuousClock.Instant
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
    let start = ContinuousClock.now
    let curl = try CurlFunctions.found()
    var request = request
    request.url = try WebAddress(request.url, curl).url
    let easy = try EasyHandle(request, range: range, limits: limits, authorities: authorities, curl)
    var transfer = CurlTransfer(try MultiHandle(carrying: easy, from: pool), limits, start, isInterrupted)
    try transfer.advance()
    return transfer
  }

  /// A transfer that has not started.
  private init(
    _ multi: consuming MultiHandle, _ limits: NetworkLimits, _ start: ContinuousClock.Instant,
    _ isInterrupted: @escaping @Sendable () -> Bool
  ) {
    self.multi = multi
    self.limits = limits
    deadline = start + limits.time
    headDeadline = start + limits.headTime
    self.isInterrupted = isInterrupted
  }

  private var easy: EasyHandle { multi.easy }

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
        if hasPerformed, try multi.wait(atMost: Self.interval) { lastSign = .now }
        if let code = try multi.perform() { outcome = ended(easy.failure(code)) }
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

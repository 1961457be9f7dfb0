/// A resource of a web server, pulled piece by piece (RFC 9110): libcurl connects, encrypts, asks, follows redirections and unframes.
///
/// Everything happens in the caller's thread and while the caller waits. Between two calls nothing is received, so that a slow reader slows
/// the server down.
struct CurlTransfer: ~Copyable {
  private let multi: MultiHandle
  private let limits: NetworkLimits
  private let deadline: ContinuousClock.Instant
  /// When the answer's head must have come.
  private let headDeadline: ContinuousClock.Instant
  private let isInterrupted: @Sendable () -> Bool
  private var outcome: Outcome?
  /// The content that the last ``fill()`` brought.
  private(set) var content: [UInt8] = []
  /// When something last happened on the connection.
  private var lastSign = ContinuousClock.now

  /// How a transfer has ended.
  private enum Outcome {
    case whole
    case failed(NetworkInputError.Reason)
  }

  /// How long it takes at most until the caller is asked whether to go on.
  private static let interval = Duration.milliseconds(100)

  /// Sends a request and waits for the answer's head.
  ///
  /// - Parameters:
  ///   - request: Its URL is one of http or https without a user's name; blanks and other characters than ASCII in it are percent-encoded.
  ///   - range: The bytes to ask for; `nil` for all.
  ///   - limits: How much of the server's time is accepted. The number of bytes is not limited here.
  ///   - authorities: A file of PEM certificates to be trusted instead of the system's authorities.
  ///   - pool: Whose connections it goes on with, and which keeps its own.
  ///   - isInterrupted: Asked ten times a second and more during each call; `true` ends the work.
  /// - Throws: The reason. No status is an error. What is cut off has no numbers yet.
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

  /// A transfer that has not begun.
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

  /// The answer's head; the last one's after redirections.
  var head: AnswerHead { easy.reader.head }

  /// The URL from which the answer comes.
  var finalURL: String { easy.finalURL }

  /// The number of bytes of content that the server has announced, if it has.
  var contentLength: Int? { easy.contentLength }

  /// Waits for more content; returns whether there was any, and `false` at the end.
  ///
  /// - Throws: The reason, after all content that came before.
  mutating func fill() throws(NetworkInputError.Reason) -> Bool {
    content.removeAll(keepingCapacity: true)
    if easy.content.isEmpty { try advance() }
    // Both keep their memory.
    let easy = easy
    swap(&content, &easy.content)
    return !content.isEmpty
  }

  /// Goes on until there is content, the head of the answer, or the end.
  private mutating func advance() throws(NetworkInputError.Reason) {
    let wasAnswered = easy.reader.isComplete
    var hasPerformed = false
    lastSign = .now
    easy.resume()
    while easy.content.isEmpty, wasAnswered || !easy.reader.isComplete {
      switch outcome {
      case .whole: return
      case .failed(let error): throw error
      case nil: break
      }
      do throws(NetworkInputError.Reason) {
        try checkPatience()
        if hasPerformed, try multi.wait(atMost: Self.interval) { lastSign = .now }
        if let code = try multi.perform() { outcome = ended(easy.failure(code)) }
        hasPerformed = true
      } catch {
        outcome = .failed(error)
      }
    }
  }

  /// libcurl accepts a head without its end as a whole answer.
  private func ended(_ failure: NetworkInputError.Reason?) -> Outcome {
    guard let failure else { return easy.reader.isComplete ? .whole : .failed(.cutOff(received: 0, expected: nil)) }
    return .failed(failure)
  }

  private func checkPatience() throws(NetworkInputError.Reason) {
    if isInterrupted() { throw .interrupted }
    let now = ContinuousClock.now
    guard now < deadline else { throw .timedOut(.end) }
    guard easy.reader.isComplete || now < headDeadline else { throw .timedOut(.head) }
    // libcurl limits the time of connecting, but not that of the rest of an answer that redirects.
    let (patience, wait) = easy.hasAsked ? (limits.silence, NetworkInputError.Wait.bytes) : (limits.connecting, .connection)
    guard now - lastSign < patience else { throw .timedOut(wait) }
  }
}

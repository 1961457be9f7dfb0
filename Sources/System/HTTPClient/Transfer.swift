/// A resource of a web server, pulled piece by piece (RFC 9110): libcurl connects, encrypts, asks, follows redirections and unframes.
///
/// Everything happens in the caller's thread and while the caller waits. Between two calls nothing is received, so that a slow reader slows
/// the server down.
public struct Transfer: ~Copyable {
  private let multi: MultiHandle
  private let options: TransferOptions
  private let isInterrupted: @Sendable () -> Bool
  private var outcome: Outcome?
  /// What the last `fill()` brought.
  private var content: [UInt8] = []
  /// When there was last a sign of life on the connection.
  private var lastSign = ContinuousClock.now

  /// How a transfer has ended.
  private enum Outcome {
    case whole
    case failed(TransferError)
  }

  /// How long it takes at most until the caller is asked whether to go on.
  private static let interval = Duration.milliseconds(100)

  /// Asks for a resource and waits for the answer's head.
  ///
  /// - Parameters:
  ///   - url: A URL of http or https without a user's name; blanks and other characters than ASCII in it are percent-encoded.
  ///   - isInterrupted: Asked ten times a second and more during each call; `true` ends the work.
  /// - Throws: `TransferError`. No status is an error.
  public static func open(
    url: String, options: TransferOptions, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(TransferError) -> Transfer {
    let curl = try CurlFunctions.found()
    let easy = try EasyHandle(url: WebAddress(url, curl).url, options: options, curl)
    var transfer = Transfer(try MultiHandle(carrying: easy), options, isInterrupted)
    try transfer.advance()
    return transfer
  }

  /// Makes sure that there is libcurl, which every transfer needs.
  ///
  /// - Throws: `TransferError.libraryMissing` where it is not there.
  public static func requireLibrary() throws(TransferError) { _ = try CurlFunctions.found() }

  /// A transfer that has not begun.
  private init(_ multi: consuming MultiHandle, _ options: TransferOptions, _ isInterrupted: @escaping @Sendable () -> Bool) {
    self.multi = multi
    self.options = options
    self.isInterrupted = isInterrupted
  }

  private var easy: EasyHandle { multi.easy }

  /// The answer's head; the last one's after redirections.
  public var head: AnswerHead { easy.reader.head }

  /// The URL from which the answer comes.
  public var finalURL: String { easy.finalURL }

  /// How many bytes of content the server has announced, where it has.
  public var contentLength: Int? { easy.contentLength }

  /// The content that the last ``fill()`` brought.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self) get { content.span }
  }

  /// Waits for more content; returns whether there was any, and `false` at the end.
  ///
  /// - Throws: `TransferError`, after all content that came before.
  public mutating func fill() throws(TransferError) -> Bool {
    content.removeAll(keepingCapacity: true)
    if easy.content.isEmpty { try advance() }
    // Both keep their memory.
    let easy = easy
    swap(&content, &easy.content)
    return !content.isEmpty
  }

  /// Goes on until there is content, the head of the answer, or the end.
  private mutating func advance() throws(TransferError) {
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
      do throws(TransferError) {
        try checkPatience()
        if hasPerformed, try multi.wait(atMost: Self.interval) { lastSign = .now }
        if let code = try multi.perform() { outcome = ended(easy.failure(code)) }
        hasPerformed = true
      } catch {
        outcome = .failed(error)
      }
    }
  }

  /// libcurl takes a head without its end for a whole answer.
  private func ended(_ failure: TransferError?) -> Outcome {
    guard let failure else { return easy.reader.isComplete ? .whole : .failed(.cutOff) }
    return .failed(failure)
  }

  private func checkPatience() throws(TransferError) {
    if isInterrupted() { throw .interrupted }
    let now = ContinuousClock.now
    guard now < options.deadline else { throw .timedOut(.end) }
    // libcurl watches over connecting, but not over the rest of an answer that leads elsewhere.
    let (patience, wait) = easy.hasAsked ? (options.silence, TransferError.Wait.bytes) : (options.connecting, .connection)
    guard now - lastSign < patience else { throw .timedOut(wait) }
  }
}

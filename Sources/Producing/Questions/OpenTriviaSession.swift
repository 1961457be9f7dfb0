import Basics
public import Sheets

/// Gets questions from Open Trivia DB. It says what to load and how long to wait, and receives the answers. It does no I/O itself and has no clock.
///
/// Calls, including those for tokens, are five seconds apart unless `pause` says otherwise, because the service requires this of each address. A
/// session directly after another one first gets an answer with code 5, unless the user waits.
public struct OpenTriviaSession: Sendable {
  /// What to do next.
  public enum Step: Equatable, Sendable {
    /// Load this address and call ``OpenTriviaSession/receive(_:)`` with the answer, or ``OpenTriviaSession/refuse()``.
    case load(String)
    /// Wait this number of seconds and call ``OpenTriviaSession/waited()``.
    case wait(seconds: Int)
    /// All questions were received.
    case finished
  }

  /// What to do next.
  public private(set) var step: Step
  /// The questions so far, none twice.
  public private(set) var questions: [Question] = []
  /// The session token, once there is one: a later session with it returns other questions.
  public private(set) var token: String?

  /// The pause that the service requires after each call, in seconds.
  public static let pause = 5
  /// The maximum number of refusals in a row ("too many calls") after which a call is repeated.
  public static let mostRefusals = 5
  /// The longest token that is accepted, in bytes; the service's have 64.
  public static let longestToken = 256

  private let query: OpenTriviaQuery
  /// The pause that this server requires, in seconds.
  private let pause: Int
  /// The call that is being loaded, or will be after the wait.
  private var call: Call
  private var repetitions = Repetitions()
  private var refusals = 0
  private var hasNewToken = false
  private var hasResetToken = false

  private enum Call {
    case token
    case reset(String)
    case questions(String)
  }

  /// A session.
  ///
  /// - Parameters:
  ///   - query: The requested questions.
  ///   - token: The token of an earlier session, less than six hours old; `nil` for a new one.
  ///   - pause: The number of seconds between calls, for a server without the limit of Open Trivia DB.
  public init(_ query: OpenTriviaQuery, token: String? = nil, pause: Int = OpenTriviaSession.pause) {
    self.query = query
    self.pause = pause
    self.token = token
    call = token.map { .questions($0) } ?? .token
    step = .finished
    step = query.amount > 0 ? .load(address) : .finished
  }

  private var address: String {
    switch call {
    case .token: query.tokenAddress
    case .reset(let token): query.resetAddress(token: token)
    case .questions(let token): query.address(amount: min(query.amount - questions.count, OpenTriviaQuery.largestCall), token: token)
    }
  }

  /// Records that the wait is over.
  public mutating func waited() { step = .load(address) }

  /// Receives an answer.
  ///
  /// - Returns: Notices for the user: replaced tokens, and questions that were left out.
  /// - Throws: Why there are no more questions. Earlier ones stay in ``questions``.
  public mutating func receive(_ text: String) throws(OpenTriviaError) -> [String] {
    let answer: OpenTriviaAnswer
    do throws(SheetError) {
      answer = try OpenTriviaAnswer(parsing: text, encoding: .base64)
    } catch {
      throw .unreadable(error)
    }
    if answer.code == .rateLimit { return try refuse() }
    refusals = 0
    switch (call, answer.code) {
    case (.token, .success), (.reset, .success):
      guard let new = answer.token ?? token, Self.isToken(new) else {
        throw .unreadable(SheetError(at: .start, "there is no session token in the answer"))
      }
      token = new
      next(.questions(new))
      return []
    case (.questions, .success):
      return try add(answer.questions)
    case (_, .tokenNotFound) where !hasNewToken:
      hasNewToken = true
      next(.token)
      return ["the session token is not known (any more): asking for a new one"]
    case (.questions(let token), .tokenEmpty) where !hasResetToken:
      hasResetToken = true
      next(.reset(token))
      return ["the session token has had every question of this kind: resetting it; questions of earlier sessions may come again"]
    case (_, .tokenNotFound), (.questions, .tokenEmpty):
      throw .refusedAgain(answer.code, got: questions.count, wanted: query.amount)
    default:
      throw .code(answer.code, got: questions.count, wanted: query.amount)
    }
  }

  /// Records that the service refused the call because calls came too fast: code 5, or HTTP status 429.
  ///
  /// - Returns: Notices for the user.
  /// - Throws: ``OpenTriviaError/code(_:got:wanted:)`` after more than ``mostRefusals`` refusals in a row.
  @discardableResult
  public mutating func refuse() throws(OpenTriviaError) -> [String] {
    refusals += 1
    guard refusals <= Self.mostRefusals else { throw .code(.rateLimit, got: questions.count, wanted: query.amount) }
    next(call)
    let next = pause == 0 ? "asking again" : "waiting \(pause.of("second"))"
    return ["too many calls from this address: \(next)"]
  }

  private mutating func next(_ call: Call) {
    self.call = call
    step = .wait(seconds: pause)
  }

  private mutating func add(_ reading: QuestionBank.Reading) throws(OpenTriviaError) -> [String] {
    // All questions are wrong, for example because their texts are in another encoding than the one that was asked for.
    if reading.bank.questions.isEmpty, !reading.problems.isEmpty { throw .unreadable(SheetError(reading.problems)) }
    let before = questions.count
    for question in reading.bank.questions where questions.count < query.amount {
      if repetitions.add(question.value) == nil { questions.append(question.value) }
    }
    let notes = reading.problems.map { "a question was left out: \($0.message)" }
    if questions.count >= query.amount {
      step = .finished
    } else if questions.count == before {
      // Another call would return the same questions.
      throw .nothingNew(got: questions.count, wanted: query.amount)
    } else {
      next(call)
    }
    return notes
  }

  /// Whether a text can be part of an address without encoding.
  public static func isToken(_ text: String) -> Bool {
    (1...longestToken).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
  }
}

/// Why Open Trivia DB returns no more questions.
public enum OpenTriviaError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The service says so, with the number of questions received and requested.
  case code(OpenTriviaCode, got: Int, wanted: Int)
  /// The service refuses the session token, although it was replaced or reset for the same reason before.
  case refusedAgain(OpenTriviaCode, got: Int, wanted: Int)
  /// The answer is not in the format of Open Trivia DB.
  case unreadable(SheetError)
  /// The answer had no new questions.
  case nothingNew(got: Int, wanted: Int)

  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .code(let code, let got, let wanted): "\(code.message)\(Self.soFar(got, wanted))"
    case .refusedAgain(.tokenEmpty, let got, let wanted):
      "response code 4: the service refuses again, although the session token was reset: it has no more questions of this kind; "
        + "ask for others\(Self.soFar(got, wanted))"
    case .refusedAgain(let code, let got, let wanted):
      "response code \(code.rawValue): the service refuses again, although the session token is new; try later\(Self.soFar(got, wanted))"
    case .unreadable(let error): "the answer is unreadable: \(error.problems.first?.description ?? "")"
    case .nothingNew(let got, let wanted):
      "the answer brought no question that was not there before; ask for fewer\(Self.soFar(got, wanted))"
    }
  }

  private static func soFar(_ got: Int, _ wanted: Int) -> String { got > 0 ? " (\(got) of \(wanted) questions came)" : "" }
}

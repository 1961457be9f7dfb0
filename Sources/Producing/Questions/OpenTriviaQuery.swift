/// A query to Open Trivia DB, and the server.
public struct OpenTriviaQuery: Equatable, Sendable {
  /// The number of questions.
  public var amount: Int
  /// Of which category; `nil` for any.
  public var category: OpenTriviaCategory?
  /// Of which difficulty; `nil` for any.
  public var difficulty: Difficulty?
  /// Of which kind; `nil` for any.
  public var kind: OpenTriviaType?
  /// Where the API is: the address before `/api.php`.
  public var server: String

  /// The address of Open Trivia DB.
  public static let publicServer = "https://opentdb.com"
  /// The maximum number of questions in one call.
  public static let largestCall = 50
  /// The maximum number of questions of a query: about as many as the service has.
  public static let largestAmount = 10_000

  /// A query.
  public init(
    amount: Int, category: OpenTriviaCategory? = nil, difficulty: Difficulty? = nil, kind: OpenTriviaType? = nil,
    server: String = OpenTriviaQuery.publicServer
  ) {
    self.amount = amount
    self.category = category
    self.difficulty = difficulty
    self.kind = kind
    self.server = server
  }

  /// The address of a call for questions. Texts are asked for in base64, which is unambiguous.
  func address(amount: Int, token: String) -> String {
    var address = "\(server)/api.php?amount=\(amount)"
    if let category { address += "&category=\(category.id)" }
    if let difficulty { address += "&difficulty=\(difficulty.rawValue)" }
    if let kind { address += "&type=\(kind.rawValue)" }
    return "\(address)&encode=\(OpenTriviaEncoding.base64.rawValue)&token=\(token)"
  }

  /// The address that gives a session token.
  var tokenAddress: String { "\(server)/api_token.php?command=request" }

  /// The address that resets a session token: all questions may be returned again.
  func resetAddress(token: String) -> String { "\(server)/api_token.php?command=reset&token=\(token)" }
}

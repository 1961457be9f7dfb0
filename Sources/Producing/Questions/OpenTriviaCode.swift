/// A response code of Open Trivia DB (<https://opentdb.com/api_config.php>, "Response Codes").
public struct OpenTriviaCode: RawRepresentable, Hashable, Sendable {
  /// The number in the answer's `response_code`.
  public var rawValue: Int

  /// A code of this number.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The answer contains the requested questions or token.
  public static let success = OpenTriviaCode(rawValue: 0)
  /// There are fewer questions than asked for.
  public static let noResults = OpenTriviaCode(rawValue: 1)
  /// A parameter is invalid.
  public static let invalidParameter = OpenTriviaCode(rawValue: 2)
  /// The session token does not exist.
  public static let tokenNotFound = OpenTriviaCode(rawValue: 3)
  /// The session token has received every question of the query.
  public static let tokenEmpty = OpenTriviaCode(rawValue: 4)
  /// Calls came faster than one in five seconds.
  public static let rateLimit = OpenTriviaCode(rawValue: 5)

  /// What the code means and what to do about it: one line without a full stop.
  public var message: String {
    switch self {
    case .success: "response code 0: success"
    case .noResults:
      "response code 1: there are not so many questions of this kind; ask for fewer, or for any category, difficulty and type"
    case .invalidParameter: "response code 2: a parameter is not understood; check the amount, category, difficulty and type"
    case .tokenNotFound:
      "response code 3: the session token does not exist (one is forgotten after 6 hours without use); ask for a new one"
    case .tokenEmpty: "response code 4: this session token has had every question of this kind; reset it, or ask for others"
    case .rateLimit: "response code 5: too many calls; there is one in 5 seconds for each address, so wait and call again"
    default: "response code \(rawValue), which is unknown"
    }
  }
}

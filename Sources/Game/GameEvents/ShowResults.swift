import Basics

/// The result of a question.
public struct ShowResults: Equatable, Sendable {
  /// The question that it belongs to.
  public var questionGuid: GUID
  /// The question's place in its game, from 1.
  public var questionNumber: Int
  /// The right answer; `nil` if no answer is right, as in a poll, or if it is not known yet, as in a prediction.
  public var right: RightAnswer?
  /// What opens the question's seal: see ``AnswerSeal``.
  public var salt: String?
  /// How many players chose each answer; for an order, how many had it in its right place.
  public var counts: [Int]?
  /// How many players gave which numbers.
  public var histogram: Histogram?
  /// The texts that most players gave, and how many gave others.
  public var texts: TextCounts?
  /// The points that each answer is worth.
  public var points: [Int]?
  /// Why the answer is right.
  public var explanation: String?
  /// Where to read more.
  public var url: String?
  /// The best players so far.
  public var leaderboard: [LeaderboardEntry]?

  /// The result of a question.
  public init(
    questionGuid: GUID, questionNumber: Int, right: RightAnswer?, salt: String? = nil, counts: [Int]? = nil, histogram: Histogram? = nil,
    texts: TextCounts? = nil, points: [Int]? = nil, explanation: String? = nil, url: String? = nil, leaderboard: [LeaderboardEntry]? = nil
  ) {
    self.questionGuid = questionGuid
    self.questionNumber = questionNumber
    self.right = right
    self.salt = salt
    self.counts = counts
    self.histogram = histogram
    self.texts = texts
    self.points = points
    self.explanation = explanation
    self.url = url
    self.leaderboard = leaderboard
  }

  /// The result of a question with one right answer, by its index, or with none.
  public init(
    questionGuid: GUID, questionNumber: Int, correctAnswer: Int?, salt: String? = nil, counts: [Int]? = nil, points: [Int]? = nil,
    explanation: String? = nil, url: String? = nil, leaderboard: [LeaderboardEntry]? = nil
  ) {
    self.init(
      questionGuid: questionGuid, questionNumber: questionNumber, right: correctAnswer.map { .one($0) }, salt: salt, counts: counts,
      points: points, explanation: explanation, url: url, leaderboard: leaderboard)
  }

  /// The index of the right answer, where there is exactly one of the answers.
  public var correctAnswer: Int? {
    get { right?.index }
    set { right = newValue.map { .one($0) } }
  }

  /// Whether both are equal; texts are compared byte by byte.
  public static func == (left: ShowResults, right: ShowResults) -> Bool {
    left.questionNumber == right.questionNumber && left.right == right.right && left.counts == right.counts
      && left.points == right.points && left.questionGuid == right.questionGuid && left.salt.hasSameBytes(as: right.salt)
      && left.explanation.hasSameBytes(as: right.explanation) && left.url.hasSameBytes(as: right.url)
      && left.leaderboard == right.leaderboard && left.histogram == right.histogram && left.texts == right.texts
  }
}

extension ShowResults {
  init(from fields: inout EventFields) throws(EventError) {
    questionGuid = try EventFields.require(try fields.guid("questionGuid"), "questionGuid")
    questionNumber = try EventFields.require(try fields.integer("questionNumber", atLeast: 1), "questionNumber")
    right = try RightAnswer.read(from: &fields)
    salt = try fields.text("salt")
    counts = try fields.integers("counts", atLeast: 0)
    histogram = try Histogram.read(from: &fields)
    texts = try TextCounts.read(from: &fields)
    points = try fields.integers("points")
    explanation = try fields.text("explanation")
    url = try fields.text("url")
    leaderboard = try LeaderboardEntry.list(from: &fields)
  }

  func write(to object: inout JSONObject) {
    object.append("questionGuid", questionGuid.text)
    object.append("questionNumber", questionNumber)
    if let right { object.append(right.key, right.json) }
    if let salt { object.append("salt", salt) }
    if let counts { object.append("counts", counts) }
    if let histogram { object.append("histogram", histogram.object) }
    if let texts { object.append("texts", texts.object) }
    if let points { object.append("points", points) }
    if let explanation { object.append("explanation", explanation) }
    if let url { object.append("url", url) }
    LeaderboardEntry.write(leaderboard, to: &object)
  }
}

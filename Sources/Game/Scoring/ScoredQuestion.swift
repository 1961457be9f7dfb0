public import Basics
public import GameEvents

/// The properties of a question that affect points.
public struct ScoredQuestion: Equatable, Sendable {
  /// The event that asked it.
  public var guid: GUID
  /// Its number in the game, from 1.
  public var number: Int
  /// Which answers it takes.
  public var form: AnswerForm
  /// How they are graded.
  public var grading: Grading
  /// The points of an answer that is right and immediate; `nil` for those of the rules.
  public var worth: Int?
  /// When it opens for answers, on the programme's timeline.
  public var opensAt: MediaTime
  /// When it closes, exclusively.
  public var closesAt: MediaTime
  /// How long it was meant to take answers: another event may have closed it sooner.
  public var allottedTime: MediaTime
  /// The right answer; `nil` until it is known, and in a poll. If it is none of the answers, nobody is right.
  public var right: RightAnswer?
  /// The points that each answer is worth, if the result states them.
  public var points: [Int]?
  /// The event with the right answer, if one has arrived.
  public var result: GUID?

  /// A question that by default takes answers for the allotted time.
  public init(
    guid: GUID, number: Int, form: AnswerForm, grading: Grading = Grading(), worth: Int? = nil, opensAt: MediaTime,
    allottedTime: MediaTime, closesAt: MediaTime? = nil, right: RightAnswer? = nil, points: [Int]? = nil, result: GUID? = nil
  ) {
    self.guid = guid
    self.number = number
    self.form = form
    self.grading = grading
    self.worth = worth
    self.opensAt = opensAt
    self.allottedTime = allottedTime
    self.closesAt = closesAt ?? opensAt + allottedTime
    self.right = right
    self.points = points
    self.result = result
  }

  /// A question that takes one of `answerCount` answers, one of which may be right.
  public init(
    guid: GUID, number: Int, answerCount: Int, opensAt: MediaTime, allottedTime: MediaTime, closesAt: MediaTime? = nil,
    correctAnswer: Int? = nil, points: [Int]? = nil, result: GUID? = nil
  ) {
    self.init(
      guid: guid, number: number, form: .one(of: answerCount), opensAt: opensAt, allottedTime: allottedTime, closesAt: closesAt,
      right: correctAnswer.map { .one($0) }, points: points, result: result)
  }

  /// How many answers there are to choose from; 0 where they are no list.
  public var answerCount: Int { form.choiceCount }

  /// The index of the right answer, where there is exactly one of the answers.
  public var correctAnswer: Int? {
    get { right?.index }
    set { right = newValue.map { .one($0) } }
  }

  /// Marks its answers; `nil` until the right one is known.
  func marking(nearest: UInt64?, texts: TextTable?) -> Marking? {
    right.map { Marking(form: form, grading: grading, right: $0, nearest: nearest, texts: texts) }
  }

  /// Whether its answers depend on each other: the nearest numbers are right.
  var comparesAnswers: Bool { if case .number = form { grading.within == nil } else { false } }

  /// Whether this one comes before the other in the game: it opened earlier, or at the same time and has the smaller number or identifier.
  func precedes(_ other: ScoredQuestion) -> Bool {
    if opensAt != other.opensAt { return opensAt < other.opensAt }
    if number != other.number { return number < other.number }
    return guid.text.utf8.lexicographicallyPrecedes(other.guid.text.utf8)
  }
}

public import Basics
public import GameEvents

/// The properties of a question that affect points.
public struct ScoredQuestion: Equatable, Sendable {
  /// The event that asked it.
  public var guid: GUID
  /// Its number in the game, from 1.
  public var number: Int
  /// How many answers there are to choose from.
  public var answerCount: Int
  /// When it opens for answers, on the programme's timeline.
  public var opensAt: MediaTime
  /// When it closes, exclusively.
  public var closesAt: MediaTime
  /// How long it was meant to take answers: another event may have closed it sooner.
  public var allottedTime: MediaTime
  /// The index of the right answer; `nil` until it is known. If it is none of the answers, nobody is right.
  public var correctAnswer: Int?
  /// The points that each answer is worth, if the result states them.
  public var points: [Int]?
  /// The event with the right answer, if one has arrived.
  public var result: GUID?

  /// A question that by default takes answers for the allotted time.
  public init(
    guid: GUID, number: Int, answerCount: Int, opensAt: MediaTime, allottedTime: MediaTime, closesAt: MediaTime? = nil,
    correctAnswer: Int? = nil, points: [Int]? = nil, result: GUID? = nil
  ) {
    self.guid = guid
    self.number = number
    self.answerCount = answerCount
    self.opensAt = opensAt
    self.allottedTime = allottedTime
    self.closesAt = closesAt ?? opensAt + allottedTime
    self.correctAnswer = correctAnswer
    self.points = points
    self.result = result
  }

  /// Whether this one comes before the other in the game: it opened earlier, or at the same time and has the smaller number or identifier.
  func precedes(_ other: ScoredQuestion) -> Bool {
    if opensAt != other.opensAt { return opensAt < other.opensAt }
    if number != other.number { return number < other.number }
    return guid.text.utf8.lexicographicallyPrecedes(other.guid.text.utf8)
  }
}

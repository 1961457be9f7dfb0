public import Basics

/// A question takes answers for longer, or for less long, than it was asked for.
public struct AdjustTime: Equatable, Sendable {
  /// The question.
  public var questionGuid: GUID
  /// How long it takes answers, from its own event on. It ends at this event at the earliest: zero ends it at once.
  public var allottedTime: MediaTime

  /// A question's new time for answers.
  public init(questionGuid: GUID, allottedTime: MediaTime) {
    self.questionGuid = questionGuid
    self.allottedTime = allottedTime
  }

  /// When a question takes no more answers by what this event says.
  ///
  /// - Parameters:
  ///   - opensAt: When the question was asked.
  ///   - time: When this event happens.
  package func end(ofQuestionFrom opensAt: MediaTime, adjustedAt time: MediaTime) -> MediaTime { max(opensAt + allottedTime, time) }
}

extension AdjustTime {
  init(from fields: inout EventFields) throws(EventError) {
    questionGuid = try EventFields.require(try fields.guid("questionGuid"), "questionGuid")
    allottedTime = try EventFields.require(try fields.duration("allottedTime"), "allottedTime")
  }

  func write(to object: inout JSONObject) {
    object.append("questionGuid", questionGuid.text)
    object.append("allottedTime", allottedTime)
  }
}

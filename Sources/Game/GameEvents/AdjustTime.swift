public import Basics

/// Lengthens or shortens the time in which a question takes answers.
public struct AdjustTime: Equatable, Sendable {
  /// The question.
  public var questionGuid: GUID
  /// How long the question takes answers, from its own event on. It never ends before this event, so zero ends it at once.
  public var allottedTime: MediaTime

  /// A question's new time for answers.
  public init(questionGuid: GUID, allottedTime: MediaTime) {
    self.questionGuid = questionGuid
    self.allottedTime = allottedTime
  }

  /// When a question stops taking answers according to this event.
  ///
  /// - Parameters:
  ///   - opensAt: When the question was asked.
  ///   - time: When this event happens.
  package func end(ofQuestionFrom opensAt: MediaTime, adjustedAt time: MediaTime) -> MediaTime {
    Self.end(ofQuestionFrom: opensAt, allottedTime: allottedTime, adjustedAt: time)
  }

  /// When a question stops taking answers that takes them for another time from `opensAt` on, as an event at `time` says.
  package static func end(ofQuestionFrom opensAt: MediaTime, allottedTime: MediaTime, adjustedAt time: MediaTime) -> MediaTime {
    max(opensAt + allottedTime, time)
  }
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

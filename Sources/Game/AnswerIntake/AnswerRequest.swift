package import Basics
package import GameEvents

/// An answer in a player's request.
package struct AnswerRequest: Equatable, Sendable {
  /// The event that asked the question.
  package var question: GUID
  /// The answer.
  package var answer: GivenAnswer
  /// The programme's time at the player's own position.
  package var time: MediaTime

  /// An answer.
  package init(question: GUID, answer: GivenAnswer, time: MediaTime) { (self.question, self.answer, self.time) = (question, answer, time) }

  /// What is wrong with a request.
  package enum Mistake: Error, Equatable, Sendable {
    /// It is no JSON.
    case notJSON(ParseError)
    /// The value at this JSON pointer is missing or wrong; the text says how.
    case invalid(_ pointer: String, String)
  }

  /// The maximum number of answers in a request.
  package static let most = 16
  private static let limits = JSONLimits(depth: 4, bytes: 4 << 10, members: 128)

  /// Reads a request: `{"answers":[{"question":"GUID","answer":1,"at":12.345}]}`. An answer is an index, a list of indices, a number, or a
  /// text.
  ///
  /// - Throws: ``Mistake``.
  package static func list(_ body: [UInt8]) throws(Mistake) -> [AnswerRequest] {
    let value: JSONValue
    do throws(ParseError) { value = try JSONValue(parsing: body, limits: limits) } catch { throw .notJSON(error) }
    guard let list = value.object?["answers"]?.array, (1...most).contains(list.count) else {
      throw .invalid("/answers", "write a list of 1 to \(most) answers")
    }
    var requests: [AnswerRequest] = []
    for (index, value) in list.enumerated() {
      guard let object = value.object else { throw .invalid("/answers/\(index)", "an object is expected here") }
      guard let question = object["question"]?.string.flatMap({ GUID($0) }) else {
        throw .invalid("/answers/\(index)/question", "write the question's guid")
      }
      guard let answer = object["answer"].flatMap({ GivenAnswer(json: $0) }) else {
        throw .invalid(
          "/answers/\(index)/answer",
          "write the index of an answer, from 0, a list of indices, a number, or a text of 1 to \(AnswerText.largestLength) characters")
      }
      guard let time = object["at"]?.number.flatMap({ MediaTime(decimalSeconds: $0.text) }) else {
        throw .invalid("/answers/\(index)/at", "write the seconds of the programme at your position")
      }
      requests.append(AnswerRequest(question: question, answer: answer, time: time))
    }
    return requests
  }
}

public import Basics
public import GameEvents

/// One line of an audience's recorded actions (NDJSON).
///
/// ```
/// {"player":"ann"}
/// {"player":"ben","joinedAt":12.5}
/// {"player":"ann","question":2,"answer":1,"time":14.25}
/// {"player":"ann","question":2,"answer":0,"time":14.1,"arrival":3}
/// ```
///
/// `question` is the number of a question, from 1, or the GUID of the event that asked it. `answer` is the index of the answer, from 0, as
/// `correctAnswer` is on the wire; a list of indices for several answers and for an order; a number; or a text. `time` and `joinedAt` are seconds of the programme at the player's own position. `arrival` is the answer's
/// place in the order in which a server has received the answers: of a player's answers to a question the one that arrived last counts. Other keys
/// are ignored.
public enum AudienceRecord: Equatable, Sendable {
  /// A player joins; `nil` for the beginning.
  case join(nickname: String, at: MediaTime?)
  /// A player answers.
  ///
  /// `arrival` is its place in the order in which the answers arrived at a server; `nil` if that order was not recorded.
  case answer(nickname: String, question: QuestionReference, answer: GivenAnswer, time: MediaTime, arrival: Int64? = nil)

  /// The longest line that is read, in bytes. Every line that is written is far shorter.
  public static let largestLength = 4_096

  /// Reads a line, without its end.
  ///
  /// - Throws: ``AudienceRecordError`` for anything that is not a record.
  public init(parsing line: [UInt8]) throws(AudienceRecordError) { try self.init(parsing: line.view) }

  /// Reads a line, without its end.
  ///
  /// - Throws: ``AudienceRecordError`` for anything that is not a record.
  public init(parsing line: Span<UInt8>) throws(AudienceRecordError) {
    guard line.count <= Self.largestLength else { throw .tooLong }
    let value: JSONValue
    do throws(ParseError) { value = try JSONValue(parsing: line) } catch { throw .notJSON("\(error)") }
    guard let object = value.object else { throw .notAnObject }
    guard let nickname = object["player"]?.string else { throw .invalid(key: "player", expected: "a nickname in quotation marks") }
    let isAnswer = object["question"] != nil || object["answer"] != nil || object["time"] != nil
    guard isAnswer else {
      self = .join(nickname: nickname, at: object["joinedAt"] == nil ? nil : try Self.time("joinedAt", in: object))
      return
    }
    guard let question = object["question"].flatMap({ QuestionReference($0) }) else {
      throw .invalid(key: "question", expected: "the number of a question, from 1, or its GUID in quotation marks")
    }
    guard let answer = object["answer"].flatMap({ GivenAnswer(json: $0) }) else {
      throw .invalid(
        key: "answer",
        expected: "the index of an answer, from 0, a list of indices, a number, or a text of 1 to \(AnswerText.largestLength) characters")
    }
    self = .answer(
      nickname: nickname, question: question, answer: answer, time: try Self.time("time", in: object), arrival: try Self.arrival(object))
  }

  private static func arrival(_ object: JSONObject) throws(AudienceRecordError) -> Int64? {
    guard let value = object["arrival"] else { return nil }
    guard let number = value.int, number >= 0 else { throw .invalid(key: "arrival", expected: "the place in the order of arrival, from 0") }
    return Int64(number)
  }

  private static func time(_ key: String, in object: JSONObject) throws(AudienceRecordError) -> MediaTime {
    guard let number = object[key]?.number, let time = MediaTime(decimalSeconds: number.text) else {
      throw .invalid(key: key, expected: "seconds of the programme")
    }
    return time
  }

  /// The record as a line, without its end. Reading it gives the same record.
  public var line: String {
    var object = JSONObject()
    switch self {
    case .join(let nickname, let time):
      object.append("player", .string(nickname))
      if let time { Self.append("joinedAt", time, to: &object) }
    case .answer(let nickname, let question, let answer, let time, let arrival):
      object.append("player", .string(nickname))
      switch question {
      case .number(let number): object.append("question", .number(JSONNumber(number)))
      case .guid(let guid): object.append("question", .string(guid.text))
      }
      object.append("answer", answer.json)
      Self.append("time", time, to: &object)
      if let arrival, let number = JSONNumber("\(arrival)") { object.append("arrival", .number(number)) }
    }
    return object.text
  }

  private static func append(_ key: String, _ time: MediaTime, to object: inout JSONObject) {
    if let number = JSONNumber(time.shortestDecimalSeconds) { object.append(key, .number(number)) }
  }
}

/// How a record refers to a question.
public enum QuestionReference: Hashable, Sendable {
  /// The question of this number, from 1.
  case number(Int)
  /// The question that this event asked.
  case guid(GUID)

  init?(_ value: JSONValue) {
    if let number = value.int, number >= 1 {
      self = .number(number)
    } else if let text = value.string, let guid = GUID(text) {
      self = .guid(guid)
    } else {
      return nil
    }
  }
}

/// Why a line is not a record of an audience.
public enum AudienceRecordError: Error, Equatable, Sendable, CustomStringConvertible {
  /// It has more than ``AudienceRecord/largestLength`` bytes.
  case tooLong
  /// It is not JSON; the text says where.
  case notJSON(String)
  /// It is another JSON value.
  case notAnObject
  /// A key is missing or has another value than is expected.
  case invalid(key: String, expected: String)

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .tooLong: "the line has more than \(AudienceRecord.largestLength) bytes; write one answer a line"
    case .notJSON(let reason): "this is no JSON: \(reason)"
    case .notAnObject: "the line is no JSON object; write {\"player\":\"ann\",\"question\":1,\"answer\":0,\"time\":12.5}"
    case .invalid(let key, let expected): "\"\(key)\" is missing or wrong; write \(expected)"
    }
  }
}

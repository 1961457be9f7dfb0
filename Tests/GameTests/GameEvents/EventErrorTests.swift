import Basics
import GameEvents
import Testing

/// Texts that are no events, and events that cannot be used.
@Suite struct EventErrorTests {
  private static func error(_ text: String, description: String = "") -> EventError? {
    do throws(EventError) {
      _ = try EventCopy(parsing: text, description: description)
      return nil
    } catch {
      return error
    }
  }

  /// The keys that each type must have.
  private static let required: [(type: String, keys: [(name: String, value: String)])] = [
    ("startGame", [("title", #""T""#), ("totalQuestions", "3")]),
    ("askQuestion", [("question", #""?""#), ("answers", #"["A","B"]"#), ("questionNumber", "1"), ("allottedTime", "10")]),
    ("adjustTime", [("questionGuid", #""q""#), ("allottedTime", "10")]), ("periodicInfo", [("viewers", "5")]),
    ("showResults", [("questionGuid", #""q""#), ("questionNumber", "1")]),
    ("endGame", [("totalQuestions", "3")]),
  ]

  private static func text(_ type: String, _ keys: [(name: String, value: String)]) -> String {
    #"{"eventType":"\#(type)","guid":"g""# + keys.map { #","\#($0.name)":\#($0.value)"# }.joined() + "}"
  }

  @Test func aMissingKeyIsNamed() {
    for (type, keys) in Self.required {
      #expect(Self.error(Self.text(type, keys)) == nil)
      for missing in keys {
        #expect(Self.error(Self.text(type, keys.filter { $0.name != missing.name })) == .missing(key: missing.name))
      }
    }
  }

  static let invalid: [(type: String, key: String, value: String, expected: String)] = [
    ("startGame", "title", "3", "a string"), ("startGame", "title", "null", "a string"),
    ("startGame", "totalQuestions", "-1", "an integer from 0"), ("startGame", "totalQuestions", "1.5", "an integer from 0"),
    ("startGame", "totalQuestions", #""3""#, "an integer from 0"), ("startGame", "totalQuestions", "1e30", "an integer from 0"),
    ("startGame", "startsIn", "-1", "seconds from 0"), ("startGame", "startsIn", "1e10", "seconds from 0"),
    ("startGame", "startsAt", "1", "a string"), ("askQuestion", "question", "[]", "a string"),
    ("askQuestion", "answers", #""A""#, "a list of strings"), ("askQuestion", "answers", #"["A",2]"#, "a list of strings"),
    ("askQuestion", "answers", #"["A"]"#, "a list of 2 to 12 different strings"),
    ("askQuestion", "answers", #"["A","B","A"]"#, "a list of 2 to 12 different strings"),
    ("askQuestion", "answers", #"["1","2","3","4","5","6","7","8","9","10","11","12","13"]"#, "a list of 2 to 12 different strings"),
    ("askQuestion", "questionNumber", "0", "an integer from 1"), ("askQuestion", "totalQuestions", "-1", "an integer from 0"),
    ("askQuestion", "allottedTime", #""10""#, "seconds from 0"), ("askQuestion", "allottedTime", "-0.1", "seconds from 0"),
    ("askQuestion", "category", "1", "a string"), ("askQuestion", "difficulty", "1", "a string"), ("askQuestion", "seal", "1", "a string"),
    ("askQuestion", "correctAnswer", "-1", "an integer from 0"), ("askQuestion", "correctAnswer", "2", "the index of one of the answers"),
    ("adjustTime", "questionGuid", "1", "a string of 1 to 128 bytes"), ("adjustTime", "allottedTime", "-1", "seconds from 0"),
    ("periodicInfo", "viewers", "-1", "an integer from 0"), ("periodicInfo", "players", "true", "an integer from 0"),
    ("showResults", "questionGuid", #""""#, "a string of 1 to 128 bytes"), ("showResults", "questionNumber", "0", "an integer from 1"),
    ("showResults", "correctAnswer", "-1", "an integer from 0"), ("showResults", "salt", "1", "a string"),
    ("showResults", "counts", "[1,-1]", "a list of integers"), ("showResults", "points", "[0.5]", "a list of integers"),
    ("showResults", "explanation", "{}", "a string"), ("showResults", "url", "1", "a string"),
    ("showResults", "leaderboard", #"[{"nickname":"A"}]"#, "a list of objects with \"nickname\" and \"score\""),
    ("endGame", "leaderboard", #"[{"nickname":1,"score":1}]"#, "a list of objects with \"nickname\" and \"score\""),
    ("endGame", "winners", #"[1]"#, "a list of strings"), ("endGame", "totalQuestions", "-1", "an integer from 0"),
    ("endGame", "game", "1", "a string"), ("endGame", "sequence", "0", "an integer from 1"), ("endGame", "at", #""2""#, "seconds"),
    ("endGame", "at", "1e10", "seconds"), ("endGame", "copy", "0", "an integer from 1"), ("endGame", "copies", "0", "an integer from 1"),
    ("endGame", "age", "-0.1", "seconds from 0"), ("endGame", "age", "86400.1", "seconds from 0"),
    ("poll", "sequence", "-3", "an integer from 1"),
  ]

  @Test(arguments: invalid)
  func anInvalidValueIsNamed(type: String, key: String, value: String, expected: String) {
    let required = Self.required.first { $0.type == type }?.keys ?? []
    let keys = required.filter { $0.name != key } + [(name: key, value: value)]
    #expect(Self.error(Self.text(type, keys)) == .invalid(key: key, expected: expected))
  }

  @Test func theEnvelopesTypesAreChecked() {
    let guid = EventError.invalid(key: "guid", expected: "a string of 1 to 128 bytes")
    #expect(Self.error(#"{"eventType":"poll","guid":""}"#) == guid)
    #expect(Self.error(#"{"eventType":"poll","guid":7}"#) == guid)
    #expect(Self.error(#"{"eventType":7,"guid":"g"}"#) == .invalid(key: "eventType", expected: "a string"))
  }

  @Test func aGUIDHas1To128Bytes() throws {
    let longest = String(repeating: "ä", count: 64)
    #expect(try EventCopy(parsing: #"{"eventType":"poll","guid":"\#(longest)"}"#, description: "").event.guid.text == longest)
    #expect(GUID(longest + "x") == nil)
    #expect(GUID("") == nil)
    #expect(GUID("x")?.description == "x")
  }

  @Test func anAgeIsAtMostADay() throws {
    for (text, age) in [("0", MediaTime.zero), ("86400.000000", EventCopy.largestAge), ("0.00001", MediaTime(ticks: 1))] {
      #expect(try EventCopy(parsing: #"{"eventType":"poll","guid":"g","age":\#(text)}"#, description: "").age == age)
    }
  }

  @Test(arguments: [
    ("", "", EventError.notAnEvent), ("Hello", "", .notAnEvent), ("[1]", "", .notAnEvent), ("{}", "comment", .notAnEvent),
    (#"{"guid":"g"}"#, "", .notAnEvent), (#"{"title":"x"}"#, "", .notAnEvent), (#"{"eventType":"poll"}"#, "", .missing(key: "guid")),
    ("{}", "endGame", .missing(key: "guid")), ("", "endGame", .json(ParseError(.truncated(needed: 1, available: 0), at: 0))),
    (#"{"eventType":"#, "x", .json(ParseError(.truncated(needed: 1, available: 0), at: 13))),
    ("[1]", "endGame", .json(ParseError(.invalid("no JSON object"), at: 0))),
    (#"{"guid":"a","guid":"b"}"#, "endGame", .json(ParseError(.invalid("a key occurs twice in one object"), at: 12))),
  ])
  func otherTextsAreToldFromBrokenEvents(text: String, description: String, expected: EventError) {
    #expect(Self.error(text, description: description) == expected)
  }

  @Test func everyErrorSaysWhatIsWrong() {
    #expect("\(EventError.notAnEvent)" == "no event")
    #expect("\(EventError.json(ParseError(.invalid("no UTF-8"), at: 3)))" == "broken JSON: no UTF-8 (at byte 3)")
    #expect("\(EventError.checksumMismatch)" == "the checksum does not match: the copy is damaged")
    #expect("\(EventError.missing(key: "guid"))" == #""guid" is missing"#)
    #expect("\(EventError.invalid(key: "at", expected: "seconds"))" == #""at" is not seconds"#)
    #expect("\(EventError.tag(ParseError(.invalid("a NUL"), at: 0)))" == "the ID3 tag cannot be written or read: a NUL (at byte 0)")
  }
}

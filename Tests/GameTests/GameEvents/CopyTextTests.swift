import Basics
import GameEvents
import Testing

/// Copies and their JSON, both ways.
@Suite struct CopyTextTests {
  @Test(arguments: copyTexts) func isWritten(_ row: CopyText) { #expect(row.copy.text == row.text) }

  @Test(arguments: copyTexts) func isRead(_ row: CopyText) throws {
    let copy = try EventCopy(parsing: row.text, description: "whatever")
    #expect(copy == row.copy)
    // The order of unknown keys is no part of equality.
    #expect(copy.event.unknownKeys.text == row.copy.event.unknownKeys.text)
    #expect(copy.text == row.text)
  }

  @Test func theChecksumIsThatOfTheBytesBeforeItsComma() {
    // From a table of known CRC-32/MPEG-2 values, so that the rows above do not hang on one implementation.
    #expect(CRC32MPEG2.checksum("123456789") == 0x0376_E6E7)
    #expect(EventCopy(of: Sample.end(game: nil)).text.hasSuffix(#","totalQuestions":3,"crc":"6354cdb4"}"#))
  }

  @Test func aRefreshHasANumberAboveItsBurst() {
    #expect(EventCopy(of: Sample.start(), copy: 4, copies: 3).isRefresh)
    #expect(!EventCopy(of: Sample.start(), copy: 3, copies: 3).isRefresh)
  }

  @Test func spaceAndOtherOrderAreRead() throws {
    let copy = try EventCopy(
      parsing: #" { "totalQuestions" : 3.0 , "sequence" : 20e-1, "guid" : "end", "at": 1e1, "eventType":"endGame","game":"friday" } "#,
      description: "")
    #expect(copy == EventCopy(of: Sample.end(sequence: 2, at: 10), isVerified: false))
  }

  @Test func keysMadeByHandNeverComeTwice() throws {
    var object = JSONObject()
    for key in ["eventType", "guid", "game", "copy", "copies", "age", "viewers", "crc", "own"] { object.append(key, .string("unknown")) }
    let event = GameEvent(guid: .of("i"), game: "friday", content: .periodicInfo(PeriodicInfo(viewers: 5)), unknownKeys: object)
    let own = JSONObject([.init(key: "own", value: .string("unknown"))])
    #expect(
      try EventCopy(parsing: EventCopy(of: event).text, description: "")
        == EventCopy(of: GameEvent(guid: .of("i"), game: "friday", content: event.content, unknownKeys: own)))

    let custom = GameEvent(guid: .of("i"), content: .custom(EventType("poll"), object))
    let kept = JSONObject([.init(key: "viewers", value: .string("unknown"))] + own.members)
    let text = EventCopy(of: custom).text
    // The poll's `game` is the envelope's, once it is read.
    #expect(
      try EventCopy(parsing: text, description: "")
        == EventCopy(of: GameEvent(guid: .of("i"), game: "unknown", content: .custom(EventType("poll"), kept))))

    let entry = LeaderboardEntry(nickname: "Ann", score: 1, unknownKeys: JSONObject([.init(key: "score", value: .null)]))
    let end = GameEvent(guid: .of("e"), content: .endGame(EndGame(totalQuestions: 1, leaderboard: [entry])))
    #expect(EventCopy(of: end).text.contains(#"[{"nickname":"Ann","score":1}]"#))
  }

  @Test(arguments: [("é", "e\u{301}"), ("K", "\u{212A}"), ("", "\u{0}"), ("a", "b")])
  func textsAreComparedByteByByte(one: String, other: String) throws {
    func events(_ text: String) -> [EventContent] {
      let ask = AskQuestion(
        question: "?", answers: ["A", "B"], questionNumber: 1, allottedTime: .zero, category: "c", difficulty: "d", seal: "s")
      let show = ShowResults(questionGuid: .of("q"), questionNumber: 1, correctAnswer: 0, salt: "s", explanation: "e", url: "u")
      let entry = LeaderboardEntry(nickname: "n", score: 1)
      func changed<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
        var value = value
        change(&value)
        return value
      }
      return [
        .startGame(StartGame(title: text, totalQuestions: 1)), .startGame(StartGame(title: "", totalQuestions: 1, startsAt: text)),
        .askQuestion(changed(ask) { $0.question = text }), .askQuestion(changed(ask) { $0.answers = ["A", text + "B"] }),
        .askQuestion(changed(ask) { $0.category = text }), .askQuestion(changed(ask) { $0.difficulty = text }),
        .askQuestion(changed(ask) { $0.seal = text }), .showResults(changed(show) { $0.questionGuid = .of(text + "g") }),
        .showResults(changed(show) { $0.salt = text }), .showResults(changed(show) { $0.explanation = text }),
        .showResults(changed(show) { $0.url = text }),
        .showResults(changed(show) { $0.leaderboard = [changed(entry) { $0.nickname = text }] }),
        .endGame(EndGame(totalQuestions: 1, winners: [text])), .custom(EventType(text), JSONObject()),
        .custom(EventType("poll"), JSONObject([.init(key: text, value: .null)])),
      ]
    }
    for (left, right) in zip(events(one), events(other)) {
      #expect(left == left)
      #expect(left != right)
    }
    #expect(GameID(one) != GameID(other))
    #expect(Set([GameID(one), GameID(other), GameID(one)]).count == 2)
    #expect(Sample.start(game: one) != Sample.start(game: other))
  }

  @Test func everyFieldCounts() {
    // All rows are different, and each of one type differs from the others of its type in more than its GUID.
    for (index, row) in copyTexts.enumerated() {
      for (otherIndex, other) in copyTexts.enumerated() {
        #expect((row.copy.event.content == other.copy.event.content) == (index == otherIndex))
      }
    }
    let ask = AskQuestion(question: "?", answers: ["A", "B"], questionNumber: 1, allottedTime: .zero)
    for change: (inout AskQuestion) -> Void in [
      { $0.question = "" }, { $0.answers = ["A"] }, { $0.questionNumber = 2 }, { $0.totalQuestions = 1 }, { $0.allottedTime = .seconds(1) },
      { $0.category = "" }, { $0.difficulty = "" }, { $0.correctAnswer = 0 }, { $0.seal = "" },
    ] {
      var changed = ask
      change(&changed)
      #expect(changed != ask)
    }
    let show = ShowResults(questionGuid: .of("q"), questionNumber: 1, correctAnswer: 0)
    for change: (inout ShowResults) -> Void in [
      { $0.questionGuid = .of("Q") }, { $0.questionNumber = 2 }, { $0.correctAnswer = 1 }, { $0.salt = "" }, { $0.counts = [] },
      { $0.points = [] }, { $0.explanation = "" }, { $0.url = "" }, { $0.leaderboard = [] },
    ] {
      var changed = show
      change(&changed)
      #expect(changed != show)
    }
    let start = StartGame(title: "", totalQuestions: 1)
    #expect(start != StartGame(title: "", totalQuestions: 2))
    #expect(start != StartGame(title: "", totalQuestions: 1, startsIn: .zero))
    #expect(start != StartGame(title: "", totalQuestions: 1, startsAt: ""))
    let end = EndGame(totalQuestions: 1)
    #expect(end != EndGame(totalQuestions: 1, winners: []))
    #expect(end != EndGame(totalQuestions: 1, leaderboard: []))
    #expect(LeaderboardEntry(nickname: "", score: 1) != LeaderboardEntry(nickname: "", score: 2))
  }
}

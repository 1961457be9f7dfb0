import Basics
import CueSheet
import EventSchedule
import GameEvents
import Seals
import Sheets
import TestSupport
import Testing

/// The identifiers, salts and seals expected here were computed with another implementation (Python's uuid, hmac and hashlib).
@Suite struct SampleTests {
  private let game = "quick-round"

  private func metals(correctAnswer: Int? = nil, seal: String? = nil) -> EventContent {
    .askQuestion(
      AskQuestion(
        question: "Which metal is liquid at room temperature?", answers: ["Iron", "Mercury", "Gold"], questionNumber: 1, totalQuestions: 2,
        allottedTime: MediaTime(seconds: 5), correctAnswer: correctAnswer, seal: seal))
  }

  private func legs(correctAnswer: Int? = nil, seal: String? = nil) -> EventContent {
    .askQuestion(
      AskQuestion(
        question: "How many legs does a spider have?", answers: ["6", "8", "10"], questionNumber: 2, totalQuestions: 2,
        allottedTime: MediaTime(seconds: 5), correctAnswer: correctAnswer, seal: seal))
  }

  private func results(_ question: String, _ number: Int, salt: String?, _ counts: [Int]) throws -> EventContent {
    let guid = try #require(GUID(question))
    return .showResults(ShowResults(questionGuid: guid, questionNumber: number, correctAnswer: 1, salt: salt, counts: counts))
  }

  private func quickRound(isSealed: Bool) throws -> CueSheet {
    let (first, second) = ("8549f608-7788-56d8-92fb-c4b8e21c0b5c", "460d6b99-3746-5045-8f12-1b02488bb1eb")
    let open = isSealed ? nil : 1
    let events = [
      try GameEvent(
        "b69a28f2-ab17-5e39-a1f5-83967e6311b6", game, 1, at: 90_000, .startGame(StartGame(title: "Quick Round", totalQuestions: 2))),
      try GameEvent(
        first, game, 2, at: 180_000, metals(correctAnswer: open, seal: isSealed ? "S1aAoNRArXmwfEix0KSEBzuJN5kvqotqG7I/hW62QvU=" : nil)),
      try GameEvent(
        "ef85b973-ad89-5fd5-8760-6eabab0eeeef", game, 3, at: 720_000,
        try results(first, 1, salt: isSealed ? "5NuYO6KuVYq+o2v272FuDg==" : nil, [31, 402, 67])),
      try GameEvent(
        second, game, 4, at: 900_000, legs(correctAnswer: open, seal: isSealed ? "tNczEeLiWAG6nYwOrBYAKYrs1sA5w/Xwh+4unIhb65g=" : nil)),
      try GameEvent(
        "639a5ff0-b62f-5d7b-bf55-be90f901473e", game, 5, at: 1_440_000,
        try results(second, 2, salt: isSealed ? "yuv/JOJfIrLhm8eEhgpnBw==" : nil, [58, 344, 12])),
      try GameEvent("05487c06-125d-501e-b228-c314459d35e7", game, 6, at: 1_620_000, .endGame(EndGame(totalQuestions: 2))),
    ]
    return CueSheet(
      game: game, title: "Quick Round", events: events.map { PlannedEvent($0) }, places: (5...10).map { CuePlace(line: $0, column: 5) })
  }

  @Test func quickRound() throws {
    let bytes = try sample("quick-round.yaml")
    #expect(try CueSheet.parse(bytes, policy: CopyPolicy(), answers: .sealed(testKey)) == quickRound(isSealed: true))
    #expect(try CueSheet.parse(bytes, policy: CopyPolicy(), answers: .open) == quickRound(isSealed: false))
  }

  @Test func fridayNightTrivia() throws {
    let sheet = try CueSheet.parse(try sample("friday-night-trivia.yaml"), policy: CopyPolicy(), answers: .sealed(testKey))
    let events = sheet.events.map(\.event)
    #expect(sheet.game == "friday-2026-11-20" && sheet.title == "Friday Night Trivia")
    #expect(events.map(\.sequence) == (1...11).map { $0 })
    #expect(
      events.map { $0.at?.ticks } == [
        0, 225_000, 495_000, 1_260_000, 1_620_000, 2_182_500, 2_430_000, 3_603_600, 4_500_000, 4_680_000, 4_950_000,
      ])
    #expect(sheet.events.map(\.currentFor) == (0..<11).map { $0 == 6 ? MediaTime(seconds: 10) : nil })
    #expect(sheet.places.first == CuePlace(line: 12, column: 5))
    #expect(sheet.problems(programmeDuration: MediaTime(seconds: 56)) == [])

    #expect(
      events[0].content
        == .startGame(
          StartGame(
            title: "Friday Night Trivia", totalQuestions: 3, startsIn: MediaTime(seconds: 5), startsAt: "2026-11-20T20:00:00Z")))
    let counters = try JSONValue(parsing: #"{"likes":311,"averageAge":34.5,"region":"Europe"}"#).object
    var info = try GameEvent(
      "e78632b8-35fd-57bd-809c-51f0792099bf", sheet.game, 2, at: 225_000, .periodicInfo(PeriodicInfo(viewers: 1204, players: 987)))
    info.unknownKeys = try #require(counters)
    #expect(events[1] == info)

    let poll = try JSONValue(
      parsing: """
        {"question":"Which subject shall we play next Friday?","options":["Music","Sports","Space"],\
        "style":{"colour":"#ffcc00","columns":3,"animated":true,"sponsor":null}}
        """)
    #expect(
      try events[6]
        == GameEvent(
          "9e9d56c5-29c4-5fb2-830e-192f4f557a97", sheet.game, 7, at: 2_430_000, .custom(EventType("poll"), try #require(poll.object))))

    guard case .askQuestion(var zero) = events[4].content, case .showResults(let results) = events[5].content else {
      Issue.record("the fifth event is no question or the sixth no result")
      return
    }
    let seal = try #require(zero.seal)
    zero.seal = nil
    #expect(
      zero
        == AskQuestion(
          question: "Is zero an even number?", answers: ["Yes", "No"], questionNumber: 2, totalQuestions: 3,
          allottedTime: MediaTime(seconds: 5), category: "Mathematics", difficulty: "medium"))
    let salt = try #require(results.salt)
    #expect(AnswerSeal.verify(seal: seal, salt: salt, guid: events[4].guid, correctAnswer: 0))
    #expect(
      results
        == ShowResults(
          questionGuid: events[4].guid, questionNumber: 2, correctAnswer: 0, salt: salt, counts: [655, 290], points: [150, 0],
          explanation: "A number is even if dividing it by two leaves no remainder, and dividing zero by two leaves none."))

    let blue = JSONObject([.init(key: "team", value: .string("Blue"))])
    #expect(
      events[10].content
        == .endGame(
          EndGame(
            totalQuestions: 3, winners: ["Ada", "Émile"],
            leaderboard: [
              LeaderboardEntry(nickname: "Ada", score: 450), LeaderboardEntry(nickname: "Émile", score: 450, unknownKeys: blue),
              LeaderboardEntry(nickname: "Grace", score: 350),
            ])))
  }

  @Test func everyEventCanBeReadBack() throws {
    for name in ["quick-round.yaml", "friday-night-trivia.yaml"] {
      let sheet = try CueSheet.parse(try sample(name), policy: CopyPolicy(), answers: .sealed(testKey))
      for planned in sheet.events {
        let copy = EventCopy(of: planned.event, copy: 1, copies: 3)
        #expect(try EventCopy(parsing: copy.text, description: planned.event.type.text) == copy)
      }
    }
  }

  @Test func sameInputSameEvents() throws {
    let bytes = try sample("friday-night-trivia.yaml")
    let sheets = try (0..<2).map { _ in try CueSheet.parse(bytes, policy: CopyPolicy(), answers: .sealed(testKey)) }
    #expect(sheets[0] == sheets[1])
    let other = try CueSheet.parse(bytes, policy: CopyPolicy(), answers: .sealed(.random()))
    #expect(other != sheets[0])
    #expect(other.events.map(\.event.guid) == sheets[0].events.map(\.event.guid))
  }
}

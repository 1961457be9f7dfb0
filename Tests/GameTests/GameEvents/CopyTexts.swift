import Basics
import GameEvents
import Testing

/// Copies and the JSON that each of them is in a stream. Another program computed the checksums.
let copyTexts: [CopyText] = [
  CopyText(
    name: "startGame, all keys",
    copy: EventCopy(
      of: GameEvent(
        guid: .of("s1"), game: "friday", sequence: 1, at: .seconds(2),
        content: .startGame(
          StartGame(title: "Friday \"Night\"", totalQuestions: 10, startsIn: .seconds(90), startsAt: "2026-11-20T20:00:00Z"))),
      copy: 1, copies: 3),
    text: #"""
      {"eventType":"startGame","guid":"s1","game":"friday","sequence":1,"at":2.000000,"copy":1,"copies":3,"age":0.000000,"title":"Friday \"Night\"","totalQuestions":10,"startsIn":90,"startsAt":"2026-11-20T20:00:00Z","crc":"35a0829c"}
      """#),
  CopyText(
    name: "startGame, minimal",
    copy: EventCopy(of: GameEvent(guid: .of("s2"), content: .startGame(StartGame(title: "", totalQuestions: 0)))),
    text: #"""
      {"eventType":"startGame","guid":"s2","copy":1,"copies":1,"age":0.000000,"title":"","totalQuestions":0,"crc":"6e85036c"}
      """#),
  CopyText(
    name: "askQuestion, all keys",
    copy: EventCopy(
      of: GameEvent(
        guid: .of("q3"), game: "friday", sequence: 7, at: .seconds(65),
        content: .askQuestion(
          AskQuestion(
            question: "Größte Stadt? 🏙", answers: ["A", "Ä", "a"], questionNumber: 3, totalQuestions: 10,
            allottedTime: MediaTime(ticks: 1_125_000), category: "Geography", difficulty: "hard", correctAnswer: 2,
            seal: "c2VhbA=="))),
      copy: 2, copies: 3, age: MediaTime(ticks: 3_600)),
    text: #"""
      {"eventType":"askQuestion","guid":"q3","game":"friday","sequence":7,"at":65.000000,"copy":2,"copies":3,"age":0.040000,"question":"Größte Stadt? 🏙","answers":["A","Ä","a"],"questionNumber":3,"totalQuestions":10,"allottedTime":12.5,"category":"Geography","difficulty":"hard","correctAnswer":2,"seal":"c2VhbA==","crc":"768fd57d"}
      """#),
  CopyText(
    name: "askQuestion, minimal",
    copy: EventCopy(
      of: GameEvent(
        guid: .of("q1"),
        content: .askQuestion(
          AskQuestion(question: "?", answers: ["Yes", "No"], questionNumber: 1, allottedTime: .zero)))),
    text: #"""
      {"eventType":"askQuestion","guid":"q1","copy":1,"copies":1,"age":0.000000,"question":"?","answers":["Yes","No"],"questionNumber":1,"allottedTime":0,"crc":"fe5aa9ed"}
      """#),
  CopyText(
    name: "adjustTime",
    copy: EventCopy(
      of: GameEvent(
        guid: .of("t1"), game: "friday", sequence: 4, at: MediaTime(ticks: 1_935_000),
        content: .adjustTime(AdjustTime(questionGuid: .of("q1"), allottedTime: MediaTime(ticks: 1_845_000)))),
      copy: 2, copies: 3, age: MediaTime(ticks: 3_600)),
    text: #"""
      {"eventType":"adjustTime","guid":"t1","game":"friday","sequence":4,"at":21.500000,"copy":2,"copies":3,"age":0.040000,"questionGuid":"q1","allottedTime":20.5,"crc":"770a50b5"}
      """#),
  CopyText(
    name: "periodicInfo, all keys and further counters",
    copy: EventCopy(
      of: GameEvent(
        guid: .of("i1"), game: "friday", sequence: 8, at: .seconds(70),
        content: .periodicInfo(PeriodicInfo(viewers: 1204, players: 800)),
        unknownKeys: JSONObject([
          .init(key: "likes", value: .number(JSONNumber(7))), .init(key: "a", value: .array([.null, .bool(true)])),
        ])),
      copy: 1, copies: 3),
    text: #"""
      {"eventType":"periodicInfo","guid":"i1","game":"friday","sequence":8,"at":70.000000,"copy":1,"copies":3,"age":0.000000,"viewers":1204,"players":800,"likes":7,"a":[null,true],"crc":"20eb9ac3"}
      """#),
  CopyText(
    name: "periodicInfo, minimal",
    copy: EventCopy(of: GameEvent(guid: .of("i2"), content: .periodicInfo(PeriodicInfo(viewers: 0)))),
    text: #"""
      {"eventType":"periodicInfo","guid":"i2","copy":1,"copies":1,"age":0.000000,"viewers":0,"crc":"45a06f09"}
      """#),
  CopyText(
    name: "showResults, all keys, a refresh",
    copy: EventCopy(
      of: GameEvent(
        guid: .of("r3"), game: "friday", sequence: 9, at: .seconds(78),
        content: .showResults(
          ShowResults(
            questionGuid: .of("q3"), questionNumber: 3, correctAnswer: 2, salt: "c2FsdA==", counts: [1, 0, 812], points: [-5, 0, 10],
            explanation: "Because.", url: "https://example.org/?a=1&b=2",
            leaderboard: [
              LeaderboardEntry(
                nickname: "Zoë", score: -3, unknownKeys: JSONObject([.init(key: "flag", value: .string("🇦🇹"))]))
            ]))),
      copy: 6, copies: 3, age: .seconds(4)),
    text: #"""
      {"eventType":"showResults","guid":"r3","game":"friday","sequence":9,"at":78.000000,"copy":6,"copies":3,"age":4.000000,"questionGuid":"q3","questionNumber":3,"correctAnswer":2,"salt":"c2FsdA==","counts":[1,0,812],"points":[-5,0,10],"explanation":"Because.","url":"https://example.org/?a=1&b=2","leaderboard":[{"nickname":"Zoë","score":-3,"flag":"🇦🇹"}],"crc":"c6c7ddc4"}
      """#),
  CopyText(
    name: "showResults, minimal",
    copy: EventCopy(
      of: GameEvent(guid: .of("r1"), content: .showResults(ShowResults(questionGuid: .of("q1"), questionNumber: 1, correctAnswer: 0)))),
    text: #"""
      {"eventType":"showResults","guid":"r1","copy":1,"copies":1,"age":0.000000,"questionGuid":"q1","questionNumber":1,"correctAnswer":0,"crc":"e759d0db"}
      """#),
  CopyText(
    name: "endGame, all keys",
    copy: EventCopy(
      of: GameEvent(
        guid: .of("e1"), game: "friday", sequence: 30, at: .seconds(-1),
        content: .endGame(
          EndGame(totalQuestions: 10, winners: ["Ann", "Bob"], leaderboard: [LeaderboardEntry(nickname: "Ann", score: 9)]))),
      copy: 1, copies: 3),
    text: #"""
      {"eventType":"endGame","guid":"e1","game":"friday","sequence":30,"at":-1.000000,"copy":1,"copies":3,"age":0.000000,"totalQuestions":10,"winners":["Ann","Bob"],"leaderboard":[{"nickname":"Ann","score":9}],"crc":"506ef099"}
      """#),
  CopyText(
    name: "endGame, minimal, empty lists",
    copy: EventCopy(of: GameEvent(guid: .of("e2"), content: .endGame(EndGame(totalQuestions: 0, winners: [], leaderboard: [])))),
    text: #"""
      {"eventType":"endGame","guid":"e2","copy":1,"copies":1,"age":0.000000,"totalQuestions":0,"winners":[],"leaderboard":[],"crc":"4d4871a8"}
      """#),
  CopyText(
    name: "endGame, minimal",
    copy: EventCopy(of: GameEvent(guid: .of("e3"), content: .endGame(EndGame(totalQuestions: 3)))),
    text: #"""
      {"eventType":"endGame","guid":"e3","copy":1,"copies":1,"age":0.000000,"totalQuestions":3,"crc":"2a645077"}
      """#),
  CopyText(
    name: "endGame with a public record",
    copy: EventCopy(of: GameEvent(guid: .of("e4"), content: .endGame(EndGame(totalQuestions: 3, record: "00ff")))),
    text: #"""
      {"eventType":"endGame","guid":"e4","copy":1,"copies":1,"age":0.000000,"totalQuestions":3,"record":"00ff","crc":"40ea83fb"}
      """#),
  CopyText(
    name: "another type, its keys in their order",
    copy: EventCopy(
      of: GameEvent(
        guid: .of("p1"), game: "friday", sequence: 5, at: .seconds(30),
        content: .custom(
          EventType("poll"),
          JSONObject([
            .init(key: "z", value: .string("last\n")), .init(key: "answers", value: .number(.of("1.50"))),
            .init(key: "a", value: .object(JSONObject([.init(key: "guid", value: .null)]))),
          ]))),
      copy: 1, copies: 3),
    text: #"""
      {"eventType":"poll","guid":"p1","game":"friday","sequence":5,"at":30.000000,"copy":1,"copies":3,"age":0.000000,"z":"last\n","answers":1.50,"a":{"guid":null},"crc":"85b6bf50"}
      """#),
  CopyText(
    name: "another type without keys, without a name",
    copy: EventCopy(of: GameEvent(guid: .of("p2"), content: .custom(EventType(""), JSONObject()))),
    text: #"""
      {"eventType":"","guid":"p2","copy":1,"copies":1,"age":0.000000,"crc":"225c1edf"}
      """#),
]

/// A row of the table.
struct CopyText: Sendable, CustomTestStringConvertible {
  var name: String
  var copy: EventCopy
  var text: String

  var testDescription: String { name }
}

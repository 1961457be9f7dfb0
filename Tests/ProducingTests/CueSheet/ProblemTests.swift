import Basics
import CueSheet
import EventSchedule
import Sheets
import Testing

/// Each mistake with its exact place and message.
@Suite struct ProblemTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var text: String
    var problems: [String]

    init(_ text: String, _ problems: String...) {
      self.text = text
      self.problems = problems
    }

    var testDescription: String { problems.first ?? text }
  }

  @Test(arguments: whole + cues + questions + order + identifiers + syntax)
  func mistakesAreReported(_ example: Case) {
    #expect(problems(example.text) == example.problems)
  }

  private static let whole = [
    Case("", "1:1: the cue sheet is empty; write game: and cues:"),
    Case("# nothing\n", "1:1: the cue sheet is empty; write game: and cues:"),
    Case("hello", "1:1: the cue sheet is a single value; write a mapping with game: and cues:"),
    Case("\n- a\n", "2:1: the cue sheet is a list; write a mapping with game: and cues:"),
    Case("title: T\n", "1:1: \"game\" is missing in the cue sheet; add it", "1:1: \"cues\" is missing in the cue sheet; add it"),
    Case("game:\ncues: [{at: 1, event: x}]", "1:6: \"game\" is empty; write a text or leave the key out"),
    Case(
      "game: [a]\ncues: {}", "1:7: \"game\" is a list; write a single text",
      "2:7: \"cues\" is a mapping; write a list of cues, each beginning with a dash"),
    Case("game: g\ncues: []", "2:7: \"cues\" is empty; add a cue such as { at: 5s, event: startGame }"),
    Case("game: g\ncue: []\ncues: [{at: 1, event: x}]", "2:1: unknown key \"cue\"; did you mean \"cues\"?"),
    Case(
      "game: g\nauthor: me\ncues: [{at: 1, event: x}]",
      "2:1: unknown key \"author\"; the cue sheet has game, title, defaults, timecode, timeOfDay, cues"),
    Case(
      "game: g\ndefaults: { allotedTime: 5, difficulty: [], category: c }\ncues: [{at: 1, event: x}]",
      "2:13: unknown key \"allotedTime\"; did you mean \"allottedTime\"?", "2:41: \"difficulty\" is a list; write a single text"),
    Case(
      "game: g\ndefaults: 5\ncues: [{at: 1, event: x}]",
      "2:11: \"defaults\" is a single value; write a mapping such as { allottedTime: 10 }"),
    Case(
      "game: g\ndefaults: {allottedTime: 0}\ncues: [{at: 1, event: x}]",
      "2:26: \"allottedTime\" is no time at all; write a duration above 0"),
  ]

  private static let cues = [
    Case(
      "game: g\ncues:\n  - 5s\n",
      "3:5: a cue is a single value here; write a mapping such as { at: 5s, event: askQuestion, … }"),
    Case(sheet("event: x"), "4:5: \"at\" is missing in this cue; add it"),
    Case(sheet("at: 1"), "4:5: \"event\" is missing in this cue; add it"),
    Case(sheet("at: -3.5s, event: x"), "4:11: \"at\" is \"-3.5s\", which is below zero; write a time from 0 on"),
    Case(sheet("at: [1], event: x"), "4:11: \"at\" is a list; write a time"),
    Case(
      sheet("at: 1, event: askQuestoin, question: Q, answers: [A, B], correct: A"),
      "4:21: unknown event \"askQuestoin\"; did you mean \"askQuestion\"?"),
    Case(
      sheet("at: 1, event: startGame, title: T, startsAt: tomorrow"),
      "4:52: \"startsAt\" is \"tomorrow\"; write a date and time such as 2026-11-20T20:00:00Z"),
    Case(sheet("at: 1, event: end"), "4:21: unknown event \"end\"; did you mean \"endGame\"?"),
    Case(
      sheet("at: 1, event: quiz, question: Q, answers: [A, B], correct: A"),
      "4:21: only an askQuestion has a right answer; write event: askQuestion instead of \"quiz\""),
    Case(sheet("at: 1, event: endgame"), "4:21: unknown event \"endgame\"; did you mean \"endGame\"?"),
    Case(
      sheet("at: 1, event: Frage stellen"),
      "4:21: \"Frage stellen\" cannot name an event; use up to 128 letters, digits and signs of ASCII without spaces"),
    Case(sheet("at: 1, event: endGame, totalQuestion: 3"), "4:30: unknown key \"totalQuestion\"; did you mean \"totalQuestions\"?"),
    Case(
      sheet("at: 1, event: endGame, color: 3"),
      "4:30: unknown key \"color\"; this endGame cue has at, event, guid, sequence, totalQuestions, winners, leaderboard, record"),
    Case(
      sheet("at: 1, event: endGame, winners: Ada"), "4:39: \"winners\" is a single value where a list is expected; write winners: [A, B]"),
    Case(
      sheet("at: 1, event: endGame, leaderboard: [{nickname: A}, {nickname: B, score: x}, C]"),
      "4:44: \"score\" is missing in this leaderboard entry; add it", "4:80: \"score\" is \"x\"; write an integer",
      "4:84: a leaderboard entry is a single value here; write { nickname: …, score: … }"),
    Case(
      "game: g\ncues:\n  - { at: 1, event: startGame }\n", "3:5: \"title\" is missing; add it to this cue or at the top of the sheet"),
    Case(sheet("at: 1, event: startGame, title: ''"), "4:39: \"title\" is empty; write a text or leave the key out"),
    Case(
      sheet("at: 1, event: startGame, startsIn: soon"),
      "4:42: \"startsIn\" is \"soon\", which is no time; write seconds (12.5), mm:ss or hh:mm:ss.mmm"),
    Case(
      sheet("at: 1, event: adjustTime, allottedTime: 5"),
      "4:5: no question is asked before this adjustTime; add an askQuestion or move the adjustTime"),
    Case(
      sheet("at: 1, event: adjustTime, questionNumber: 4, allottedTime: 5"),
      "4:49: no question 4 is asked before this adjustTime; add an askQuestion or move the adjustTime"),
    Case(
      sheet("at: 1, event: adjustTime, questionGuid: q, allottedTime: 5"),
      "4:5: no question is asked before this adjustTime; add an askQuestion or move the adjustTime",
      "4:33: \"questionGuid\" is filled in from the question; remove it"),
    Case(sheet("at: 1, event: periodicInfo"), "4:5: \"viewers\" is missing in this periodicInfo cue; add it"),
    Case(sheet("at: 1, event: periodicInfo, viewers: -1"), "4:44: \"viewers\" is \"-1\"; write an integer from 0"),
    Case(sheet("at: 1, event: periodicInfo, viewers: 1, likes: [1]"), "4:54: \"likes\" is a list; write a single value as a counter"),
    Case(sheet("at: 1, event: poll, age: 3"), "4:27: \"age\" is what cuelight writes into every event; remove it"),
    Case(sheet("at: 1, event: poll, currentFor: 0"), "4:39: \"currentFor\" is no time at all; write a duration above 0"),
    Case(sheet("at: 1, event: poll, guid: ''"), "4:33: \"guid\" is empty; write a text or leave the key out"),
    Case(sheet("at: 1, event: poll, sequence: 0"), "4:37: \"sequence\" is \"0\"; write an integer from 1 to 2147483647"),
  ]

  private static let questions = [
    Case(
      sheet("at: 1, event: askQuestion"), "4:5: \"question\" is missing in this askQuestion cue; add it",
      "4:5: \"answers\" is missing in this askQuestion cue; add it",
      "4:5: the right answer is missing; add correct: with the text of an answer or correctAnswer: with its index from 0"),
    Case(
      sheet("at: 1, event: askQuestion, question: Q, answers: [A, B, A], correct: A"),
      "4:63: the answer \"A\" is already in line 4, column 57; make all answers different"),
    Case(
      sheet("at: 1, event: askQuestion, question: Q, answers: [A], correct: A"), "4:56: a question has 2 to 12 answers, this one has 1"),
    Case(
      sheet("at: 1, event: askQuestion, question: Q, answers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13], correct: 1"),
      "4:56: a question has 2 to 12 answers, this one has 13"),
    Case(
      sheet("at: 1, event: askQuestion, question: Q, answers: [A, [B]], correct: A"), "4:60: \"answers\" is a list; write a single text"),
    Case(
      sheet(question(at: "1", "correct: D")), "4:76: \"correct\" is \"D\", which is none of the answers; write one of \"A\", \"B\", \"C\""),
    Case(sheet(question(at: "1", "correctAnswer: 3")), "4:82: \"correctAnswer\" is \"3\"; write an integer from 0 to 2"),
    Case(
      sheet(question(at: "1", "correct: A, correctAnswer: 0")),
      "4:94: \"correct\" and \"correctAnswer\" are both given; remove one of them"),
    Case(
      sheet(question(at: "1", "category: c")),
      "4:5: the right answer is missing; add correct: with the text of an answer or correctAnswer: with its index from 0"),
    Case(sheet(question(at: "1", "correct: A, seal: x")), "4:79: \"seal\" is computed when the sheet is stamped; remove it"),
    Case(
      sheet(question(at: "1"), "at: 2, event: showResults, counts: [1, 2], points: [1, 2, x]"),
      "5:42: \"counts\" has 2 numbers, but the question has 3 answers; write one for each", "5:65: \"points\" is \"x\"; write an integer"),
    Case(
      sheet(question(at: "1"), "at: 2, event: showResults, correctAnswer: 0"),
      "5:49: the right answer is filled in from the question; remove it"),
    Case(sheet(question(at: "1"), "at: 2, event: showResults, counts: [-1, 2, 3]"), "5:43: \"counts\" is \"-1\"; write an integer from 0"),
  ]

  private static let order = [
    Case(sheet("at: 1, event: showResults"), "4:5: no question is asked before this result; add an askQuestion or move the result"),
    Case(
      sheet("at: 1, event: showResults", question(at: "2")),
      "4:5: no question is asked before this result; add an askQuestion or move the result"),
    Case(
      sheet(question(at: "1"), "at: 2, event: showResults, questionNumber: 2", question(at: "3")),
      "5:50: no question 2 is asked before this result; add an askQuestion or move the result"),
    Case(
      sheet(question(at: "1"), "at: 2, event: showResults", "at: 3, event: showResults"),
      "6:5: question 1 already has a result in line 5; remove one, or write questionNumber: to name another"),
    Case(
      sheet(question(at: "3"), "at: 2, event: endGame"),
      "4:5: this askQuestion comes after the endGame in line 5, when the game is over; move or remove it"),
    Case(
      sheet("at: 1, event: endGame", "at: 2, event: startGame", question(at: "3")),
      "4:5: this endGame comes before the startGame in line 5; move it after it"),
    Case(
      sheet(question(at: "1", "correct: A, questionNumber: 2"), question(at: "2", "correct: A, questionNumber: 2")),
      "5:95: the question number 2 is already that of the question in line 4; write another"),
    // A cue that cannot be read may be the question that a result needs.
    Case(sheet("at: 1, evnt: askQuestion", "at: 2, event: showResults"), "4:5: \"event\" is missing in this cue; add it"),
  ]

  private static let identifiers = [
    Case(
      sheet("at: 1, event: a, guid: x", "at: 2, event: b, guid: x"),
      "5:30: the guid \"x\" is already that of the cue in line 4; write another"),
    Case(
      sheet("at: 1, event: a, guid: event-938459724", "at: 2, event: b, guid: event-137056476"),
      "5:30: the guid \"event-137056476\" has the same CRC-32 as that of the cue in line 4; write another"),
    Case(
      sheet("at: 1, event: a, sequence: 3", "at: 2, event: b, sequence: 3"),
      "5:34: the sequence number 3 is already that of the cue in line 4; write another"),
    Case(
      sheet("at: 1, event: a, sequence: 3", "at: 2, event: b, sequence: 2"),
      "5:34: the sequence number 2 is below 3 of the cue before it in time; write a larger one"),
    Case(
      sheet("at: 1, event: a, guid: \(String(repeating: "x", count: 129))"), "4:30: \"guid\" has 129 bytes; write at most 128"),
  ]

  private static let syntax = [
    Case(
      "game: g\ncues: [\n",
      "3:1: this is no YAML: did not find expected node content while parsing a flow node that begins in line 3; check indentation, colons and quotation marks here"
    ),
    Case(
      "game: g\n\tcues: []\n",
      "2:1: this is no YAML: found a tab character that violates indentation while scanning a plain scalar that begins in line 1; check indentation, colons and quotation marks here"
    ),
    Case("game: g\ncues: *x\n", "2:7: this is no YAML: found undefined alias; define it with & before it is used with *"),
    Case("game: g\ncues: [{at: 1, event: x}]\n---\ngame: h\n", "3:1: a second document begins here; write one document a file"),
    Case(
      "game: g\u{1}\u{0}\n\u{9F}", "1:8: the control character U+0001 is not allowed here; remove it",
      "1:9: the control character U+0000 is not allowed here; remove it", "2:1: the control character U+009F is not allowed here; remove it"
    ),
    Case(
      "game: g\ntitle: a\ntitle: b\ngame: h\n'title': c\ncues:\n  - {at: 1, event: x, \"k\": 1, k: 2, at: -5}\n  - {at: -1, event: x}\n",
      "3:1: the key \"title\" is already in line 2, column 1; remove one of them",
      "4:1: the key \"game\" is already in line 1, column 1; remove one of them",
      "5:1: the key \"title\" is already in line 2, column 1; remove one of them",
      "7:31: the key \"k\" is already in line 7, column 23; remove one of them",
      "7:37: the key \"at\" is already in line 7, column 6; remove one of them",
      "8:10: \"at\" is \"-1\", which is below zero; write a time from 0 on"),
    Case(
      "{\"game\": \"g\",\n \"game\": \"h\", \"cues\": [{\"at\": 1, \"at\": 2, \"event\": \"x\"}]}",
      "2:2: the key \"game\" is already in line 1, column 2; remove one of them",
      "2:34: the key \"at\" is already in line 2, column 25; remove one of them"),
    Case(
      "game: g\n? [a, b]\n: 1\ncues: [{at: 1, event: x}]", "2:3: a list or a mapping cannot be a key; write key: value with a plain key"),
    Case(
      "{\"game\": \"\\ud800\", \"cues\": []}",
      "1:13: this is no YAML: found invalid Unicode character escape code while parsing a quoted scalar that begins in line 1; check indentation, colons and quotation marks here"
    ),
  ]

  @Test func invalidUTF8HasItsPlace() {
    #expect(problems(Array("game: é\n".utf8) + [0x61, 0xC3, 0x28]) == ["2:2: this is not UTF-8; save the cue sheet as UTF-8"])
    #expect(problems(Array("ab".utf8) + [0xE2, 0x82]) == ["1:3: this is not UTF-8; save the cue sheet as UTF-8"])
  }

  @Test func tagsAboveTheLimit() throws {
    let text = sheet("at: 1, event: a", "at: 2, event: b, text: \(String(repeating: "x", count: 1_900))")
    let roomy = CopyPolicy(largestTagSize: 4096)
    let size = try roomy.largestTagSize(of: try parse(text, policy: roomy).events[1].event)
    #expect(
      problems(text) == ["5:5: the event's tag has up to \(size) bytes, above the limit of 2048; shorten its texts or raise --max-tag-size"]
    )
    #expect(problems(text, policy: CopyPolicy(largestTagSize: size - 1)).count == 1)
    #expect(problems(text, policy: CopyPolicy(largestTagSize: size)) == [])
    let huge = sheet("at: 2, event: b, text: \(String(repeating: "x", count: 66_000))")
    let reported = problems(huge, policy: CopyPolicy(largestTagSize: .max))
    #expect(reported.count == 1 && reported[0].hasSuffix("bytes, above the limit of 65527; shorten its texts"))
  }

  @Test func eventsBehindTheEndOfTheProgramme() throws {
    let sheet = try parse(sheet("at: 1, event: a", "at: 2, event: b", "at: 1:02, event: c"))
    #expect(
      sheet.problems(programmeDuration: MediaTime(seconds: 2)).map(\.description) == [
        "5:5: the b at 00:02.000 is outside the programme, which ends at 00:02.000; move it or remove it",
        "6:5: the c at 01:02.000 is outside the programme, which ends at 00:02.000; move it or remove it",
      ])
    #expect(sheet.problems(programmeDuration: MediaTime(seconds: 63)) == [])
  }

  @Test func everyMistakeInOneRun() {
    let text = """
      game: g
      titel: T
      cues:
        - at: 5
          event: showResults
        - at: -1
          event: startGame
          totalQuestions: many
        - event: askQuestion
          answers: [A, A]
          correct: B
          colour: red
        - at: 9
          event: poll
          poll: 1
          poll: 2
      """
    #expect(
      problems(text) == [
        "2:1: unknown key \"titel\"; did you mean \"title\"?",
        "4:5: no question is asked before this result; add an askQuestion or move the result",
        "6:5: \"title\" is missing; add it to this cue or at the top of the sheet",
        "6:9: \"at\" is \"-1\", which is below zero; write a time from 0 on",
        "8:21: \"totalQuestions\" is \"many\"; write an integer from 0",
        "9:5: \"at\" is missing in this cue; add it",
        "9:5: \"question\" is missing in this askQuestion cue; add it",
        "10:18: the answer \"A\" is already in line 10, column 15; make all answers different",
        "12:5: unknown key \"colour\"; this askQuestion cue has at, event, guid, sequence, question, kind, answers, correct, correctAnswer, picture, pictureText, pictureSize, sound, soundText, questionNumber, totalQuestions, allottedTime, category, difficulty",
        "16:5: the key \"poll\" is already in line 15, column 5; remove one of them",
      ])
  }
}

import ArgumentParser
import Basics
import CueSheet
import Sheets

/// The content of an event. Each option has the name of a key of cue sheets, so that users of one know the other.
struct CueOptions: ParsableArguments {
  @Option(name: .long, help: ArgumentHelp("startGame: what the show is called.", valueName: "text"))
  var title: String?
  @Option(name: .long, help: ArgumentHelp("startGame: how long until the first question.", valueName: "time"))
  var startsIn: String?
  @Option(name: .long, help: ArgumentHelp("startGame: the date of the first question.", valueName: "date"))
  var startsAt: String?
  @Option(name: .long, help: ArgumentHelp("startGame, askQuestion, endGame: the number of questions.", valueName: "number"))
  var totalQuestions: String?

  @Option(name: .long, help: ArgumentHelp("askQuestion.", valueName: "text"))
  var question: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: multiple, poll, prediction, number, order or text.", valueName: "kind"))
  var kind: String?
  @Option(name: .customLong("answer"), help: ArgumentHelp("askQuestion: one of the answers; once for each.", valueName: "text"))
  var answers: [String] = []
  @Option(name: .long, help: ArgumentHelp("askQuestion: the right answer.", valueName: "text"))
  var correct: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: the right answer's index from 0 instead.", valueName: "number"))
  var correctAnswer: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: the indices of the right answers instead.", valueName: "number,…"))
  var correctAnswers: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: all indices in their right order instead.", valueName: "number,…"))
  var correctOrder: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: the right number.", valueName: "number"))
  var correctNumber: String?
  @Option(
    name: .customLong("correct-text"), help: ArgumentHelp("askQuestion: a right spelling of a text; once for each.", valueName: "text"))
  var correctTexts: [String] = []
  @Option(name: .long, help: ArgumentHelp("askQuestion: how many letters of a text may be wrong.", valueName: "number"))
  var tolerance: String?
  @Flag(name: .long, help: "askQuestion: a poll takes words, and offers no answers.")
  var words = false
  @Option(name: .long, help: ArgumentHelp("askQuestion: the least number.", valueName: "number"))
  var least: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: the largest number.", valueName: "number"))
  var most: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: the distance of two numbers.", valueName: "number"))
  var step: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: the unit of the numbers.", valueName: "text"))
  var unit: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: how far from the right number is right.", valueName: "number"))
  var within: String?
  @Flag(name: .long, help: "askQuestion: a part of the right answers gives a part of the points.")
  var partial = false
  @Flag(name: .long, help: "askQuestion: the counts of a poll are shown while it takes answers.")
  var live = false
  @Option(
    name: [.customLong("time"), .customLong("allotted-time")],
    help: ArgumentHelp("askQuestion, adjustTime: how long players may answer.", valueName: "time"))
  var allottedTime: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion.", valueName: "text"))
  var category: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion.", valueName: "text"))
  var difficulty: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: the address of a picture.", valueName: "url"))
  var picture: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: what the picture shows, for those who do not see it.", valueName: "text"))
  var pictureText: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: the width and the height of the picture, such as 640x480.", valueName: "size"))
  var pictureSize: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: the address of a sound.", valueName: "url"))
  var sound: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: what is heard, for those who do not hear it.", valueName: "text"))
  var soundText: String?
  @Option(name: .long, help: ArgumentHelp("askQuestion: its number. adjustTime, showResults: that of the question.", valueName: "number"))
  var questionNumber: String?

  @Option(name: .long, help: ArgumentHelp("periodicInfo.", valueName: "number"))
  var viewers: String?
  @Option(name: .long, help: ArgumentHelp("periodicInfo.", valueName: "number"))
  var players: String?

  @Option(name: .long, help: ArgumentHelp("showResults: how many players gave each answer.", valueName: "number,…"))
  var counts: String?
  @Option(
    name: .long,
    help: ArgumentHelp("askQuestion: the points of a right answer. showResults: the points of each answer.", valueName: "number,…"))
  var points: String?
  @Option(name: .long, help: ArgumentHelp("showResults.", valueName: "text"))
  var explanation: String?
  @Option(name: .long, help: ArgumentHelp("showResults.", valueName: "text"))
  var url: String?
  @Option(
    name: .long, help: ArgumentHelp("showResults, endGame: a player with points; once for each, the best first.", valueName: "name=number"))
  var leaderboard: [String] = []

  @Option(name: .customLong("winner"), help: ArgumentHelp("endGame: a player who has won; once for each.", valueName: "text"))
  var winners: [String] = []
  @Option(name: .long, help: ArgumentHelp("endGame: the hash of the public record.", valueName: "text"))
  var record: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Another key, such as a counter of periodicInfo, with its value as in a cue sheet: 5, a text, [A, B]; once for each.",
      valueName: "key=value"))
  var set: [String] = []

  /// The cue's keys and values, in the order of the options.
  func members() throws -> [JSONObject.Member] {
    let standings = try leaderboard.map(Self.standing)
    let given: [JSONObject.Member?] = [
      .text("title", title), .plain("startsIn", startsIn), .text("startsAt", startsAt), .plain("totalQuestions", totalQuestions),
      .text("question", question), .list("answers", answers.map { .string($0) }), .text("correct", correct),
      .plain("correctAnswer", correctAnswer), .plain("kind", kind), .list("correctAnswers", Self.numbers(correctAnswers)),
      .list("correctOrder", Self.numbers(correctOrder)), .plain("correctNumber", correctNumber), .plain("least", least),
      .plain("most", most), .plain("step", step), .text("unit", unit), .plain("within", within),
      .plain("partial", partial ? "true" : nil), .plain("live", live ? "true" : nil),
      .list("correctTexts", correctTexts.map { .string($0) }), .plain("tolerance", tolerance), .plain("words", words ? "true" : nil),
      .plain("allottedTime", allottedTime),
      .text("category", category),
      .text("difficulty", difficulty), .text("picture", picture), .text("pictureText", pictureText), .text("pictureSize", pictureSize),
      .text("sound", sound), .text("soundText", soundText), .plain("questionNumber", questionNumber), .plain("viewers", viewers),
      .plain("players", players),
      .list("counts", Self.numbers(counts)), question == nil ? .list("points", Self.numbers(points)) : .plain("points", points),
      .text("explanation", explanation), .text("url", url),
      .list("leaderboard", standings), .list("winners", winners.map { .string($0) }), .text("record", record),
    ]
    return try given.compactMap(\.self) + set.map(Self.member)
  }

  /// Numbers separated by commas; none if nothing is given.
  private static func numbers(_ text: String?) -> [JSONValue] {
    (text?.split(separator: ",", omittingEmptySubsequences: false) ?? []).map { .plain($0.filter { $0 != " " }) }
  }

  private static func standing(_ text: String) throws -> JSONValue {
    guard let sign = text.lastIndex(of: "=") else { throw ValidationError("--leaderboard takes NAME=NUMBER, not \(text).") }
    var object = JSONObject()
    object.append("nickname", String(text[..<sign]))
    object.append("score", JSONValue.plain(String(text[text.index(after: sign)...])))
    return .object(object)
  }

  private static func member(_ text: String) throws -> JSONObject.Member {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else { throw ValidationError("--set takes KEY=VALUE, not \(text).") }
    let (key, value) = (String(text[..<sign]), String(text[text.index(after: sign)...]))
    do throws(SheetError) {
      var problems: [SheetProblem] = []
      let tree = try SheetNode.parse("value: \(value)")
      problems += tree?.problems ?? []
      guard case .mapping(let members, _)? = tree?.root, members.count == 1, problems.isEmpty else {
        throw SheetError(at: .start, "this is more than one value")
      }
      let json = members[0].value.json(&problems)
      guard problems.isEmpty else { throw SheetError(problems) }
      return JSONObject.Member(key: key, value: json)
    } catch {
      throw ValidationError("--set \(key): \(error.problems.first?.message ?? "this is no value").")
    }
  }
}

/// The time and the identifier of an event: the keys of a request besides those of its event.
struct DueOptions: ParsableArguments {
  @Option(name: .long, help: ArgumentHelp("At this programme time, or when the operator says next: go.", valueName: "time"))
  var at: String?
  @Option(name: .customLong("in"), help: ArgumentHelp("So long from now.", valueName: "time"))
  var delay: String?
  @Option(name: .long, help: ArgumentHelp("When the programme has this date.", valueName: "date"))
  var wallClock: String?
  @Option(name: .long, help: ArgumentHelp("With the frame that has this timecode of the stream.", valueName: "hh:mm:ss:ff"))
  var timecode: String?
  @Option(name: .long, help: ArgumentHelp("next: with the next frame where the time has passed. refuse: not at all.", valueName: "what"))
  var late: String?
  @Option(name: .long, help: ArgumentHelp("Give the event up if the stream cannot take it within this time.", valueName: "time"))
  var expires: String?
  @Option(name: .long, help: ArgumentHelp("The event's identifier; without it, a new one.", valueName: "guid"))
  var guid: String?

  /// The request's keys and values, but for the identifier.
  var members: [JSONObject.Member] {
    let given: [JSONObject.Member?] = [
      .plain("at", at), .plain("in", delay), .text("wallClock", wallClock), .text("timecode", timecode), .text("late", late),
      .plain("expires", expires),
    ]
    return given.compactMap(\.self)
  }
}

extension JSONValue {
  /// A value as a cue sheet has it without quotation marks: a number if it is one.
  fileprivate static func plain(_ text: String) -> JSONValue {
    var problems: [SheetProblem] = []
    return SheetNode.scalar(SheetScalar(text: text, isPlain: true, place: .start)).json(&problems)
  }
}

// Each `nil` if the option is not given.
extension JSONObject.Member {
  fileprivate static func text(_ key: String, _ value: String?) -> Self? { value.map { Self(key: key, value: .string($0)) } }

  fileprivate static func plain(_ key: String, _ value: String?) -> Self? { value.map { Self(key: key, value: .plain($0)) } }

  fileprivate static func list(_ key: String, _ values: [JSONValue]) -> Self? {
    values.isEmpty ? nil : Self(key: key, value: .array(values))
  }
}

import ArgumentParser
import Basics
import CommandSupport
import GameServer
import Reach
import Scoring

/// The options of a game that a server is started with.
struct GameOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Begin a game with the questions of this file, in any format of cuelight questions.", valueName: "file")
  )
  var quiz: String?

  @Flag(help: "Leave out questions of --quiz with mistakes, which are named on standard error, and go on with the others.")
  var skipMistakes = false

  @Option(help: "What the show is called; without it, what the quiz is called.")
  var title: String?

  @Option(help: "How answers are scored, as for cuelight replay.")
  var scoring: String?

  @Option(help: "How many seconds a question takes answers.")
  var time = "10"

  @Option(
    help:
      "How many seconds viewers may be behind the live edge whose answers count; results come that much later. Without it 12, or more if viewers are further behind. auto follows what 99 of 100 pages report before each question, from 2 to 45 s; auto:LOW-HIGH sets other bounds."
  )
  var delay: String?

  @Option(help: "How many seconds a result is shown before the next question, without a host.")
  var pause = "8"

  @Option(
    help: ArgumentHelp(
      "Players are in teams: free lets them make up the names, a list such as Red,Blue lets them choose.", valueName: "free|names"))
  var teams: String?

  @Option(help: "How the points of a team come from its players: mean, sum, or best:3 for the sum of the best three.")
  var teamPoints: String?

  @Option(help: "In how many seconds the game begins without a host.")
  var startIn = 30

  @Flag(help: "Wait for a host: nothing begins by itself.")
  var hosted = false

  /// The changes of the standard rules.
  var rules: JSONObject {
    var rules = JSONObject()
    if let scoring { rules.append("scoring", scoring) }
    for (key, text) in [("allottedTime", time), ("pause", pause)] + (fixedDelay.map { [("delay", $0)] } ?? []) {
      if let number = JSONNumber(text) { rules.append(key, .number(number)) }
    }
    if fixedDelay != nil { rules.append("fixedDelay", true) }
    if let auto = autoDelay { rules.append("delayBounds", JSONObject(fields: ["bounds": auto])["bounds"] ?? .null) }
    if let teams { rules.append("teams", teams == "free" ? .string(teams) : .array(Self.names(teams).map { .string($0) })) }
    if let teamPoints { rules.append("teamPoints", teamPoints) }
    return rules
  }

  private var fixedDelay: String? { delay.flatMap { AnswerDelay.isMeant(by: $0) ? nil : $0 } }

  /// The bounds of a delay that follows the audience; `nil` if it does not.
  var autoDelay: [MediaTime]? {
    delay.flatMap { AnswerDelay(parsing: $0) }.map { [$0.bounds.lowerBound, $0.bounds.upperBound] }
  }

  private static func names(_ list: String) -> [String] {
    list.split(separator: ",", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }.map { String($0) }
  }

  /// When the game begins without a host, in milliseconds since 1970; `nil` if it waits for a host.
  func startsAt(at now: Int64) -> Int64? { hosted ? nil : (now / 1_000 + Int64(startIn)) * 1_000 }

  /// The option for a property of a game.
  static func option(_ key: String) -> String {
    switch key {
    case "allottedTime": "--time"
    case "automatic": "--hosted"
    case "fixedDelay", "delayBounds": "--delay"
    case "teamPoints": "--team-points"
    default: "--\(key)"
    }
  }

  func validate() throws {
    for (option, text) in [("--time", time), ("--delay", fixedDelay ?? "0"), ("--pause", pause)] {
      try require(MediaTime(decimalSeconds: text).map({ $0 >= .zero }) == true, "\(option) takes seconds, not \(text).")
    }
    if let delay, AnswerDelay.isMeant(by: delay) {
      try require(autoDelay != nil, "--delay takes seconds, auto, or auto:LOW-HIGH with seconds from 0 to 120, not \(delay).")
    }
    if let scoring {
      do throws(ScoringRulesError) { _ = try ScoringRules(parsing: scoring) } catch { throw ValidationError("--scoring: \(error).") }
    }
    if let mistake = Games.mistake(in: rules) { throw ValidationError("\(Self.option(mistake.rule)): \(mistake.message).") }
    guard (0...604_800).contains(startIn) else { throw ValidationError("--start-in takes seconds up to a week.") }
    guard quiz != nil || title == nil else { throw ValidationError("--title is for --quiz.") }
    guard teams != nil || teamPoints == nil else { throw ValidationError("--team-points is for --teams.") }
    guard quiz != nil || !skipMistakes else { throw ValidationError("--skip-mistakes is for --quiz.") }
  }
}

import ArgumentParser
import Basics
import CommandSupport
import Scoring

/// The options of `replay` for a game with an audience.
struct ScoringOptions: ParsableArguments {
  @Option(name: .long, help: "Play with the answers in this file, one JSON object a line: player, question, answer, time.")
  var answers: String?

  @Option(name: .long, help: "Play with bots, for example random:1000,perfect:3,late:50,sleepy:10.", transform: Self.crowd(_:))
  var bots: BotCrowd?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "How answers are scored; rules are joined with +.",
      discussion:
        "right[:POINTS], first[:POINTS], points, speed:MOST[:LEAST[:exact]], streak:POINTS[:LENGTH], elimination[:CHANCES[:answered]]."),
    transform: Self.rules(_:))
  var scoring: ScoringRules?

  @Option(name: .customLong("seed"), help: "What the bots' answers depend on, a whole number; 1 unless said.")
  private var givenSeed: UInt64?

  @Option(name: .long, help: "How many players are printed in scoreboards, a number or all; 10 unless said.", transform: Self.count(_:))
  var top: Int?

  @Option(name: .long, help: "Write what players and bots answered to this file, to be read with --answers.")
  var recordAnswers: String?

  @Option(name: .long, help: "Write a cue sheet whose results carry the real counts, leaderboard and winners to this file.")
  var emitResults: String?

  /// The seed of the bots' answers.
  var seed: UInt64 { givenSeed ?? 1 }

  /// The number of players on the scoreboards.
  var scoreboardCount: Int { top ?? 10 }

  /// The number of players that the leaderboards of a cue sheet name, if a tag has room for them.
  static let leaderboardCount = 10

  /// Whether there is an audience.
  var isGiven: Bool { answers != nil || bots != nil }

  func validate() throws {
    guard givenSeed == nil || bots != nil else { throw ValidationError("--seed is for bots: give --bots.") }
    guard !isGiven else { return }
    let needing = [
      ("--scoring", scoring != nil), ("--record-answers", recordAnswers != nil), ("--emit-results", emitResults != nil),
      ("--top", top != nil),
    ]
    if let (name, _) = needing.first(where: { $0.1 }) { throw ValidationError("\(name) takes players: give --answers or --bots.") }
  }

  private static func crowd(_ text: String) throws -> BotCrowd {
    do { return try BotCrowd(parsing: text) } catch { throw ValidationError("--bots: \(error).") }
  }

  static func rules(_ text: String) throws -> ScoringRules {
    do { return try ScoringRules(parsing: text) } catch { throw ValidationError("--scoring: \(error).") }
  }

  private static func count(_ text: String) throws -> Int {
    if text == "all" { return .max }
    return try require(Int(text, in: 0 ... .max), "--top takes a number from 0 or all, not \(text).")
  }
}

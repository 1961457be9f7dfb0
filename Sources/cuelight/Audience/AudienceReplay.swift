import CommandSupport
import Nicknames
import Scoring
import Seals
import StateMachine
import Terminal

/// The audience of a replay: the source of its answers, and the outputs to which its actions are printed and recorded.
struct AudienceReplay {
  private(set) var audience: Audience
  private let file: AnswerFile?
  private let recorder: AnswerRecorder?

  /// Reads the answers and lets everybody join.
  init(_ options: ScoringOptions, asJSON: Bool, overwrite: Bool) throws(CommandFailure) {
    // Fails before any answers are read if the file cannot be created.
    recorder = try options.recordAnswers.map { path throws(CommandFailure) in try AnswerRecorder(path: path, overwrites: overwrite) }
    var game = ScoredGame(rules: options.scoring ?? .standard, comparing: NicknameLook.answers)
    file = options.answers.map { AnswerFile(path: $0) }
    let list = try file?.read(joining: &game)
    audience = try orFail(
      Audience(
        game, list, bots: options.bots?.bots ?? [], seed: options.seed, top: options.scoreboardCount, listsAll: asJSON,
        verifySeal: AnswerSeal.verify, isRecorded: recorder != nil, isInterrupted: { Interruption.isRequested })
    ) { (error: JoiningError) in CommandFailure(invalid: "--bots: \(error)") }
    try CommandFailure.requireNoInterruption()
    if let recorder {
      for record in audience.joinings { try recorder.write(record) }
    }
  }

  /// Follows the game through a transition and prints the results.
  mutating func follow(_ transition: GameTransition, _ machine: GameStateMachine, _ printer: inout TransitionPrinter) throws(CommandFailure)
  {
    let recorder = recorder
    let outputs = try audience.follow(transition, machine, checkpoint: CommandFailure.requireNoInterruption) {
      (record) throws(CommandFailure) in try recorder?.write(record)
    }
    try show(outputs, &printer)
  }

  /// Ends the games that have not ended, and the files.
  mutating func finish(_ machine: GameStateMachine, _ printer: inout TransitionPrinter) throws(CommandFailure) {
    let recorder = recorder
    let outputs = try audience.finish(at: machine.time, checkpoint: CommandFailure.requireNoInterruption) {
      (record) throws(CommandFailure) in try recorder?.write(record)
    }
    try show(outputs, &printer)
    try recorder?.finish()
  }

  private func show(_ outputs: [Audience.Output], _ printer: inout TransitionPrinter) throws(CommandFailure) {
    for item in outputs {
      switch item {
      case .message(let text): file?.say(text)
      case .scoreboard(let scoreboard): try printer.print(scoreboard)
      case .results(let results): try printer.print(results)
      }
    }
  }
}

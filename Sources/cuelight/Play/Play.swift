import ArgumentParser
import Basics
import CommandSupport
import Files
import Foundation
import Scoring
import StateMachine
import Terminal

struct Play: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play the game of a stream yourself, in the terminal.",
    discussion: """
      The programme runs at its own pace. Keys 1 to 9 answer, and until the time is up another key changes the answer; \
      of an order press the answers one after the other, and type a number with Enter. \
      q leaves, Control-Z pauses. Where output or keys are no terminal, the game is told line by line, as with --plain.

      Example:
        cuelight play show.ts
        cuelight play --from 1:30 https://example.com/show.m3u8
        cuelight play --scoring speed:1000:500+streak:100 show.ts
        cuelight play --plain show.ts
      """)

  @OptionGroup var input: InputOptions

  @Flag(name: .long, help: "Tell the game in sentences, line by line, for screen readers; answers are numbers, each with Enter.")
  var plain = false

  @Option(name: .long, help: "Begin at this time of the programme (12.5, 1:30 or 0:01:30).")
  var from: ProgrammeTime?

  @Option(name: .long, help: "How many times faster than the programme, from 0.1 to 1000.")
  var speed = 1.0

  @Option(
    name: .long, help: "Count points by these rules, for example speed:1000:500+streak:100 (see replay).",
    transform: ScoringOptions.rules(_:))
  var scoring: ScoringRules?

  func validate() throws {
    guard (0.1...1_000).contains(speed) else { throw ValidationError("--speed takes a number from 0.1 to 1000, not \(speed).") }
  }

  mutating func run() throws {
    var keys = KeyInput(standardInputIsTaken: input.input == "-")
    let source = try input.source()
    let isScreen = !plain && Terminal.isOutput && keys.isTerminal && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    var session = PlaySession(source, from: from?.time, rules: scoring, speed: speed)
    defer { session.stop() }
    if isScreen, TerminalScreen.enter(keys: keys) {
      do {
        // Deferred statements run in reverse order: the terminal is restored before any message is written.
        defer { session.messages.forEach(StandardError.write) }
        defer { TerminalScreen.leave() }
        try playOnScreen(&session, &keys)
      }
      try sayResult(session)
    } else {
      try playInLines(&session, &keys, source)
    }
    if let absence = session.situation.absence { StandardError.write("\(source.name): \(absence)") }
    if session.situation.isOver, !session.isWhole { throw CommandFailure.incomplete }
  }

  /// Plays on the whole terminal, until the player leaves.
  private func playOnScreen(_ session: inout PlaySession, _ keys: inout KeyInput) throws(CommandFailure) {
    let style = Self.style(ProcessInfo.processInfo.environment)
    var (frame, typed, output) = (PlayFrame(usesColour: style.usesColour), PlayKeys(inLines: false), StandardOutput())
    var needsDrawing = true
    while true {
      try CommandFailure.requireNoInterruption()
      let changes = TerminalScreen.takeChanges()
      if changes.wantsSuspension { session.pausing { TerminalScreen.suspend() } }
      _ = try session.step(at: .now)
      let size = Terminal.size
      let lines = PlayScreen.lines(session.game, session.situation, size: size, style: style)
      try output.raw(frame.update(lines, size: size, anew: needsDrawing || changes.needsDrawing || changes.wantsSuspension))
      needsDrawing = false
      typed.takesText = session.game.takesText
      // Ten frames a second are enough for a bar, and not too much for a slow connection.
      for key in typed.push(keys.read(waiting: 100)) {
        if key == .leave || session.situation.isOver { return }
        session.press(key, at: .now)
        needsDrawing = needsDrawing || key == .redraw
      }
      // The terminal is gone.
      if keys.isAtEnd { throw CommandFailure.interruption }
    }
  }

  /// Narrates the game line by line, until the stream ends or the player leaves.
  private func playInLines(_ session: inout PlaySession, _ keys: inout KeyInput, _ source: StreamSource) throws(CommandFailure) {
    var (narrator, typed, output) = (PlayNarrator(), PlayKeys(inLines: true), StandardOutput(isLineBuffered: true))
    var saidMessage: String?
    let greeting = "Playing \(source.name). Type the number of your answer and press Enter, or q and Enter to leave."
    var isGreeted = false
    var noticeTime: SuspendingClock.Instant? = .now + .seconds(2)
    while !session.situation.isOver {
      try CommandFailure.requireNoInterruption()
      var lines: [String] = []
      let moments = try session.step(at: .now)
      // No greeting for a stream that cannot be read, or for one without a game.
      if !isGreeted, session.situation.now != nil, session.situation.absence == nil { lines = [greeting] }
      isGreeted = session.situation.now != nil
      if !isGreeted, let end = noticeTime, .now > end {
        lines = ["Waiting for the stream."]
        noticeTime = nil
      }
      for moment in moments { lines += narrator.lines(moment) }
      if let now = session.situation.now, let line = narrator.line(session.game.state, at: now) { lines.append(line) }
      if let message = session.situation.message, message != saidMessage {
        StandardError.write(message)
        saidMessage = message
      }
      typed.takesText = session.game.takesText
      for key in typed.push(keys.read(waiting: 100)) {
        switch key {
        case .leave:
          try output.line(PlayWords.result(session.game.state, session.game.score))
          return
        case .answer, .text:
          let text = if case .text(let text) = key { text } else if case .answer(let number) = key { "\(number)" } else { "" }
          for moment in session.enter(text, at: .now) { lines += narrator.lines(moment) }
          if let reply = session.game.reply { lines.append(PlayWords.reply(reply, session.game.state.question)) }
        case .redraw, .sign, .enter, .erase, .other: lines.append("Type the number of an answer, or q, and press Enter.")
        }
      }
      for line in lines { try output.line(line) }
    }
  }

  /// Prints the result, which stays in the terminal after the program has ended.
  private func sayResult(_ session: PlaySession) throws(CommandFailure) {
    let (state, score) = (session.game.state, session.game.score)
    guard state.phase == .ended || score.decided > 0 else { return }
    try StandardOutput.write([(PlayWords.title(state).map { "\($0): " } ?? "") + PlayWords.result(state, score)])
  }

  /// What the terminal can show according to the environment (NO_COLOR, and the locale in the order of POSIX).
  static func style(_ environment: [String: String]) -> PlayScreen.Style {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let encoding = locale.uppercased()
    return PlayScreen.Style(
      usesColour: environment["NO_COLOR"]?.isEmpty ?? true, usesUnicode: encoding.contains("UTF-8") || encoding.contains("UTF8"))
  }
}

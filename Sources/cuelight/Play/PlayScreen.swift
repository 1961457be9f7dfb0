import Basics
import CommandSupport
import Files
import GameEvents
import Scoring
import StateMachine
import Terminal

/// The terminal view of a game: lines that fit its size, computed from the arguments alone.
struct PlayScreen {
  /// What a terminal can show.
  struct Style: Equatable {
    var usesColour = true
    /// Whether characters other than ASCII can be shown.
    var usesUnicode = true
  }

  /// What is shown besides the game.
  struct Situation: Equatable {
    /// The programme's time; `nil` before the stream has begun.
    var now: MediaTime?
    /// A message about the stream.
    var message: String?
    /// Whether the stream has ended.
    var isOver = false
    /// Why there was no game, if the stream has ended without one.
    var absence: String?
  }

  /// How a line looks.
  enum Look: Equatable { case plain, strong, right, wrong }

  /// A line, which is no wider than the terminal.
  struct Line: Equatable {
    var text: String
    var look = Look.plain
  }

  /// The importance of a line. If there is no room for all, the least important ones are dropped first.
  private enum Weight: Int {
    case blank, hint, title, message, explanation, status, moreOfAnswer, moreOfQuestion, reply, time, question, verdict, answer
  }

  private let size: TerminalSize
  private let style: Style
  private var lines: [(line: Line, weight: Weight)] = []

  /// The lines that show `game`, no more than the terminal has rows.
  static func lines(_ game: SoloGame, _ situation: Situation, size: TerminalSize, style: Style) -> [Line] {
    var screen = PlayScreen(size: size, style: style)
    screen.add(game, situation)
    return screen.fittingLines()
  }

  private init(size: TerminalSize, style: Style) { (self.size, self.style) = (size, style) }

  /// The last column stays free: some terminals begin a new line after it.
  private var columns: Int { max(size.columns - 1, 1) }

  private func fittingLines() -> [Line] {
    var kept = lines
    while kept.count > max(size.rows, 1) {
      guard let least = kept.indices.min(by: { (kept[$0].weight.rawValue, -$0) < (kept[$1].weight.rawValue, -$1) }) else { break }
      kept.remove(at: least)
    }
    return kept.map { $0.line }
  }

  // MARK: Parts

  private mutating func add(_ game: SoloGame, _ situation: Situation) {
    let state = game.state
    addHeader(game)
    switch state.phase {
    case .waiting:
      let waiting = situation.now == nil ? "Waiting for the stream" : "Waiting for the game"
      add(situation.absence.map { "There is no game: \($0)" } ?? waiting, .plain, .question)
    case .lobby:
      let left = (state.start?.startsAt ?? .zero) - (situation.now ?? .zero)
      add("The game starts in \(PlayWords.clock(left))", .strong, .question)
      if state.start?.isEntryOpen == false { add("Players may enter five minutes before.", .plain, .explanation) }
    case .playing: add("The game has begun. Wait for the first question.", .plain, .question)
    case .asking, .closed, .results: addQuestion(game, at: situation.now ?? .zero)
    case .ended: addEnding(game)
    }
    if let reply = game.reply {
      blank()
      add(PlayWords.reply(reply, state.question), .plain, .reply)
    }
    blank()
    if let message = situation.message { add(message, .plain, .message) }
    addHint(game, isOver: situation.isOver)
  }

  private mutating func addHeader(_ game: SoloGame) {
    guard let title = PlayWords.title(game.state) else { return }
    let score = game.score.decided > 0 || game.score.points != nil ? PlayWords.score(game.score) : nil
    let status = [game.state.phase == .ended ? nil : PlayWords.questionNumber(game.state), score].compactMap(\.self).joined(separator: ", ")
    guard !status.isEmpty else {
      add(title, .plain, .title)
      return blank()
    }
    let (left, right) = (shown(title), shown(status))
    let room = columns - TerminalText.columns(left) - TerminalText.columns(right)
    if room >= 3 {
      add(left + String(repeating: " ", count: room) + right, as: .plain, .status)
    } else {
      add(title, .plain, .title)
      add(status, .plain, .status)
    }
    blank()
  }

  private mutating func addQuestion(_ game: SoloGame, at now: MediaTime) {
    let state = game.state
    guard let question = state.question else {
      // Its question was missed.
      guard let result = state.result?.content else { return }
      switch result.right {
      case .one(let right):
        add("The answer to question \(result.questionNumber), which you did not see, is number \(right + 1).", .plain, .question)
      case let right?:
        add("The answer to question \(result.questionNumber), which you did not see, is \(right.words(of: nil)).", .plain, .question)
      case nil: break
      }
      return addExplanation(result)
    }
    add(question.content.question, .strong, .question, more: .moreOfQuestion)
    for line in question.content.media.descriptions { add(line, .plain, .explanation) }
    blank()
    if case .number(let scale) = question.content.form { add("A number: \(PlayWords.range(scale, question))", .plain, .answer) }
    addAnswers(question, state)
    blank()
    if state.phase == .asking {
      addBar(question, at: now)
    } else if let words = PlayWords.verdict(state, game.score) {
      addVerdict(words, state)
      if let result = state.result?.content, result.explanation != nil || result.url != nil {
        blank()
        addExplanation(result)
      }
    } else {
      add("Time is up. \(PlayWords.choice(state, game.score))", .plain, .verdict)
    }
  }

  private mutating func addExplanation(_ result: ShowResults) {
    for text in [result.explanation, result.url].compactMap(\.self) { add(text, .plain, .explanation) }
  }

  /// Whether an answer was right, or was selected and wrong; `nil` for other answers and before that is known.
  private func verdict(_ index: Int, _ question: GameState.Question, _ state: GameState) -> Bool? {
    // With a result that does not count, no answer is right.
    guard let right = state.right, state.result?.seal != .broken else { return nil }
    let isRight: Bool
    switch right {
    case .one(let answer): isRight = index == answer
    case .several(let answers): isRight = answers.contains(index)
    case .order, .number, .texts: return nil
    }
    return isRight || question.isSelected(index) ? isRight : nil
  }

  /// The sign of an answer: whether it is right, or whether it was selected.
  private func mark(_ index: Int, _ question: GameState.Question, _ state: GameState) -> String {
    verdict(index, question, state).map { $0 ? rightSign : wrongSign } ?? (question.isSelected(index) ? ">" : "")
  }

  private mutating func addAnswers(_ question: GameState.Question, _ state: GameState) {
    let answers = question.content.answers
    // If there are not enough rows for the answers, the question and the time, answers share rows.
    guard size.rows >= answers.count + 2 else {
      let words = answers.enumerated().map { mark($0.offset, question, state) + "\($0.offset + 1) \($0.element)" }
      return add(words.joined(separator: ", "), .plain, .answer)
    }
    let counts = state.result?.content.questionGuid == question.guid ? state.result?.content.counts : nil
    for (index, answer) in answers.enumerated() {
      let isSelected = question.isSelected(index)
      let isRight = verdict(index, question, state)
      var notes = isRight.map { [$0 ? "\(rightSign) right" : "\(wrongSign) wrong"] } ?? []
      let look = isRight.map { $0 ? Look.right : .wrong } ?? (isSelected ? .strong : .plain)
      if isSelected { notes.append("your answer") }
      if let counts, counts.indices.contains(index) { notes.append("\(counts[index])") }
      let note = notes.joined(separator: ", ")
      // If the line has no room for the note after a long answer, the sign shows it.
      let hasRoom = TerminalText.columns(shown(answer)) + TerminalText.columns(note) + 8 <= columns
      let sign = isRight != nil && !hasRoom ? mark(index, question, state) : isSelected ? ">" : " "
      add(answer, look, .answer, more: .moreOfAnswer, after: "\(sign) \(index + 1)  ", note: note)
    }
  }

  private mutating func addBar(_ question: GameState.Question, at now: MediaTime) {
    let left = question.closesAt - now
    let clock = PlayWords.clock(left)
    let width = min(columns - clock.count - 2, 50)
    guard width >= 5 else { return add(clock, .strong, .time) }
    let total = max(question.duration.ticks, 1)
    // Rounded up, so that the bar is not empty while there is time left. Floating point cannot overflow with any allotted time.
    let share = Double(min(max(left.ticks, 0), total)) / Double(total)
    let filled = min(width, Int((share * Double(width)).rounded(.up)))
    let (full, empty) = style.usesUnicode ? ("█", "░") : ("#", "-")
    let bar = String(repeating: full, count: filled) + String(repeating: empty, count: width - filled)
    add("\(bar)  \(clock)", as: .strong, .time)
  }

  private mutating func addVerdict(_ words: String, _ state: GameState) {
    // In a small window there is one line for it.
    let isShort = size.rows < 8 && TerminalText.columns(shown(words)) + 2 > columns
    let words = isShort ? PlayWords.shortVerdict(state) ?? words : words
    switch state.verdict {
    case .right: add("\(rightSign) \(words)", .right, .verdict)
    case .wrong: add("\(wrongSign) \(words)", .wrong, .verdict)
    case .notAnswered, .void, nil: add(words, .strong, .verdict)
    }
  }

  private mutating func addEnding(_ game: SoloGame) {
    add("The game is over.", .plain, .question)
    blank()
    add(PlayWords.result(game.state, game.score), .strong, .answer)
    guard let winners = PlayWords.winners(game.state) else { return }
    blank()
    add(winners, .plain, .explanation)
  }

  private mutating func addHint(_ game: SoloGame, isOver: Bool) {
    let state = game.state
    if isOver { return add("Press any key to leave.", .plain, .status) }
    if state.phase == .asking, game.score.outAt != nil { return add("You are out of the game, q leaves", .plain, .hint) }
    let choices = state.phase == .asking ? state.question?.content.form.keyCount ?? 0 : 0
    let answers =
      switch state.question?.content.form {
      case .number? where state.phase == .asking: "digits and Enter answer, "
      case .text? where state.phase == .asking: "letters and Enter answer, "
      case .order? where choices > 0: "1 to \(choices) in the right order answer, "
      default: choices > 0 ? "1 to \(choices) answer, " : ""
      }
    add("\(answers)\(game.takesText ? "Control-D" : "q") leaves", .plain, .hint)
  }

  // MARK: Lines

  private var rightSign: String { style.usesUnicode ? "✓" : "+" }
  private var wrongSign: String { style.usesUnicode ? "✗" : "x" }

  /// Adds untrusted text of any length, followed by a note, in the same line if there is room.
  private mutating func add(
    _ text: String, _ look: Look, _ weight: Weight, more: Weight? = nil, after lead: String = "", note: String = ""
  ) {
    let room = columns - lead.count
    // In a very narrow terminal, the beginning of the text is better than nothing.
    guard room >= 4 else { return add(TerminalText.fitting(lead + shown(text), columns: columns), as: look, weight) }
    var parts = TerminalText.wrapped(shown(text), columns: room)
    if !note.isEmpty {
      let last = parts.popLast().map { $0 + "   " + note }
      // A note without room in the last line gets lines of its own.
      if let last, TerminalText.columns(last) <= room {
        parts.append(last)
      } else {
        parts = TerminalText.wrapped(shown(text), columns: room) + TerminalText.wrapped(note, columns: room)
      }
    }
    for (index, part) in parts.enumerated() {
      add((index == 0 ? lead : String(repeating: " ", count: lead.count)) + part, as: look, index == 0 ? weight : more ?? weight)
    }
  }

  private mutating func add(_ line: String, as look: Look, _ weight: Weight) { lines.append((Line(text: line, look: look), weight)) }

  private mutating func blank() { add("", as: .plain, .blank) }

  /// The text as this terminal can show it.
  private func shown(_ text: String) -> String {
    let printable = text.visible(.text)
    guard !style.usesUnicode else { return printable }
    return String(printable.map { $0.isASCII ? $0 : "?" })
  }
}

import Basics
import CommandSupport
import Files
import Foundation
import GameEvents
import StateMachine
import Terminal

/// Shows the open question, its answers and the remaining time on a terminal, redrawn in place.
struct Countdown {
  private var lineCount = 0
  private var shown = ""
  private let usesColour = ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty ?? true

  private static let barWidth = 30

  mutating func draw(_ state: GameState, at now: MediaTime, _ output: inout StandardOutput) throws(CommandFailure) {
    let lines = Self.lines(state, at: now, columns: Terminal.columns).map { $0.visible(.text) }
    let text = lines.joined(separator: "\n")
    guard text != shown else { return }
    let drawn = lines.map { (usesColour ? "\u{1B}[1m\($0)\u{1B}[0m" : $0) + "\n" }.joined()
    // In one write, to avoid flicker.
    try output.raw((lineCount > 0 ? Self.erasing(lineCount) : "") + drawn)
    shown = text
    lineCount = lines.count
  }

  /// Erases what was drawn.
  mutating func clear(_ output: inout StandardOutput) throws(CommandFailure) {
    guard lineCount > 0 else { return }
    try output.raw(Self.erasing(lineCount))
    lineCount = 0
    shown = ""
  }

  /// Moves the cursor up and erases everything below it.
  private static func erasing(_ lineCount: Int) -> String { "\u{1B}[\(lineCount)A\u{1B}[J" }

  /// The lines that show `state`, none of them wider than the terminal, which would wrap them.
  private static func lines(_ state: GameState, at now: MediaTime, columns: Int) -> [String] {
    var lines: [String] = []
    if state.phase == .lobby, let start = state.start {
      lines = ["Starts in \(PlayWords.wholeSeconds(start.startsAt - now))"]
    } else if state.phase == .asking, let question = state.question {
      let left = question.closesAt - now
      let total = max(question.duration.ticks, 1)
      let filled = Int(min(max(left.ticks, 0), total) * Int64(barWidth) / total)
      let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: barWidth - filled)
      lines = [question.content.question]
      lines += question.content.answers.enumerated().map { "  [\($0.offset + 1)] \($0.element)" }
      lines.append("  \(bar) \(PlayWords.wholeSeconds(left)) s")
    }
    return lines.map { TerminalText.fitting($0, columns: max(columns - 1, 10)) }
  }
}

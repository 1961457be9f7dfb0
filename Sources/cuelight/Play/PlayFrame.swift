import Files
import Terminal

/// Makes the terminal's control sequences that show lines: only for lines that changed.
struct PlayFrame {
  private var shown: [PlayScreen.Line] = []
  private var size: TerminalSize?
  private let usesColour: Bool

  init(usesColour: Bool) { self.usesColour = usesColour }

  /// Returns the text to send, in one piece to avoid flicker. It is empty if everything is already shown.
  ///
  /// - Parameter anew: Whether the terminal may no longer show what was sent before.
  mutating func update(_ lines: [PlayScreen.Line], size: TerminalSize, anew: Bool) -> String {
    var text = ""
    if anew || size != self.size {
      text = "\u{1B}[2J"
      shown = []
    }
    for row in 0..<max(lines.count, shown.count) {
      let line = row < lines.count ? lines[row] : PlayScreen.Line(text: "")
      guard (row < shown.count ? shown[row] : PlayScreen.Line(text: "")) != line else { continue }
      text += "\u{1B}[\(row + 1);1H\(coloured(line))\u{1B}[K"
    }
    (shown, self.size) = (lines, size)
    return text
  }

  private func coloured(_ line: PlayScreen.Line) -> String {
    let code: String? =
      switch line.look {
      case .plain: nil
      case .strong: "1"
      case .right: "1;32"
      case .wrong: "1;31"
      }
    guard usesColour, let code else { return line.text }
    return "\u{1B}[\(code)m\(line.text)\u{1B}[0m"
  }
}

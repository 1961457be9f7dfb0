import Basics
import EventSchedule

extension [LossSweep.Row] {
  /// The rows as a picture (SVG): a line for each way of repeating events, a column for each loss. Each cell says how many of the events are lost,
  /// and after which time 99 % of the others are known; the darker, the worse. It follows the light or dark style of the page.
  ///
  /// - Parameter title: The title.
  package func svg(title: String) -> String {
    let losses = map { $0.loss.readableText }.firstOfEach
    let policies = map { $0.policyText }.firstOfEach
    let layout = PlotLayout(columns: losses.count, lines: policies.count, labels: policies)
    var lines = layout.opening(title: title, about: summary)
    for (column, loss) in losses.enumerated() { lines.append(layout.columnLabel(loss, at: column)) }
    for (line, policy) in policies.enumerated() {
      lines.append(layout.lineLabel(policy, at: line))
      for row in self where row.policyText == policy {
        guard let column = losses.firstIndex(of: row.loss.readableText) else { continue }
        lines += layout.cell(row, column: column, line: line)
      }
    }
    return (lines + layout.closing).map { $0 + "\n" }.joined()
  }

  /// How much was tried.
  private var summary: String {
    guard let first else { return "Nothing was tried." }
    return "Events lost, of \(first.events.of("event")) in \(first.runs.of("run")) each; below, when 99 % of the others are known"
  }
}

extension LossSweep.Row {
  fileprivate var policyText: String {
    let refresh = policy.refreshInterval.map { "refreshed every \($0.shortestDecimalSeconds) s" } ?? "not refreshed"
    let rate = MediaTime(ticks: Int64(bitRate) * 90).text(decimals: 1)
    return "\(policy.copies.of("copy", "copies")), \(refresh) (\(rate) kbit/s)"
  }

  /// The share of lost events, and its level: from 0 for none to 5 for more than one in ten.
  fileprivate var share: (text: String, level: Int) {
    let total = runs * events
    guard lostEvents > 0, total > 0 else { return ("none", 0) }
    // In hundredths of a percent.
    let share = Double(lostEvents) / Double(total) * 10_000
    let level = [1, 10, 100, 1_000].firstIndex { share <= $0 }.map { $0 + 1 } ?? 5
    let percent = MediaTime(seconds: share / 100)
    return ("\(share < 1 ? "below 0.01" : percent.text(decimals: share < 1_000 ? 2 : 1)) %", level)
  }
}

extension [String] {
  /// The texts without repetitions.
  fileprivate var firstOfEach: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

/// The layout of the picture of a sweep.
private struct PlotLayout {
  let columns: Int
  let lines: Int
  /// The width of the labels in front.
  let left: Int

  private static let cellWidth = 92
  private static let cellHeight = 40
  private static let top = 132
  private static let margin = 16
  /// The approximate width of a character at 13 pixels.
  private static let character = 7

  init(columns: Int, lines: Int, labels: [String]) {
    (self.columns, self.lines) = (columns, lines)
    left = Self.margin + (labels.map { $0.count }.max() ?? 0) * Self.character + Self.margin
  }

  private var width: Int { max(left + columns * Self.cellWidth + Self.margin, 640) }
  private var height: Int { Self.top + lines * Self.cellHeight + 56 }

  func opening(title: String, about: String) -> [String] {
    [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" height=\"\(height)\" role=\"img\">",
      "<title>\(title.escapedForXML)</title>", "<desc>\(about.escapedForXML)</desc>", Self.style,
      "<rect class=\"paper\" width=\"\(width)\" height=\"\(height)\"/>",
      text(Self.margin, 32, title, "title"), text(Self.margin, 54, about, "small"),
      text(left, 78, "of all packets are lost:", "small"),
    ]
  }

  /// The legend of the colours.
  var closing: [String] {
    let names = ["none", "≤ 0.01 %", "≤ 0.1 %", "≤ 1 %", "≤ 10 %", "more"]
    let y = Self.top + lines * Self.cellHeight + 20
    return names.enumerated().flatMap { level, name in
      let x = Self.margin + level * Self.cellWidth
      return [
        "<rect class=\"c\(level)\" x=\"\(x)\" y=\"\(y)\" width=\"16\" height=\"16\" rx=\"3\"/>", text(x + 22, y + 13, name, "small"),
      ]
    } + ["</svg>"]
  }

  /// The label of a loss above its column. The length of bursts is on a line of its own.
  func columnLabel(_ loss: String, at column: Int) -> String {
    let x = left + column * Self.cellWidth + Self.cellWidth / 2
    // "1 %", or "1 % in bursts of 50".
    let words = loss.split(separator: " ")
    guard words.count > 2 else { return text(x, Self.top - 12, loss, "label middle") }
    return text(x, Self.top - 28, words.prefix(2).joined(separator: " "), "label middle")
      + text(x, Self.top - 12, words.dropFirst(2).joined(separator: " "), "small middle")
  }

  func lineLabel(_ policy: String, at line: Int) -> String {
    text(Self.margin, Self.top + line * Self.cellHeight + Self.cellHeight / 2 + 4, policy, "label")
  }

  func cell(_ row: LossSweep.Row, column: Int, line: Int) -> [String] {
    let (x, y) = (left + column * Self.cellWidth, Self.top + line * Self.cellHeight)
    let (share, level) = row.share
    let known = row.percentile99.map { "\($0.text(decimals: 1)) s" } ?? "none known"
    let middle = x + Self.cellWidth / 2
    return [
      "<rect class=\"c\(level)\" x=\"\(x + 2)\" y=\"\(y + 2)\" width=\"\(Self.cellWidth - 4)\" height=\"\(Self.cellHeight - 4)\" rx=\"4\"/>",
      text(middle, y + 18, share, "t\(level) middle"), text(middle, y + 32, known, "t\(level) small middle"),
    ]
  }

  private func text(_ x: Int, _ y: Int, _ text: String, _ classes: String) -> String {
    "<text class=\"\(classes)\" x=\"\(x)\" y=\"\(y)\">\(text.escapedForXML)</text>"
  }

  /// The colours in light and dark mode: texts keep a contrast of 4.5 to 1 or more.
  private static let style = """
    <style>
    text { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: #1c1c1e; }
    .title { font-size: 18px; font-weight: 600; }
    .small { font-size: 11px; }
    .middle { text-anchor: middle; }
    .paper { fill: #ffffff; }
    .c0 { fill: #d9f0dd; } .c1 { fill: #fff3c4; } .c2 { fill: #ffdf9e; } .c3 { fill: #ffbd80; } .c4 { fill: #f08a5d; } .c5 { fill: #a61e22; }
    .t5 { fill: #ffffff; }
    @media (prefers-color-scheme: dark) {
    text { fill: #f2f2f4; }
    .paper { fill: #161618; }
    .c0 { fill: #1e4d2b; } .c1 { fill: #4d4413; } .c2 { fill: #5e4410; } .c3 { fill: #6e3d12; } .c4 { fill: #7f2f1a; } .c5 { fill: #f0838a; }
    .t5 { fill: #161618; }
    }
    </style>
    """
}

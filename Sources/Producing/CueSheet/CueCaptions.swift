import Basics
public import EventSchedule
import GameEvents
import Sheets

/// The events of a cue sheet as captions, so that any player shows when something happens.
public struct CueCaptions: Equatable, Sendable {
  /// Lines that are shown for some time.
  public struct Caption: Equatable, Sendable {
    /// The start, in milliseconds.
    public var start: Int64
    /// The end, in milliseconds.
    public var end: Int64
    /// The lines. None is empty or contains a line break.
    public var lines: [String]

    /// Lines for some time.
    public init(start: Int64, end: Int64, lines: [String]) { (self.start, self.end, self.lines) = (start, end, lines) }
  }

  /// The captions, one after another. Simultaneous events share a caption.
  public var captions: [Caption]

  /// How long an event without a time of its own is shown.
  static let usualTime = MediaTime(seconds: 5)
  /// The longest time that a result is shown.
  static let resultTime = MediaTime(seconds: 10)
  /// The maximum number of events that are shown at once, the newest of them.
  static let mostAtOnce = 6

  /// The captions of events, which are in the order of their times.
  public init(_ events: [PlannedEvent]) { captions = Self.merged(Self.shown(events)) }

  /// What an event shows, and when.
  private struct Shown {
    var start: MediaTime
    var end: MediaTime
    var lines: [String]
  }

  private static func shown(_ events: [PlannedEvent]) -> [Shown] {
    var shown: [Shown] = []
    // The question or result that the next one replaces.
    var current: Int?
    var questions: [GUID: (index: Int, content: AskQuestion)] = [:]
    func replace(by lines: [String], at time: MediaTime, for duration: MediaTime) {
      if let index = current { shown[index].end = min(shown[index].end, time) }
      current = shown.count
      shown.append(Shown(start: time, end: time + duration, lines: lines))
    }
    for planned in events {
      let time = planned.time
      switch planned.event.content {
      case .startGame(let content):
        let count = content.totalQuestions.of("question")
        let countdown = content.startsIn.flatMap { $0 > .zero ? $0 : nil }
        let wait = countdown.map { ["Starts in \($0.shortestDecimalSeconds) s"] } ?? []
        replace(by: [content.title, count] + wait, at: time, for: countdown ?? usualTime)
      case .askQuestion(let content):
        questions[planned.event.guid] = (shown.count, content)
        let number = "Question \(content.questionNumber)\(content.totalQuestions.map { " of \($0)" } ?? "")"
        let answers = content.answers.enumerated().map { "[\($0.offset + 1)] \($0.element)" }
        replace(by: [number, content.question] + content.media.descriptions + answers, at: time, for: content.allottedTime)
      case .adjustTime(let content):
        guard let index = questions[content.questionGuid]?.index, index == current else { continue }
        shown[index].end = content.end(ofQuestionFrom: shown[index].start, adjustedAt: time)
      case .periodicInfo(let content):
        let players = content.players.map { ", \($0) players" } ?? ""
        shown.append(Shown(start: time, end: time + usualTime, lines: ["\(content.viewers) viewers\(players)"]))
      case .showResults(let content):
        let question = questions[content.questionGuid]?.content
        let right = content.right.map { $0.words(of: question) }
        let title = right.map { "Answer to question \(content.questionNumber): \($0)" } ?? "Result of question \(content.questionNumber)"
        let counts = content.counts.map { [$0.map(String.init).joined(separator: " · ")] } ?? []
        let lines = [title] + counts + [content.explanation, content.url].compactMap(\.self)
        replace(by: lines, at: time, for: resultTime)
      case .endGame(let content):
        let winners = content.winners.map { ["Winners: \($0.joined(separator: ", "))"] } ?? []
        replace(by: ["The game is over"] + winners, at: time, for: resultTime)
      case .custom(let type, let content):
        let text = content.isEmpty ? "" : " \(JSONValue.object(content).text)"
        shown.append(Shown(start: time, end: time + (planned.currentFor ?? usualTime), lines: ["\(type)\(text)"]))
      }
    }
    return shown
  }

  /// Cuts time wherever something begins or ends, and combines what is shown at the same time.
  private static func merged(_ shown: [Shown]) -> [Caption] {
    let pieces = shown.map { piece in
      Caption(
        start: piece.start.nearestMilliseconds, end: max(piece.end.nearestMilliseconds, piece.start.nearestMilliseconds + 1),
        lines: piece.lines.flatMap(\.captionLines))
    }
    let moments = Array(Set(pieces.flatMap { [$0.start, $0.end] })).sorted()
    var captions: [Caption] = []
    var active: [Caption] = []
    var next = 0
    for (moment, end) in zip(moments, moments.dropFirst()) {
      active.removeAll { $0.end <= moment }
      while next < pieces.count, pieces[next].start <= moment {
        if pieces[next].end > moment { active.append(pieces[next]) }
        next += 1
        if active.count > mostAtOnce { active.removeFirst() }
      }
      let lines = active.flatMap(\.lines)
      guard !lines.isEmpty else { continue }
      if let last = captions.last, last.end == moment, last.lines == lines {
        captions[captions.count - 1].end = end
      } else {
        captions.append(Caption(start: moment, end: end, lines: lines))
      }
    }
    return captions
  }
}

// MARK: - Files

extension CueCaptions {
  /// The captions as WebVTT (W3C, WebVTT: The Web Video Text Tracks Format).
  public var webVTT: String {
    let cues = captions.map { caption in
      "\(Self.clock(caption.start, point: ".")) --> \(Self.clock(caption.end, point: "."))\n"
        + caption.lines.map { "\($0.escapedForVTT)\n" }.joined()
    }
    return (["WEBVTT\n"] + cues).joined(separator: "\n")
  }

  /// The captions as SubRip, which has no specification, in the form that FFmpeg and VLC read.
  public var subRip: String {
    captions.enumerated().map { index, caption in
      "\(index + 1)\n\(Self.clock(caption.start, point: ",")) --> \(Self.clock(caption.end, point: ","))\n"
        + caption.lines.map { "\($0.escapedForSubRip)\n" }.joined()
    }.joined(separator: "\n")
  }

  /// `hh:mm:ss`, then milliseconds after a point or comma.
  private static func clock(_ milliseconds: Int64, point: String) -> String {
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    let clock = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { $0.digits(2) }.joined(separator: ":")
    return "\(clock)\(point)\(rest.digits(3))"
  }
}

extension MediaTime {
  /// The time in whole milliseconds, to the nearest one.
  fileprivate var nearestMilliseconds: Int64 { (ticks + 45) / 90 }
}

extension String {
  /// The text in lines that no reader takes for the end of a caption: none is empty, and none has invisible characters.
  fileprivate var captionLines: [String] {
    split { $0.isNewline }.map { String($0).visible(.text) }.filter { $0.utf8.contains { $0 != 0x20 } }
  }

  /// `&`, `<` and `>` as character references, so that there is neither a tag nor an arrow.
  fileprivate var escapedForVTT: String { replacing(["&": "&amp;", "<": "&lt;", ">": "&gt;"]) }

  /// SubRip has no character references. An invisible word joiner keeps readers from interpreting `<`, arrows and backslashes. Players that show
  /// SubRip as ASS hide any text in braces, so braces become wide ones.
  fileprivate var escapedForSubRip: String {
    var text = String.UnicodeScalarView()
    var last: Unicode.Scalar = " "
    for scalar in unicodeScalars {
      switch scalar {
      case "{": text.append("\u{FF5B}")
      case "}": text.append("\u{FF5D}")
      case ">" where last == "-": text.append(contentsOf: [Self.wordJoiner, scalar])
      case "<", "\\": text.append(contentsOf: [scalar, Self.wordJoiner])
      default: text.append(scalar)
      }
      last = scalar
    }
    return String(text)
  }

  private static let wordJoiner: Unicode.Scalar = "\u{2060}"
}

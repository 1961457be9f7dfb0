import Basics
import EventSchedule
import GameEvents
import Sheets

/// Writes numbers and GUIDs into cues, so that events stay what they were although cues around them are gone: both are counted or derived from all
/// cues of a sheet.
struct PinnedNumbers {
  /// The cues as they were written, and the events that they have to be, in the order of the text.
  private let cues: [(cue: Cue, event: GameEvent)]
  private let source: String
  /// What to write into each cue, in the order of the text.
  private var pins: [[(key: String, value: String)]]

  /// - Parameters:
  ///   - source: The text of a sheet that some cues were taken out of.
  ///   - events: The events of the cues that are left, in the order of the text.
  init(_ source: String, events: [GameEvent]) throws(SheetError) {
    let reader = try SheetReader(source)
    guard reader.cues.count == events.count else { throw ShiftedSheet.failure }
    self.source = source
    cues = Array(zip(reader.cues, events))
    pins = Array(repeating: [], count: cues.count)
    pinNumbers()
    pinTotals()
  }

  /// Pins the GUIDs of events that have others in a sheet's text.
  mutating func pinGUIDs(otherThan guids: Set<GUID>) {
    for (index, pair) in cues.enumerated() where pair.cue.guid == nil && !guids.contains(pair.event.guid) {
      pins[index].append(("guid", "\"\(pair.event.guid)\""))
    }
  }

  /// The text with what was pinned.
  func text() throws(SheetError) -> String {
    var editor = SheetEditor(source)
    for (index, pair) in cues.enumerated() where !pins[index].isEmpty { try editor.insert(pins[index], intoMappingAt: pair.cue.place) }
    return editor.text
  }

  /// The cues in the order of the programme, as indices.
  private var order: [Int] {
    cues.indices.sorted { (cues[$0].cue.at ?? .zero, $0) < (cues[$1].cue.at ?? .zero, $1) }
  }

  /// Pins sequence numbers and question numbers that do not follow from the one before.
  private mutating func pinNumbers() {
    var (sequence, number) = (0, 0)
    for index in order {
      let (cue, event) = cues[index]
      if cue.sequence == nil, let wanted = event.sequence, wanted != sequence + 1 { pins[index].append(("sequence", "\(wanted)")) }
      sequence = max(sequence, event.sequence ?? 0)
      guard case .askQuestion(let written) = cue.content, case .askQuestion(let question) = event.content else { continue }
      if written.questionNumber == nil, question.questionNumber != number + 1 {
        pins[index].append(("questionNumber", "\(question.questionNumber)"))
      }
      number = question.questionNumber
    }
  }

  /// Pins the numbers of questions of the game that are counted otherwise now.
  private mutating func pinTotals() {
    var total: Int?
    var count = 0
    for index in order {
      if case .startGame(let start) = cues[index].cue.content { total = total ?? start.totalQuestions }
      if case .askQuestion = cues[index].cue.content { count += 1 }
    }
    var counted = total ?? count
    for index in order {
      guard case .startGame(let written) = cues[index].cue.content, case .startGame(let start) = cues[index].event.content,
        written.totalQuestions == nil, start.totalQuestions != counted
      else { continue }
      pins[index].append(("totalQuestions", "\(start.totalQuestions)"))
      if total == nil { (total, counted) = (start.totalQuestions, start.totalQuestions) }
    }
    var asked = 0
    for index in order {
      switch (cues[index].cue.content, cues[index].event.content) {
      case (.askQuestion(let written), .askQuestion(let question)):
        asked += 1
        guard written.totalQuestions == nil, let wanted = question.totalQuestions, wanted != counted else { continue }
        pins[index].append(("totalQuestions", "\(wanted)"))
      case (.endGame(let written), .endGame(let end)):
        guard written.totalQuestions == nil, end.totalQuestions != asked else { continue }
        pins[index].append(("totalQuestions", "\(end.totalQuestions)"))
      default: continue
      }
    }
  }
}

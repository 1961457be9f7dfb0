import Basics
import GameEvents
import Sheets

/// A cue sheet as it was written, with the mistakes in its parts.
struct SheetReader {
  var problems: [SheetProblem]
  /// What is allowed but rarely intended.
  private(set) var warnings: [SheetProblem] = []
  private(set) var game: String?
  private(set) var title: String?
  private(set) var cues: [Cue] = []
  /// Whether the types of all cues are known, so that rules about their order can be checked.
  private(set) var isComplete = true
  /// How the sheet writes times.
  private(set) var clock = SheetClock()
  private var defaults = CueDefaults()

  /// The cues in the order of their times, those of one time in the order of the text.
  var cuesInOrder: [Cue] {
    cues.enumerated().sorted { ($0.element.at ?? .zero, $0.offset) < ($1.element.at ?? .zero, $1.offset) }.map(\.element)
  }

  /// Reads a cue sheet's text.
  ///
  /// - Parameter offset: How much later each cue happens than the sheet says; negative for earlier.
  /// - Throws: The mistake that makes it impossible to read the whole text.
  init(_ text: String, offset: MediaTime = .zero) throws(SheetError) {
    guard let (root, repeated) = try SheetNode.parse(text) else {
      throw SheetError(at: .start, "the cue sheet is empty; write game: and cues:")
    }
    problems = repeated
    guard case .mapping(let members, let place) = root else {
      throw SheetError(at: root.place, "the cue sheet is \(root.kind); write a mapping with game: and cues:")
    }
    if let questions = members.first(where: { $0.key == "questions" }), !members.contains(where: { $0.key == "cues" }) {
      throw SheetError(at: questions.keyPlace, "this is a quiz file: make a cue sheet of it with cuelight plan")
    }
    var fields = SheetFields(members, at: place, name: "the cue sheet")
    game = fields.text("game", isRequired: true)
    title = fields.text("title")
    defaults.title = title
    if let node = fields.take("defaults") { readDefaults(node) }
    clock = SheetClock(&fields)
    let list = fields.take("cues", isRequired: true)
    fields.refuseRest()
    problems += fields.problems
    if let list { readCues(list, offset: offset) }
    warnings = CutText.warnings(in: root, of: text, skipping: Self.keysWithoutText) + cues.compactMap(\.nameWarning)
  }

  /// Keys whose values are not texts, so that a `#` after a value begins a comment.
  private static let keysWithoutText = Set(
    [
      "at", "event", "guid", "sequence", "startsIn", "startsAt", "allottedTime", "currentFor", "timecode", "timeOfDay", "tag", "copies",
      "base64",
    ] + RightAnswer.keys + QuestionTask.keysWithoutText)

  private mutating func readDefaults(_ node: SheetNode) {
    let message = "\"defaults\" is \(node.kind); write a mapping such as { allottedTime: 10 }"
    guard var fields = node.fields("\"defaults\"", &problems, else: message) else { return }
    defaults.allottedTime = fields.duration("allottedTime") ?? defaults.allottedTime
    defaults.category = fields.text("category")
    defaults.difficulty = fields.text("difficulty")
    fields.refuseRest()
    problems += fields.problems
  }

  private mutating func readCues(_ node: SheetNode, offset: MediaTime) {
    guard case .list(let nodes, let place) = node else {
      problems.report(at: node.place, "\"cues\" is \(node.kind); write a list of cues, each beginning with a dash")
      return
    }
    guard !nodes.isEmpty else {
      problems.report(at: place, "\"cues\" is empty; add a cue such as { at: 5s, event: startGame }")
      return
    }
    guard nodes.count <= CueSheet.largestCueCount else {
      let first = nodes[CueSheet.largestCueCount]
      problems.report(
        at: first.place, "there are \(nodes.count) cues, above the limit of \(CueSheet.largestCueCount); split the sheet here")
      isComplete = false
      return
    }
    for node in nodes {
      guard let cue = CueReader.read(node, defaults, clock: clock, &problems) else {
        isComplete = false
        continue
      }
      cues.append(cue)
    }
    var times = CueTimes(cues, offset: offset)
    times.resolve()
    problems += times.problems
    for index in cues.indices {
      // A cue without a usable time counts as simultaneous with the one before it.
      cues[index].at = times.times[index] ?? (index > 0 ? cues[index - 1].at : nil) ?? .zero
    }
  }
}

public import Basics
import EventSchedule
import GameEvents
public import Sheets

/// A cue sheet whose cues happen earlier or later, with its text, comments and order as they were.
///
/// Only the times are rewritten, each in its previous form. Cues that count their time from others move with those.
public struct ShiftedSheet: Equatable, Sendable {
  /// The new text.
  public var text: String
  /// The number of its cues.
  public var cues: Int
  /// The cues that were left out, each with its place in the old text and why.
  public var dropped: [SheetProblem]

  /// Moves the cues of a sheet.
  ///
  /// - Parameters:
  ///   - bytes: The sheet's text, in UTF-8.
  ///   - duration: How much later each cue will happen; negative for earlier.
  ///   - dropsEarly: Whether cues that would come before the beginning are left out, with the results and changes of such questions.
  /// - Throws: The sheet's mistakes, or the cues that would come before the beginning.
  public init(_ bytes: [UInt8], by duration: MediaTime, dropsEarly: Bool = false) throws(SheetError) {
    let policy = CopyPolicy(largestTagSize: CopyPolicy.largestPESPayload)
    let sheet = try CueSheet.parse(bytes, policy: policy, answers: .open)
    let source = try String(sheet: bytes, name: "the cue sheet")
    let reader = try SheetReader(source)
    guard let (root, _) = try SheetNode.parse(source) else { throw SheetError(at: .start, "the cue sheet is empty; write game: and cues:") }
    let early = Self.early(sheet, by: duration)
    guard early.isEmpty || dropsEarly else { throw SheetError(early) }
    guard early.count < sheet.events.count else {
      throw SheetError(at: .start, "all cues would come before the programme begins, so that none is left")
    }
    let gone = Set(early.map(\.place))
    let edits = Self.edits(reader, by: duration, without: gone)
    var editor = SheetEditor(source)
    for (place, old, new) in edits { try editor.replace(old, at: place, with: new) }
    var isBehindAnother = false
    for place in reader.cues.map(\.place) {
      if gone.contains(place) { try editor.removeElement(at: place, isBehindAnother: isBehindAnother) } else { isBehindAnother = true }
    }
    let edited = editor.text
    text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? "\u{FEFF}\(edited)" : edited
    cues = sheet.events.count - early.count
    dropped = early
    // Checks that the edited text has the intended values, because some texts cannot be edited, such as aliases.
    let texts = Dictionary(edits.map { ($0.place, $0.new) }) { first, _ in first }
    let expected = root.edited(texts, without: gone)
    let isRight = (try? SheetNode.parse(edited)).map { expected?.hasSameValues(as: $0.root) ?? false } ?? false
    guard isRight else {
      throw SheetError(at: .start, "this sheet is written in a way that cannot be edited here; write each cue's time in the cue itself")
    }
  }

  /// Returns the cues that would come before the beginning, and those that depend on one of them.
  private static func early(_ sheet: CueSheet, by duration: MediaTime) -> [SheetProblem] {
    var problems: [SheetProblem] = []
    var questions: Set<GUID> = []
    for (planned, place) in zip(sheet.events, sheet.places) {
      let time = planned.time + duration
      let reason: String
      if time < .zero {
        reason = "would come \((MediaTime.zero - time).shortestDecimalSeconds) s before the programme begins"
        if planned.event.type == .askQuestion { questions.insert(planned.event.guid) }
      } else {
        guard let question = planned.event.content.questionGUID, questions.contains(question) else { continue }
        reason = "is of a question that would come before the programme begins"
      }
      problems.report(at: place, "this \(planned.event.type) \(reason)")
    }
    return problems.inOrder
  }

  /// Returns the times to rewrite, each with its old and new text.
  private static func edits(
    _ reader: SheetReader, by duration: MediaTime, without gone: Set<SheetPlace>
  ) -> [(place: SheetPlace, old: String, new: String)] {
    var edits: [(place: SheetPlace, old: String, new: String)] = []
    // Times that count from a removed cue become absolute times.
    let sources = CueTimes.sources(of: reader.cues)
    for (index, cue) in reader.cues.enumerated() where !gone.contains(cue.place) {
      guard let moment = cue.moment, let written = cue.momentText, let at = cue.at else { continue }
      let time = at + duration
      if moment.value.anchor == nil {
        edits.append((moment.place, written, reader.clock.text(of: time, likeTime: written)))
      } else if sources[index].contains(where: { gone.contains(reader.cues[$0].place) }) {
        edits.append((moment.place, written, "\(time.shortestDecimalSeconds)s"))
      }
    }
    return edits
  }
}

extension SheetNode {
  /// The node with other texts at some places, and without the elements of lists that begin at some places; `nil` for nothing.
  fileprivate func edited(_ texts: [SheetPlace: String], without gone: Set<SheetPlace>) -> SheetNode? {
    switch self {
    case .scalar(var scalar):
      if let text = texts[scalar.place] { scalar.text = text }
      return .scalar(scalar)
    case .list(let elements, let place):
      return .list(elements.filter { !gone.contains($0.place) }.compactMap { $0.edited(texts, without: gone) }, place)
    case .mapping(let members, let place):
      return .mapping(
        members.compactMap { member in
          var member = member
          guard let value = member.value.edited(texts, without: gone) else { return nil }
          member.value = value
          return member
        }, place)
    }
  }

  /// Whether both have the same keys and texts, regardless of their places.
  fileprivate func hasSameValues(as other: SheetNode) -> Bool {
    switch (self, other) {
    case (.scalar(let left), .scalar(let right)): left.text.hasSameBytes(as: right.text)
    case (.list(let left, _), .list(let right, _)):
      left.count == right.count && zip(left, right).allSatisfy { $0.hasSameValues(as: $1) }
    case (.mapping(let left, _), .mapping(let right, _)):
      left.count == right.count && zip(left, right).allSatisfy { $0.key.hasSameBytes(as: $1.key) && $0.value.hasSameValues(as: $1.value) }
    default: false
    }
  }
}

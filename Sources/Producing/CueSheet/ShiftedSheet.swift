public import Basics
import EventSchedule
import GameEvents
public import Sheets

/// A cue sheet whose cues happen earlier or later, with its text, comments and order as they were.
///
/// The times are rewritten, each in its previous form. Cues that count their time from others move with those. All events keep their GUIDs and
/// numbers: if cues are left out, numbers that would be counted otherwise are written into the cues that stay.
public struct ShiftedSheet: Equatable, Sendable {
  /// The new text.
  public var text: String
  /// The number of its cues.
  public var cues: Int
  /// The cues that were left out, each with its place in the old text and why.
  public var dropped: [SheetProblem]

  /// Moves all cues of a sheet.
  ///
  /// - Parameters:
  ///   - bytes: The sheet's text, in UTF-8.
  ///   - duration: How much later each cue will happen; negative for earlier.
  ///   - dropsEarly: Whether cues that would come before the beginning are left out, with the results and changes of such questions.
  /// - Throws: The sheet's mistakes, or the cues that would come before the beginning.
  public init(_ bytes: [UInt8], by duration: MediaTime, dropsEarly: Bool = false) throws(SheetError) {
    try self.init(bytes, CueShift(by: duration), dropsEarly: dropsEarly)
  }

  /// Moves cues of a sheet. Cues in parts that are cut out are left out, with the results and changes of such questions.
  ///
  /// - Parameters:
  ///   - bytes: The sheet's text, in UTF-8.
  ///   - shift: What is cut out, and what is moved.
  ///   - dropsEarly: Whether cues that would come before the beginning are left out, with the results and changes of such questions.
  /// - Throws: The sheet's mistakes, the cues that would come before the beginning, or those that would change their order.
  public init(_ bytes: [UInt8], _ shift: CueShift, dropsEarly: Bool = false) throws(SheetError) {
    let sheet = try CueSheet.parse(bytes, policy: Self.policy, answers: .open, readTag: TagFileError.unread)
    let source = try String(sheet: bytes, name: "the cue sheet")
    let reader = try SheetReader(source)
    guard let (root, _) = try SheetNode.parse(source) else { throw SheetError(at: .start, "the cue sheet is empty; write game: and cues:") }
    let left = shift.leftOut(of: sheet)
    guard left.early.isEmpty || dropsEarly else { throw SheetError(left.early) }
    dropped = (left.early + left.cut).inOrder
    cues = sheet.events.count - dropped.count
    guard cues > 0 else {
      let reason = left.cut.isEmpty ? "all cues would come before the programme begins" : "all cues are cut out or come too early"
      throw SheetError(at: .start, "\(reason), so that none is left")
    }
    let gone = left.places
    try Self.requireOrder(of: sheet, shift, without: gone)
    let edits = Self.edits(reader, shift, without: gone)
    var editor = SheetEditor(source)
    for (place, old, new) in edits { try editor.replace(old, at: place, with: new) }
    var isAfterAnother = false
    for place in reader.cues.map(\.place) {
      if gone.contains(place) { try editor.removeElement(at: place, isAfterAnother: isAfterAnother) } else { isAfterAnother = true }
    }
    let edited = editor.text
    // Checks that the edited text has the intended values, because some texts cannot be edited, such as aliases.
    let texts = Dictionary(edits.map { ($0.place, $0.new) }) { first, _ in first }
    let expected = root.edited(texts, without: gone)
    let isRight = (try? SheetNode.parse(edited)).map { expected?.hasSameValues(as: $0.root) ?? false } ?? false
    guard isRight else { throw Self.failure }
    let whole = try Self.pinned(edited, of: sheet, shift, reader.cues.map(\.place).filter { !gone.contains($0) })
    text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? "\u{FEFF}\(whole)" : whole
  }

  /// A sheet that was stamped with any policy can be moved.
  private static let policy = CopyPolicy(largestTagSize: CopyPolicy.largestPESPayload)

  static let failure = SheetError(
    at: .start, "this sheet is written in a way that cannot be edited here; write each cue's time in the cue itself")

  /// Refuses to change the order of events: their numbers tell it.
  private static func requireOrder(of sheet: CueSheet, _ shift: CueShift, without gone: Set<SheetPlace>) throws(SheetError) {
    var problems: [SheetProblem] = []
    var last: (time: MediaTime, place: SheetPlace, type: EventType)?
    for (planned, place) in zip(sheet.events, sheet.places) where !gone.contains(place) {
      guard let time = shift.time(of: planned.time) else { continue }
      if let last, (time, place) < (last.time, last.place) {
        problems.report(
          at: place, "this \(planned.event.type) would come before the \(last.type) in line \(last.place.line), which it follows now")
      } else {
        last = (time, place, planned.event.type)
      }
    }
    guard problems.isEmpty else { throw SheetError(problems) }
  }

  /// Returns the times to rewrite, each with its old and new text.
  private static func edits(
    _ reader: SheetReader, _ shift: CueShift, without gone: Set<SheetPlace>
  ) -> [(place: SheetPlace, old: String, new: String)] {
    var edits: [(place: SheetPlace, old: String, new: String)] = []
    let moved = reader.cues.map { cue in gone.contains(cue.place) ? nil : cue.at.flatMap { shift.time(of: $0) } }
    let sources = CueTimes.sources(of: reader.cues)
    for (index, cue) in reader.cues.enumerated() {
      guard let moment = cue.moment, let written = cue.momentText, let at = cue.at, let time = moved[index] else { continue }
      if moment.value.anchor == nil {
        edits.append((moment.place, written, reader.clock.text(of: time, likeTime: written)))
        continue
      }
      // Times that count from a removed cue, or from one that moves by another distance, become absolute times.
      let follows = sources[index].allSatisfy { source in
        guard let there = moved[source], let old = reader.cues[source].at else { return false }
        return there - old == time - at
      }
      if !follows { edits.append((moment.place, written, "\(time.shortestDecimalSeconds)s")) }
    }
    return edits
  }

  /// Returns a text whose cues are the events that they were, apart from their times.
  ///
  /// - Parameter places: The places of the remaining cues in the old text, in its order.
  private static func pinned(
    _ edited: String, of sheet: CueSheet, _ shift: CueShift, _ places: [SheetPlace]
  ) throws(SheetError) -> String {
    let planned = Dictionary(zip(sheet.places, sheet.events)) { first, _ in first }
    let events = places.compactMap { planned[$0]?.event }
    var pins = try PinnedNumbers(edited, events: events)
    let kept = Set(events.map(\.guid))
    let expected = sheet.events.filter { kept.contains($0.event.guid) }.map { planned in
      var planned = planned
      planned.event.at = shift.time(of: planned.time)
      return planned
    }
    var text = try pins.text()
    var found = try CueSheet.parse(Array(text.utf8), policy: policy, answers: .open).events
    if found != expected {
      pins.pinGUIDs(otherThan: Set(found.map(\.event.guid)))
      text = try pins.text()
      found = try CueSheet.parse(Array(text.utf8), policy: policy, answers: .open).events
    }
    guard found == expected else { throw failure }
    return text
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

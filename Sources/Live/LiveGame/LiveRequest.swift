package import Basics
package import GameEvents
package import CueSheet
import HLSPlaylist
import Sheets

/// A cue for a running stream: the event, and when it goes into the stream.
package struct LiveRequest: Sendable {
  /// When an event goes into the stream.
  package enum Due: Equatable, Sendable {
    /// Before the next access unit.
    case next
    /// At a time on the programme's timeline.
    case at(MediaTime)
    /// After a time has passed.
    case after(MediaTime)
    /// With the frame that has this date, in milliseconds since 1970.
    case wallClock(Int64)
    /// With the frame that has this timecode.
    case timecode(TimecodeLabel)
    /// When the operator says so.
    case go
  }

  /// The cue without the keys of this request.
  let cue: SheetNode
  /// The request as JSON, for the journal and to compare it with another one.
  package let object: JSONObject
  /// The identifier; `nil` if the request gives none.
  package var guid: GUID?
  /// The game that the event belongs to; `nil` for the session's.
  package var game: String?
  /// When the event goes into the stream.
  package var due = Due.next
  /// Whether a late event goes before the next access unit, instead of being refused.
  package var isLateAllowed = false
  /// How long the event may wait while the stream has no frames; `nil` for no limit.
  package var expires: MediaTime?
  /// The timecode at which the event goes into the stream, as it is written; `nil` if the request gives none.
  var timecode: String? { if case .timecode(let label) = due { label.text } else { nil } }
  /// The event's type; empty if the request gives none.
  let type: String

  /// Reads a request in JSON.
  ///
  /// - Parameter isStored: Whether it comes from a journal. There, a name may be a number that was in a sheet in YAML.
  /// - Throws: `LiveProblem.invalid`.
  package init(json text: String, isStored: Bool = false) throws(LiveProblem) {
    guard let (root, problems) = JSONSheet.parse(text), case .mapping = root else {
      if let failure = JSONSheet.failure(of: text) { throw LiveProblem(failure, in: nil) }
      throw .invalid([.init(pointer: "", message: "a cue is expected here; write a JSON object such as {\"event\":\"askQuestion\",…}")])
    }
    // In YAML a name needs no quotation marks; in JSON it is a string, and null is no name.
    var mistakes = problems
    if !isStored, case .mapping(let members, _) = root {
      for key in ["event", "guid"] {
        guard case .scalar(let scalar)? = members.first(where: { $0.key == key })?.value, scalar.isPlain else { continue }
        mistakes.report(at: scalar.place, "\(key.quoted) is \(scalar.text); write a text in quotation marks")
      }
    }
    guard mistakes.isEmpty else { throw LiveProblem(SheetError(mistakes), in: root) }
    do throws(SheetError) { try self.init(reading: root) } catch { throw LiveProblem(error, in: root) }
  }

  /// Reads a cue of a sheet.
  ///
  /// - Throws: `SheetError` with every mistake outside of the event itself, such as in its time.
  init(reading written: SheetNode) throws(SheetError) {
    let node = written.asJSONWritesIt
    guard case .mapping(let members, let place) = node else {
      throw SheetError(at: node.place, "a cue is \(node.kind) here; write a mapping such as { event: askQuestion, … }")
    }
    var fields = SheetFields(members, at: place, name: "this cue")
    var dues: [(key: String, due: Due?, place: SheetPlace)] = []
    for key in ["at", "in", "wallClock", "timecode"] {
      guard let value = fields.take(key) else { continue }
      dues.append((key, Self.due(key, value, &fields.problems), value.place))
    }
    for other in dues.dropFirst() {
      fields.problems.report(at: other.place, "\(other.key.quoted) and \(dues[0].key.quoted) exclude each other; write one of them")
    }
    if let due = dues.first?.due { self.due = due }
    if let late = fields.take("late") {
      switch late.text("late", &fields.problems) {
      case "next": isLateAllowed = true
      case "refuse", nil: break
      case let other?: fields.problems.report(at: late.place, "\"late\" is \(other.quoted); write next or refuse")
      }
    }
    if let name = fields.take("game") {
      game = name.text("game", &fields.problems)
      if let game, !(1...Self.largestGameName).contains(game.utf8.count) {
        fields.problems.report(at: name.place, "\"game\" has \(game.utf8.count) bytes; write 1 to \(Self.largestGameName)")
      }
    }
    if let wait = fields.take("expires") { expires = wait.duration("expires", &fields.problems) }
    if let node = members.first(where: { $0.key == "guid" })?.value, case .scalar(let scalar) = node { guid = GUID(scalar.text) }
    if case .scalar(let scalar)? = members.first(where: { $0.key == "event" })?.value { type = scalar.text } else { type = "" }
    guard case .object(let object) = node.json(&fields.problems), fields.problems.isEmpty else {
      throw SheetError(fields.problems)
    }
    self.object = object
    cue = .mapping(fields.takeRemaining(), place)
  }

  /// The maximum number of bytes of a game's name, for which the tags of questions have room.
  private static let largestGameName = 100

  private static func due(_ key: String, _ value: SheetNode, _ problems: inout [SheetProblem]) -> Due? {
    switch key {
    case "in": return value.time(key, &problems).map { .after($0) }
    case "wallClock":
      guard let text = value.text(key, &problems) else { return nil }
      guard let date = PlaylistDate(text) else {
        problems.report(at: value.place, "\"wallClock\" is \(text.quoted); write a date and time such as 2026-11-20T20:00:00Z")
        return nil
      }
      return .wallClock(date.milliseconds)
    case "timecode":
      guard let text = value.text(key, &problems) else { return nil }
      guard let label = TimecodeLabel(text) else {
        problems.report(at: value.place, "\"timecode\" is \(text.quoted); write hh:mm:ss:ff, or hh:mm:ss;ff in drop frame")
        return nil
      }
      return .timecode(label)
    default:
      if case .scalar(let scalar) = value, scalar.text == "go" { return .go }
      return value.time(key, &problems).map { .at($0) }
    }
  }
}

extension SheetNode {
  /// The node with texts in place of numbers and truth values that JSON writes in another way than YAML, such as 007 and True. So the journal returns
  /// what was posted.
  fileprivate var asJSONWritesIt: SheetNode {
    switch self {
    case .scalar(var scalar):
      let isSame = scalar.text.isEmpty || ["true", "false", "null"].contains(scalar.text) || JSONNumber(scalar.text) != nil
      scalar.isPlain = scalar.isPlain && isSame
      return .scalar(scalar)
    case .list(let elements, let place): return .list(elements.map(\.asJSONWritesIt), place)
    case .mapping(let members, let place):
      return .mapping(
        members.map { member in
          var member = member
          member.value = member.value.asJSONWritesIt
          return member
        }, place)
    }
  }
}

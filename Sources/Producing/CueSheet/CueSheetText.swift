public import Basics
public import GameEvents
import Sheets

/// A cue sheet on its way to a file that people read and edit: YAML, one key a line.
public struct CueSheetText: Equatable, Sendable {
  /// Lines at the top, each of which becomes a comment.
  public var comments: [String]
  /// The name of the broadcast.
  public var game: String
  /// What the show is called.
  public var title: String?
  /// The cues, each with its keys and values in the order in which they are written.
  public var cues: [JSONObject]

  /// A cue sheet.
  public init(comments: [String] = [], game: String, title: String? = nil, cues: [JSONObject] = []) {
    self.comments = comments
    self.game = game
    self.title = title
    self.cues = cues
  }

  /// The cue sheet as YAML. ``CueSheet/parse(_:policy:answers:programmeDuration:)`` reads the same out of it.
  public var yaml: String {
    var text = ""
    for comment in comments { text += "# \(comment.yamlComment)\n" }
    if !comments.isEmpty { text += "\n" }
    text += "game: \(Self.scalar(.string(game)))\n"
    if let title { text += "title: \(Self.scalar(.string(title)))\n" }
    text += "\ncues:\n"
    for cue in cues {
      for (index, member) in cue.members.enumerated() {
        text += "\(index == 0 ? "  - " : "    ")\(Self.key(member.key)): \(Self.scalar(member.value))\n"
      }
    }
    return text
  }

  /// A key, in quotation marks unless it is a plain word.
  private static func key(_ key: String) -> String {
    let isWord = key.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
    return isWord && !key.isEmpty ? key : scalar(.string(key))
  }

  /// A value on one line, texts in quotation marks.
  private static func scalar(_ value: JSONValue) -> String {
    switch value {
    case .array(let elements): return "[\(elements.map { scalar($0) }.joined(separator: ", "))]"
    case .object(let object):
      return object.isEmpty ? "{}" : "{ \(object.members.map { "\(key($0.key)): \(scalar($0.value))" }.joined(separator: ", ")) }"
    case .string(let text): return text.quotedYAML
    case .null, .bool, .number: return value.text
    }
  }
}

extension CueSheetText {
  /// An event as a cue, with all that a cue sheet can say of it.
  ///
  /// - Parameters:
  ///   - event: The event. Values that travel only in streams are left out: seals and salts are made when the sheet is stamped. Further keys
  ///     are written only for the events that may have them in a cue sheet.
  ///   - keepsGUID: Whether its GUID is written, so that it stays the same event.
  ///   - keepsSequence: Whether its sequence number is written; without it a cue sheet counts its events.
  ///   - correctAnswer: The index of the right answer of a question that does not tell it.
  public static func cue(for event: GameEvent, keepsGUID: Bool, keepsSequence: Bool, correctAnswer: Int? = nil) -> JSONObject {
    var cue = JSONObject()
    if let number = JSONNumber((event.at ?? .zero).shortestDecimalSeconds) { cue.append("at", .number(number)) }
    cue.append("event", .string(event.type.text))
    if keepsGUID { cue.append("guid", .string(event.guid.text)) }
    if keepsSequence, let sequence = event.sequence { cue.append("sequence", .number(JSONNumber(sequence))) }
    var content = event.content.object.removing(["seal", "salt"])
    switch event.content {
    case .askQuestion:
      if let correctAnswer, content["correctAnswer"] == nil { content.append("correctAnswer", .number(JSONNumber(correctAnswer))) }
    case .adjustTime: content = content.removing(["questionGuid"])
    case .showResults: content = content.removing(["questionGuid", "correctAnswer"])
    case .periodicInfo: for member in event.unknownKeys.members { content.append(member.key, member.value) }
    case .startGame, .endGame, .custom: break
    }
    for member in content.members { cue.append(member.key, member.value) }
    return cue
  }
}

public import Basics
public import GameEvents
import Sheets

/// A cue sheet to be written to a file that people read and edit: YAML, one key a line.
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

  /// The cue sheet as YAML. ``CueSheet/parse(_:policy:answers:programmeDuration:)`` reads the same from it.
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
  /// The sheet of a game's events, which are in their order.
  ///
  /// - Parameters:
  ///   - rightAnswers: The right answers of questions that do not contain them.
  ///   - keepsGUID: Whether the GUID of the event at an index is written.
  package init(
    comments: [String], game: GameID, _ events: [GameEvent], rightAnswers: [GUID: RightAnswer], keepsGUID: (Int) -> Bool = { _ in true }
  ) {
    self.init(comments: comments, game: game.text)
    let areInSequence = events.enumerated().allSatisfy { $0.element.sequence == $0.offset + 1 }
    for case .startGame(let start) in events.map(\.content) where title == nil { title = start.title }
    let predictions = Set(
      events.compactMap { event in
        if case .askQuestion(let question) = event.content, question.task.kind == .prediction { event.guid } else { nil }
      })
    cues = events.enumerated().map { index, event in
      Self.cue(
        for: event, keepsGUID: keepsGUID(index), keepsSequence: !areInSequence, right: rightAnswers[event.guid],
        settles: event.content.questionGUID.map { predictions.contains($0) } ?? false)
    }
  }

  /// The keys of these events that a sheet cannot contain, in words; `nil` if there are none.
  package static func lostKeys(of events: [GameEvent]) -> String? {
    let poorer = events.count { !$0.unknownKeys.isEmpty && $0.type != .periodicInfo }
    return poorer == 0 ? nil : "\(poorer.of("event has", "events have")) keys that no cue sheet has; they are left out"
  }

  /// Returns an event as a cue, with everything that a cue sheet can say about it.
  ///
  /// - Parameters:
  ///   - event: The event. Values that travel only in streams are left out: seals and salts are made when the sheet is stamped. Further keys
  ///     are written only for the events that may have them in a cue sheet.
  ///   - keepsGUID: Whether its GUID is written, so that it stays the same event.
  ///   - keepsSequence: Whether its sequence number is written; without it a cue sheet counts its events.
  ///   - right: The right answer of a question that does not contain it.
  ///   - settles: Whether it is the result of a prediction, which alone says what is right.
  public static func cue(for event: GameEvent, keepsGUID: Bool, keepsSequence: Bool, right: RightAnswer? = nil, settles: Bool = false)
    -> JSONObject
  {
    var cue = JSONObject(fields: ["at": event.at ?? .zero, "event": event.type.text])
      .with("guid", keepsGUID ? event.guid.text : nil).with("sequence", keepsSequence ? event.sequence : nil)
    var content = event.content.object.removing(["seal", "salt"])
    switch event.content {
    case .askQuestion(let question):
      if question.right == nil, let right { content.append(right.key, right.json) }
    case .adjustTime: content = content.removing(["questionGuid"])
    case .showResults: content = content.removing(["questionGuid"] + (settles ? [] : RightAnswer.keys))
    case .periodicInfo: for member in event.unknownKeys.members { content.append(member.key, member.value) }
    case .startGame, .endGame, .custom: break
    }
    for member in content.members { cue.append(member.key, member.value) }
    return cue
  }
}

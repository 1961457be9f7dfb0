import Basics

// What an event says in a debugger and a log: who it is, and not where it is stored.

extension GameEvent: CustomStringConvertible {
  /// The event in words, for example `askQuestion #2 of quick-round at 2 s (8549f608-…)`.
  public var description: String {
    var text = type.text
    if let sequence { text += " #\(sequence)" }
    if let game { text += " of \(game)" }
    if let at { text += " at \(at.shortestDecimalSeconds) s" }
    return text + " (\(guid.text))"
  }
}

extension EventCopy: CustomStringConvertible {
  /// The copy in words, for example `copy 1/3 of askQuestion #2 of quick-round at 2 s (8549f608-…)`.
  public var description: String {
    let number = isRefresh ? "refresh" : "copy \(copy)/\(copies)"
    let late = age > .zero ? ", \(age.shortestDecimalSeconds) s old" : ""
    return "\(number) of \(event.description)\(late)\(isVerified ? "" : ", unverified")"
  }
}

// Embedded Swift has no `Codable`.
#if !hasFeature(Embedded)
  extension GameEvent: Codable {
    /// Decodes the JSON of a copy, a text.
    ///
    /// - Throws: `DecodingError` if the text is none that an event can be read from.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      do {
        self = try EventCopy(parsing: try container.decode(String.self), description: "").event
      } catch let error as EventError {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
      }
    }

    /// Encodes the JSON of a copy as a text: the form of the event that stays, whatever the coder.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(EventCopy(of: self).text)
    }
  }
#endif

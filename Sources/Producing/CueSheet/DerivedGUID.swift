import Basics
package import GameEvents

extension GUID {
  /// The namespace of Cuelight's identifiers: the UUIDv5 of `cuelight` in the namespace of URLs, 0f8d0c4d-73a4-572d-8bf6-a7c5512f6f29.
  private static let namespace: [UInt8] = [0x0F, 0x8D, 0x0C, 0x4D, 0x73, 0xA4, 0x57, 0x2D, 0x8B, 0xF6, 0xA7, 0xC5, 0x51, 0x2F, 0x6F, 0x29]

  /// The identifier of an event: the UUIDv5 (RFC 9562, section 5.5), in lower case, of the text
  /// `game`, newline, `sequence`, newline, `type`, newline, content.
  ///
  /// The content is the event's compact JSON without the envelope and without right answer, `seal` and `salt`: an identifier is public
  /// before the answer is, and seals depend on identifiers.
  ///
  /// - Parameter attempt: The number of earlier attempts whose identifiers could not be used. Above 0 it is appended after another newline.
  init?(game: String, sequence: Int, content: EventContent, unknownKeys: JSONObject, attempt: Int = 0) {
    var object = content.object.removing(RightAnswer.keys + ["seal", "salt"])
    for member in unknownKeys.members { object.append(member.key, member.value) }
    self.init(of: "\(game)\n\(sequence)\n\(content.type)\n\(object.text)", attempt: attempt)
  }

  /// The identifier of something that a game decides once: the UUIDv5, in lower case, of the text `decided`, newline, `game`, newline, question,
  /// newline, kind.
  ///
  /// It does not depend on what was decided, so that a host that decides again after a crash cannot make a second event.
  ///
  /// - Parameters:
  ///   - question: The identifier of the event that asked the question, or of another subject; empty for the game as a whole.
  ///   - kind: The event's type.
  ///   - attempt: As for the events of a cue sheet.
  package init?(game: String, deciding question: String, kind: EventType, attempt: Int = 0) {
    self.init(of: "decided\n\(game)\n\(question)\n\(kind.text)", attempt: attempt)
  }

  /// The identifier of the result that settles a prediction: as that of its first result, of the question, newline, `settled`.
  package init?(game: String, settling question: String, attempt: Int = 0) {
    self.init(game: game, deciding: "\(question)\nsettled", kind: .showResults, attempt: attempt)
  }

  /// The identifier of a cue of a live game: the UUIDv5, in lower case, of the text `live`, newline, `game`, newline, `occurrence`, newline, cue.
  ///
  /// - Parameters:
  ///   - cue: The cue as compact JSON.
  ///   - occurrence: The number of identical cues of the sheet up to this one, from 1.
  ///   - attempt: As for the events of a cue sheet.
  package init?(game: String, cue: String, occurrence: Int, attempt: Int = 0) {
    self.init(of: "live\n\(game)\n\(occurrence)\n\(cue)", attempt: attempt)
  }

  /// The UUIDv5 of a text and, above 0, of the number of earlier attempts.
  private init?(of name: String, attempt: Int) {
    let name = name + (attempt > 0 ? "\n\(attempt)" : "")
    self.init(uuid: Array(SHA1.hash(Self.namespace + Array(name.utf8)).prefix(16)), version: 5)
  }

  /// A new identifier: a random UUID (RFC 9562, section 5.4).
  package static func random() -> GUID {
    // The 36 characters of a UUID always fit a GUID, so this never tries another one.
    GUID(uuid: .random(16), version: 4) ?? random()
  }

  /// A UUID of a version, made of 16 bytes: version and variant replace 6 of their bits.
  private init?(uuid bytes: [UInt8], version: UInt8) {
    var bytes = bytes
    bytes[6] = bytes[6] & 0x0F | version << 4
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += byte.digits(2, radix: 16, uppercase: false)
    }
    self.init(text)
  }
}

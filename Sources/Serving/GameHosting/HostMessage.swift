package import Basics
package import GameEvents

/// A message to hosts.
package struct HostMessage: Equatable, Sendable {
  /// The message's name, as hosts listen for it.
  package let name: String
  /// What it says.
  package let object: JSONObject

  private init(_ name: String, _ fields: KeyValuePairs<String, any JSONWritable> = [:]) {
    (self.name, object) = (name, JSONObject(fields: fields))
  }

  package static let started = Self("started")
  package static let ended = Self("ended")

  package static func asked(_ guid: GUID, number: Int) -> Self { Self("asked", ["guid": guid.text, "number": number]) }

  /// An event of this type is in the stream.
  package static func placed(_ type: EventType, _ guid: GUID, at time: MediaTime) -> Self {
    Self("injected", ["guid": guid.text, "event": type.text, "at": time])
  }

  package static func closed(_ guid: GUID) -> Self { Self("closed", ["guid": guid.text]) }

  package static func voided(_ guid: GUID) -> Self { Self("voided", ["guid": guid.text]) }

  package static func decision(_ guid: GUID) -> Self { Self("decision", ["guid": guid.text]) }

  /// The host has changed which questions are to be asked.
  package static func questions(upcoming: Int) -> Self { Self("questions", ["upcoming": upcoming]) }

  package static func kicked(_ player: Int) -> Self { Self("kicked", ["player": player]) }

  package static func removed(_ player: Int) -> Self { Self("removed", ["player": player]) }

  /// Answers count from viewers who are up to this far behind the live edge.
  package static func delayed(_ delay: MediaTime) -> Self { Self("delay", ["delay": delay]) }
}

package import Basics
package import GameEvents

/// An event as interfaces of other injectors have it: a name, and an object with whatever keys.
package struct ForeignEvent: Equatable, Sendable {
  /// What the event is called.
  package var name: String
  /// What it says.
  package var data: JSONObject

  /// An event.
  package init(name: String, data: JSONObject) { (self.name, self.data) = (name, data) }

  /// How an event is put into the stream, besides what it says.
  package struct Terms: Equatable, Sendable {
    /// How much later the event happens.
    package var delay = MediaTime.zero
    /// How long an event of a type without a schema is refreshed; `nil` for not at all.
    package var currentFor: MediaTime?
    /// How long the event may wait for a stream that does not come; `nil` for as long as it takes.
    package var expires: MediaTime?

    /// The next frame, and nothing else.
    package init() {}
  }

  /// The keys that a request, or an event in the stream, has for itself.
  private static let ownKeys = [
    "event", "guid", "at", "in", "wallClock", "late", "game", "expires", "sequence", "currentFor", "eventType", "copy", "copies", "age",
    "signature", "crc",
  ]
  /// Keys that another injector may have set in an event, and that get a value of this one.
  private static let writtenAnew = ["guid", "eventType"]

  /// Whether the event is one of the game's.
  package var isOurs: Bool { EventType.known.contains(EventType(name)) }

  /// The event as a cue. One with a name of ours has the keys of such a cue. Any other has its keys as they are, or, where one of them means something
  /// here, all of them as `data`.
  ///
  /// - Throws: `LiveProblem.invalid`, as for any cue.
  package func request(_ guid: GUID, _ terms: Terms = Terms()) throws(LiveProblem) -> LiveRequest {
    let said = data.removing(Self.writtenAnew)
    var object = JSONObject()
    object.append("event", name)
    object.append("guid", guid.text)
    if terms.delay > .zero { object.append("in", terms.delay) }
    if let expires = terms.expires { object.append("expires", expires) }
    if isOurs {
      object.appendAbsent(said, except: ["event"])
    } else {
      if let currentFor = terms.currentFor { object.append("currentFor", currentFor) }
      let clashes = said.members.contains { member in Self.ownKeys.contains { $0.hasSameBytes(as: member.key) } }
      if clashes { object.append("data", said) } else { object.appendAbsent(said) }
    }
    return try LiveRequest(json: JSONValue.object(object).text)
  }
}

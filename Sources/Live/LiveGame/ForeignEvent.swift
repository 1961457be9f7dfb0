package import Basics
package import GameEvents

/// An event of another injector's interface: a name, and an object with any keys.
package struct ForeignEvent: Equatable, Sendable {
  /// The event's name.
  package var name: String
  /// The event's content.
  package var data: JSONObject

  /// An event.
  package init(name: String, data: JSONObject) { (self.name, self.data) = (name, data) }

  /// How an event is put into the stream.
  package struct Terms: Equatable, Sendable {
    /// How much later the event happens.
    package var delay = MediaTime.zero
    /// How long an event of a type without a schema is refreshed; `nil` for no refreshes.
    package var currentFor: MediaTime?
    /// How long the event may wait while the stream has no frames; `nil` for no limit.
    package var expires: MediaTime?

    /// With the next frame.
    package init() {}
  }

  /// The keys with a meaning in requests and in events of the stream.
  private static let ownKeys = [
    "event", "guid", "at", "in", "wallClock", "timecode", "late", "game", "expires", "sequence", "currentFor", "eventType", "copy",
    "copies", "age", "signature", "crc",
  ]
  /// Keys that this injector sets, also if another one has set them.
  private static let writtenAnew = ["guid", "eventType"]

  /// Whether the event is one of the game's.
  package var isOurs: Bool { EventType.known.contains(EventType(name)) }

  /// The event as a cue. An event of the game has the keys of such a cue. Any other event keeps its keys, or gets all of them as `data` if one of them
  /// has a meaning here.
  ///
  /// - Throws: `LiveProblem.invalid`, as for any cue.
  package func request(_ guid: GUID, _ terms: Terms = Terms()) throws(LiveProblem) -> LiveRequest {
    let said = data.removing(Self.writtenAnew)
    var object = JSONObject(fields: ["event": name, "guid": guid.text])
      .with("in", terms.delay > .zero ? terms.delay : nil).with("expires", terms.expires)
    if isOurs {
      object.appendAbsent(said, except: ["event"])
    } else {
      object = object.with("currentFor", terms.currentFor)
      let clashes = said.members.contains { member in Self.ownKeys.contains { $0.hasSameBytes(as: member.key) } }
      if clashes { object.append("data", said) } else { object.appendAbsent(said) }
    }
    return try LiveRequest(json: JSONValue.object(object).text)
  }
}

public import Basics
public import GameEvents

extension GameEvent {
  /// The event as JSON: its type and the present keys of its envelope, its content, and keys that its type does not define.
  public var object: JSONObject {
    var object = JSONObject()
    object.append("eventType", type.text)
    object.append("guid", guid.text)
    if let game { object.append("game", game) }
    if let sequence { object.append("sequence", sequence) }
    if let at { object.append("at", at) }
    object.appendAbsent(content.object)
    object.appendAbsent(unknownKeys)
    return object
  }
}

extension EventCopy {
  /// The copy as a line of `inspect --json`.
  ///
  /// - Parameters:
  ///   - time: When the copy is presented, on the programme's timeline.
  ///   - isDuplicate: Whether it repeats an earlier copy.
  ///   - place: Where the copy was found: members for the line.
  ///   - byteCount: The size of the copy's ID3 tag.
  public func object(
    at time: MediaTime, isDuplicate: Bool, place: JSONObject = JSONObject(), byteCount: Int? = nil
  ) -> JSONObject {
    var object = JSONObject()
    object.append("type", "copy")
    object.append("time", time)
    object.append("eventTime", event.at ?? time - age)
    object.appendAbsent(place)
    object.append("eventType", event.type.text)
    object.append("guid", event.guid.text)
    object.append("sequence", orNull: event.sequence)
    object.append("copy", copy)
    object.append("copies", copies)
    object.append("age", age)
    object.append("verified", isVerified)
    object.append("duplicate", isDuplicate)
    if let byteCount { object.append("bytes", byteCount) }
    if let signature { object.append("signature", signature.text) }
    object.append("event", event.object)
    return object
  }
}

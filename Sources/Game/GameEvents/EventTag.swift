import Basics
public import ID3

extension EventCopy {
  /// The copy as an ID3v2.4 tag: one `TXXX` frame, its description the event's type, its value the copy's JSON.
  public var tag: ID3Tag { ID3Tag(frames: [.userText(description: event.type.text, value: text)]) }

  /// The bytes of the copy's tag.
  ///
  /// - Throws: ``EventError/tag(_:)`` if the tag would be larger than an ID3 tag can be.
  public func encodedTag() throws(EventError) -> [UInt8] {
    try CopyTemplate(event, signature: signature).encodedTag(copy: copy, copies: copies, age: age)
  }

  /// Reads the copies that the frames of a tag carry: for each `TXXX` frame that is an event, the copy or the reason why it cannot be used. A `TXXX`
  /// frame that cannot be read may have been an event, so it is one that cannot be used.
  public static func copies(in tag: ID3Tag) -> [Result<EventCopy, EventError>] {
    copies(in: tag) { (text, description) throws(EventError) in try EventCopy(parsing: text, description: description) }
  }

  /// Reads the copies that the frames of a tag carry; `parse` receives a frame's value and its description.
  static func copies(in tag: ID3Tag, _ parse: (String, String) throws(EventError) -> EventCopy) -> [Result<EventCopy, EventError>] {
    tag.frames.compactMap { frame in
      if case .unreadable(let id, _, _, let error) = frame, id.hasSameBytes(as: "TXXX") || id.hasSameBytes(as: "TXX") {
        return .failure(.tag(error))
      }
      guard case .userText(let description, let value) = frame else { return nil }
      do throws(EventError) {
        return .success(try parse(value, description))
      } catch {
        return error == .notAnEvent ? nil : .failure(error)
      }
    }
  }
}

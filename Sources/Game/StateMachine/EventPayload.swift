import Basics
import GameEvents

/// An event's content, shared by all states that show it: every transition carries a state, and copying one must not copy references to a
/// dozen texts.
struct EventPayload<Content: Equatable & Sendable>: Equatable, Sendable {
  private let storage: Storage

  private final class Storage: Sendable {
    let guid: GUID
    let content: Content
    let unknownKeys: JSONObject

    init(_ guid: GUID, _ content: Content, _ unknownKeys: JSONObject) {
      self.guid = guid
      self.content = content
      self.unknownKeys = unknownKeys
    }
  }

  init(_ guid: GUID, _ content: Content, _ unknownKeys: JSONObject) { storage = Storage(guid, content, unknownKeys) }

  init(_ content: Content, by event: GameEvent) { storage = Storage(event.guid, content, event.unknownKeys) }

  /// The event.
  var guid: GUID { storage.guid }
  /// Its content.
  var content: Content { storage.content }
  /// Keys of the event that its type does not define.
  var unknownKeys: JSONObject { storage.unknownKeys }

  static func == (left: EventPayload, right: EventPayload) -> Bool {
    left.storage === right.storage
      || (left.guid == right.guid && left.content == right.content && left.unknownKeys == right.unknownKeys)
  }
}

import Basics
import GameEvents

/// What an event told, shared by all states that show it: a state is handed on with every transition, and would have the texts counted each time.
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

  init(_ content: Content, by event: GameEvent) { storage = Storage(event.guid, content, event.unknownKeys) }

  /// The event.
  var guid: GUID { storage.guid }
  /// What it says.
  var content: Content { storage.content }
  /// Keys of the event that its type does not define.
  var unknownKeys: JSONObject { storage.unknownKeys }

  static func == (left: EventPayload, right: EventPayload) -> Bool {
    left.storage === right.storage
      || (left.guid == right.guid && left.content == right.content && left.unknownKeys == right.unknownKeys)
  }
}

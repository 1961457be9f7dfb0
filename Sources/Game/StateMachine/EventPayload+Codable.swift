import Basics
import GameEvents

// Embedded Swift has no `Codable`.
#if !hasFeature(Embedded)
  /// The content of an event of one type.
  protocol EventContentOfType {
    init?(_ content: EventContent)
    var eventContent: EventContent { get }
  }

  extension StartGame: EventContentOfType {
    init?(_ content: EventContent) { if case .startGame(let content) = content { self = content } else { return nil } }
    var eventContent: EventContent { .startGame(self) }
  }

  extension AskQuestion: EventContentOfType {
    init?(_ content: EventContent) { if case .askQuestion(let content) = content { self = content } else { return nil } }
    var eventContent: EventContent { .askQuestion(self) }
  }

  extension AdjustTime: EventContentOfType {
    init?(_ content: EventContent) { if case .adjustTime(let content) = content { self = content } else { return nil } }
    var eventContent: EventContent { .adjustTime(self) }
  }

  extension ShowResults: EventContentOfType {
    init?(_ content: EventContent) { if case .showResults(let content) = content { self = content } else { return nil } }
    var eventContent: EventContent { .showResults(self) }
  }

  extension PeriodicInfo: EventContentOfType {
    init?(_ content: EventContent) { if case .periodicInfo(let content) = content { self = content } else { return nil } }
    var eventContent: EventContent { .periodicInfo(self) }
  }

  extension EndGame: EventContentOfType {
    init?(_ content: EventContent) { if case .endGame(let content) = content { self = content } else { return nil } }
    var eventContent: EventContent { .endGame(self) }
  }

  /// A payload is encoded as its event is.
  extension EventPayload: Codable where Content: EventContentOfType {
    init(from decoder: any Decoder) throws {
      let event = try GameEvent(from: decoder)
      guard let content = Content(event.content) else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "an event of the type \(event.type) is not expected here")
        )
      }
      self.init(content, by: event)
    }

    func encode(to encoder: any Encoder) throws {
      try GameEvent(guid: guid, content: content.eventContent, unknownKeys: unknownKeys).encode(to: encoder)
    }
  }
#endif

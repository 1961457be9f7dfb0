import Basics
import GameHosting

/// Notices when the picture of the stream stops and when it is back, and how far viewers are behind.
struct StreamWatch: Sendable {
  /// A message to hosts and the operator.
  struct Notice: Equatable, Sendable {
    /// The name of the message, as hosts listen for it.
    var event: String
    var object: JSONObject
    /// The same for the operator.
    var text: String
  }

  private var picture: StreamCondition.Picture?
  private var lag: StreamCondition.Lag?

  /// Receives the condition of the stream; returns what has changed.
  mutating func see(_ condition: StreamCondition) -> [Notice] {
    var notices: [Notice] = []
    if let picture = condition.picture, picture != self.picture {
      // Before the first picture, nothing can have stopped.
      let isNew = self.picture != nil || picture == .up
      self.picture = picture
      if isNew { notices.append(Self.notice(picture)) }
    }
    if let lag = condition.lag, lag != self.lag {
      let isWorth = lag.advice != nil || self.lag?.advice != nil
      self.lag = lag
      if isWorth { notices.append(Self.notice(lag)) }
    }
    return notices
  }

  private static func notice(_ picture: StreamCondition.Picture) -> Notice {
    let text =
      switch picture {
      case .up: "the picture is there"
      case .down: "the picture has stopped: nothing comes from the encoder"
      case .ended: "the stream has ended"
      }
    return Notice(event: "picture", object: JSONObject(fields: ["picture": picture.rawValue]), text: text)
  }

  private static func notice(_ lag: StreamCondition.Lag) -> Notice {
    Notice(event: "lag", object: JSONObject(fields: ["behind": lag.behind, "advice": lag.advice]), text: lag.text)
  }
}

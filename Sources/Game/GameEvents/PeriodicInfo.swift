import Basics

/// Counters that change during the show. Further ones are the event's unknown keys.
public struct PeriodicInfo: Equatable, Sendable {
  /// How many people watch.
  public var viewers: Int
  /// How many of them play.
  public var players: Int?

  /// The counters at one moment.
  public init(viewers: Int, players: Int? = nil) {
    self.viewers = viewers
    self.players = players
  }
}

extension PeriodicInfo {
  init(from fields: inout EventFields) throws(EventError) {
    viewers = try EventFields.require(try fields.integer("viewers", atLeast: 0), "viewers")
    players = try fields.integer("players", atLeast: 0)
  }

  func write(to object: inout JSONObject) {
    object.append("viewers", viewers)
    if let players { object.append("players", players) }
  }
}

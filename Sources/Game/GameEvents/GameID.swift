/// The name of one broadcast of a game. Events without one belong to the game with the empty name.
public struct GameID: WireText {
  /// The name as it is written in the stream.
  public let text: String

  /// The game of this name.
  public init(_ text: String) { self.text = text }
}

extension GameEvent {
  /// The broadcast that the event belongs to.
  public var gameID: GameID { GameID(game ?? "") }
}

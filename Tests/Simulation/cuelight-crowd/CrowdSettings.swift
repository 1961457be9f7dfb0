/// How a crowd plays.
struct CrowdSettings: Sendable {
  /// The nodes of the server; the first one tells how far the game is.
  var servers: [ServerAddress]
  var players: Int
  /// How many connections they share; no more than there are players.
  var connections: Int
  var seed: UInt64
  /// After how many results to stop; `nil` for the game's end.
  var questions: Int?
  /// Over how many microseconds the answers to a question are spread.
  var window: Int
  /// How many players join a second; `nil` for as many as the connections carry.
  var joinRate: Int?
  /// How many threads the players have; no more than there are connections.
  var threads: Int
  var hostToken: String
}

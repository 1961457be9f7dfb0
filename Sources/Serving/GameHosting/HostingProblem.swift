import Sheets

/// Why a game does not carry out a request.
package enum HostingProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The request is wrong at this JSON pointer.
  case invalid(_ pointer: String, _ message: String)
  /// The nickname cannot be used, for this reason.
  case nicknameInvalid(String)
  /// Another player has the nickname; these are free.
  case nicknameTaken(suggestions: [String])
  /// The client has joined with another nickname or team, and the show has begun: both stay.
  case joinedOtherwise(nickname: String)
  /// The player cannot be in this team, for this reason.
  case teamInvalid(String)
  /// The maximum number of players has joined.
  case full
  /// Players may not join yet.
  case notOpen
  /// The first question was asked, and the rules do not let anybody join after it.
  case entryClosed
  /// The game is over.
  case ended
  /// The host has removed the player.
  case kicked
  /// The request does not fit the state of the game.
  case notNow(String)
  /// Viewers would not see the question, or their answers would not count; the host may ask it all the same.
  case unseen(String)
  /// There is no such player.
  case unknownPlayer
  /// The last change could not be stored, and is being undone.
  case unavailable

  /// What kind of problem it is: the end of its type's URI.
  package var kind: String {
    switch self {
    case .invalid: "invalid"
    case .nicknameInvalid: "nickname-invalid"
    case .nicknameTaken: "nickname-taken"
    case .joinedOtherwise: "joined-otherwise"
    case .teamInvalid: "team-invalid"
    case .full: "game-full"
    case .notOpen: "too-early"
    case .entryClosed: "entry-closed"
    case .ended: "game-over"
    case .kicked: "kicked"
    case .notNow: "not-now"
    case .unseen: "stream-not-ready"
    case .unknownPlayer: "player-unknown"
    case .unavailable: "overloaded"
    }
  }

  /// The reason in words.
  package var description: String {
    switch self {
    case .invalid(let pointer, let message): pointer.isEmpty ? message : "\(pointer): \(message)"
    case .nicknameInvalid(let reason), .teamInvalid(let reason): reason
    case .nicknameTaken: "the nickname is taken; choose another"
    case .joinedOtherwise(let nickname): "this player has joined as \(nickname.quoted)"
    case .full: "the game is full"
    case .notOpen: "players cannot join yet"
    case .entryClosed: "the first question was asked, and in this game nobody may join after it"
    case .ended: "the game is over"
    case .kicked: "the host has taken this player out of the game"
    case .notNow(let reason), .unseen(let reason): reason
    case .unknownPlayer: "there is no such player"
    case .unavailable: "nothing can be stored for the moment"
    }
  }
}

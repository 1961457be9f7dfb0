import Basics
import LiveInterface

/// The calls of the game server's HTTP interface: the one table that requests are routed by and that the OpenAPI document is made of.
enum GameEndpoint: String, RoutedCall {
  typealias Found = Routing<GameEndpoint>

  case findGame, makeGame, getGame, changeGame
  case join, getPlayer, removePlayer, answer, getState, getBoard, getBoardVersion, getMe, presence, leaveContact
  case command, listen, getRecord, listPlayers, getContacts, removeContacts, renewHost, approveGame, disapproveGame
  case makeQuiz, listQuizzes, getQuiz, removeQuiz
  case makeAccount, getAccount, removeAccount, listResults, makeSession, endSession
  case listAccounts, deleteAccount, banAccount, unbanAccount

  /// Who may call.
  enum Role: Sendable {
    case everybody, player, host, account
    /// The holder of a token of an account, or the operator with the server's own host token.
    case maker
    /// The account that has made the game, or the operator with the server's own host token.
    case owner
    /// The operator, with the server's own host token.
    case `operator`
    /// The holder of a token of a host or an account.
    case session
    /// Whoever has a token of a host or an account, which is renewed, or a name and a password.
    case anyToken
  }

  /// The method and the path, with names in braces for what varies.
  var route: (method: String, path: String) {
    switch self {
    case .findGame: ("GET", "/v1/games")
    case .makeGame: ("POST", "/v1/games")
    case .getGame: ("GET", "/v1/games/{game}")
    case .changeGame: ("PATCH", "/v1/games/{game}")
    case .join: ("PUT", "/v1/games/{game}/players/{uuid}")
    case .getPlayer: ("GET", "/v1/games/{game}/players/{uuid}")
    case .removePlayer: ("DELETE", "/v1/games/{game}/players/{uuid}")
    case .listPlayers: ("GET", "/v1/games/{game}/players")
    case .answer: ("POST", "/v1/games/{game}/answers")
    case .getState: ("GET", "/v1/games/{game}/state")
    case .getBoard: ("GET", "/v1/games/{game}/board")
    case .getBoardVersion: ("GET", "/v1/games/{game}/board/{version}")
    case .getMe: ("GET", "/v1/games/{game}/me")
    case .presence: ("POST", "/v1/games/{game}/presence")
    case .leaveContact: ("POST", "/v1/games/{game}/contacts")
    case .getContacts: ("GET", "/v1/games/{game}/contacts")
    case .removeContacts: ("DELETE", "/v1/games/{game}/contacts")
    case .command: ("POST", "/v1/games/{game}/commands")
    case .listen: ("GET", "/v1/games/{game}/events")
    case .getRecord: ("GET", "/v1/games/{game}/record")
    case .renewHost: ("POST", "/v1/games/{game}/host-token")
    case .approveGame: ("POST", "/v1/games/{game}/approval")
    case .disapproveGame: ("DELETE", "/v1/games/{game}/approval")
    case .makeQuiz: ("POST", "/v1/quizzes")
    case .listQuizzes: ("GET", "/v1/quizzes")
    case .getQuiz: ("GET", "/v1/quizzes/{quiz}")
    case .removeQuiz: ("DELETE", "/v1/quizzes/{quiz}")
    case .makeAccount: ("POST", "/v1/accounts")
    case .getAccount: ("GET", "/v1/me")
    case .removeAccount: ("DELETE", "/v1/me")
    case .listResults: ("GET", "/v1/me/results")
    case .makeSession: ("POST", "/v1/sessions")
    case .endSession: ("DELETE", "/v1/sessions")
    case .listAccounts: ("GET", "/v1/accounts")
    case .deleteAccount: ("DELETE", "/v1/accounts/{account}")
    case .banAccount: ("PUT", "/v1/accounts/{account}/ban")
    case .unbanAccount: ("DELETE", "/v1/accounts/{account}/ban")
    }
  }

  var role: Role {
    switch self {
    case .findGame, .getGame, .join, .getState, .getBoard, .getBoardVersion, .presence, .makeAccount:
      .everybody
    case .answer, .getMe, .leaveContact, .getPlayer, .removePlayer: .player
    case .changeGame, .command, .listen, .getRecord, .listPlayers, .getContacts, .removeContacts: .host
    case .makeQuiz, .listQuizzes, .getQuiz, .removeQuiz, .getAccount, .removeAccount: .account
    case .makeGame, .listResults: .maker
    case .renewHost: .owner
    case .approveGame, .disapproveGame, .listAccounts, .deleteAccount, .banAccount, .unbanAccount: .operator
    case .endSession: .session
    case .makeSession: .anyToken
    }
  }

  /// The largest body, in bytes.
  var largestBody: Int {
    switch self {
    case .makeGame, .makeQuiz: 1 << 20
    default: 4 << 10
    }
  }

  /// The rate limit of an address that is not local, and of a game, an account or a player, each for itself: calls a minute, and the burst; `nil` for
  /// none. The operator has none.
  var limit: (perMinute: Double, burst: Double)? {
    switch self {
    case .join, .getPlayer, .removePlayer: (10, 50)
    case .makeAccount: (2, 5)
    case .makeGame, .makeQuiz: (10, 20)
    case .makeSession: (10, 10)
    case .presence: (60, 100)
    case .changeGame, .listQuizzes, .getQuiz, .removeQuiz, .getAccount, .listResults, .getContacts, .getRecord: (60, 60)
    case .command, .listPlayers: (240, 240)
    case .renewHost, .leaveContact, .removeContacts: (10, 20)
    default: nil
    }
  }
}

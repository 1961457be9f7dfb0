import Basics
import GameStore
import LiveSession

/// What has become of a game, for those who look after the server.
struct GameNews: Equatable, Sendable {
  enum State: Equatable, Sendable {
    case began
    case ended
    /// It stands still, or a change of it was not stored.
    case failed(reason: String)
    case goesOn
  }

  /// The identifier of the game.
  var game: String
  var title: String
  /// The name of the stream on which it is played; empty for the only one of a server.
  var stream = ""
  var state: State

  /// The news in JSON.
  var object: JSONObject {
    let object = JSONObject(fields: ["game": game, "title": title])
    return switch state {
    case .began: object.with("state", "began")
    case .ended: object.with("state", "ended")
    case .failed(let reason): object.with("state", "failed").with("reason", reason)
    case .goesOn: object.with("state", "goesOn")
    }
  }
}

extension GameDirectory {
  /// Tells what becomes of a game from now on. What the store had before is not news.
  func tellNews(of runner: GameRunner) {
    let (game, title, stream, news, cluster) = (runner.stored.id, runner.stored.title, runner.stream.name, news, cluster)
    let tell: @Sendable (GameNews.State) -> Void = { state in
      if cluster.isLeading { news.send(GameNews(game: game, title: title, stream: stream, state: state)) }
    }
    runner.feed.observe { message in
      switch message.event {
      case "started": tell(.began)
      case "ended": tell(.ended)
      default: break
      }
    }
    runner.keeper.troubles.reach { tell($0.map { .failed(reason: $0) } ?? .goesOn) }
  }
}

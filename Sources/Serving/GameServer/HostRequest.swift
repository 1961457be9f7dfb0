import Basics
import GameHosting

/// What somebody wants of a game that changes its records: the node that leads does it.
enum HostRequest: Equatable, Sendable {
  case command(HostedGame.Command, id: String)
  /// With `nil` it stays as it is; a time within is `nil` for none.
  case plan(automatic: Bool?, startsAt: Int64??, entryOpensAt: Int64??)
  case remove(player: Int)

  var object: JSONObject {
    var object = JSONObject()
    switch self {
    case .command(let command, let id):
      object.append("id", id)
      switch command {
      case .start: object.append("command", "start")
      case .next: object.append("command", "next")
      case .nextUnseen:
        object.append("command", "next")
        object.append("force", true)
      case .close: object.append("command", "close")
      case .reveal: object.append("command", "reveal")
      case .void: object.append("command", "void")
      case .end: object.append("command", "end")
      case .extend(let time):
        object.append("command", "extend")
        object.append("seconds", time)
      case .kick(let player):
        object.append("command", "kick")
        object.append("player", player)
      }
    case .plan(let automatic, let startsAt, let entryOpensAt):
      if let automatic { object.append("automatic", automatic) }
      if let startsAt { object.append("startsAt", orNull: startsAt.map { Int($0) }) }
      if let entryOpensAt { object.append("entryOpensAt", orNull: entryOpensAt.map { Int($0) }) }
    case .remove(let player): object.append("remove", player)
    }
    return object
  }

  /// Reads a request; `nil` for what is none.
  init?(_ object: JSONObject) {
    if let player = object["remove"]?.int {
      self = .remove(player: player)
    } else if object["command"] != nil {
      guard let id = object["id"]?.string, let command = HostedGame.Command(object) else { return nil }
      self = .command(command, id: id)
    } else {
      func time(_ key: String) -> Int64?? { object[key].map { $0.int.map { Int64($0) } } }
      self = .plan(automatic: object["automatic"]?.bool, startsAt: time("startsAt"), entryOpensAt: time("entryOpensAt"))
    }
  }

}

extension HostedGame.Command {
  /// Reads a command that another node has taken.
  fileprivate init?(_ object: JSONObject) {
    switch object["command"]?.string {
    case "start": self = .start
    case "next": self = object["force"]?.bool == true ? .nextUnseen : .next
    case "close": self = .close
    case "reveal": self = .reveal
    case "void": self = .void
    case "end": self = .end
    case "extend":
      guard let time = object["seconds"]?.number.flatMap({ MediaTime(decimalSeconds: $0.text) }) else { return nil }
      self = .extend(time)
    case "kick":
      guard let player = object["player"]?.int else { return nil }
      self = .kick(player: player)
    default: return nil
    }
  }
}

extension HostingProblem {
  /// The problem as one node tells it another.
  var object: JSONObject {
    var object = JSONObject()
    object.append("kind", kind)
    switch self {
    case .invalid(let pointer, let message):
      object.append("pointer", pointer)
      object.append("detail", message)
    case .notNow(let reason), .unseen(let reason): object.append("detail", reason)
    default: object.append("detail", "\(self)")
    }
    return object
  }

  /// Reads what the other node has told; `nil` where there was no problem.
  init?(_ object: JSONObject) {
    let detail = object["detail"]?.string ?? ""
    switch object["kind"]?.string {
    case nil: return nil
    case "invalid": self = .invalid(object["pointer"]?.string ?? "", detail)
    case "game-over": self = .ended
    case "player-unknown": self = .unknownPlayer
    case "kicked": self = .kicked
    case "overloaded": self = .unavailable
    case "stream-not-ready": self = .unseen(detail)
    default: self = .notNow(detail)
    }
  }
}

import Basics
import GameEvents
import GameHosting

/// A request that changes the records of a game: the leading node carries it out.
enum HostRequest: Equatable, Sendable {
  case command(HostedGame.Command, id: String)
  /// An outer `nil` leaves a property unchanged; an inner `nil` sets no time.
  case plan(automatic: Bool?, startsAt: Int64??, entryOpensAt: Int64??)
  case remove(player: Int)

  var object: JSONObject {
    switch self {
    case .command(let command, let id):
      switch command {
      case .start: JSONObject(fields: ["id": id, "command": "start"])
      case .next: JSONObject(fields: ["id": id, "command": "next"])
      case .nextUnseen: JSONObject(fields: ["id": id, "command": "next", "force": true])
      case .close: JSONObject(fields: ["id": id, "command": "close"])
      case .reveal: JSONObject(fields: ["id": id, "command": "reveal"])
      case .void: JSONObject(fields: ["id": id, "command": "void"])
      case .end: JSONObject(fields: ["id": id, "command": "end"])
      case .extend(let time): JSONObject(fields: ["id": id, "command": "extend", "seconds": time])
      case .settle(let question, let answer):
        JSONObject(fields: ["id": id, "command": "settle", "question": question.text, "answer": answer])
      case .kick(let player): JSONObject(fields: ["id": id, "command": "kick", "player": player])
      case .questions(let change): JSONObject(fields: ["id": id]).with(change)
      }
    case .plan(let automatic, let startsAt, let entryOpensAt):
      JSONObject().with("automatic", automatic).with("startsAt", startsAt.map { $0.map { Int($0) } })
        .with("entryOpensAt", entryOpensAt.map { $0.map { Int($0) } })
    case .remove(let player): JSONObject(fields: ["remove": player])
    }
  }

  /// Reads a request; `nil` if the object is not one.
  init?(_ object: JSONObject) {
    guard let request = try? Self.read(object) else { return nil }
    self = request
  }

  private static func read(_ object: JSONObject) throws(JSONFieldError) -> HostRequest {
    if object["remove"] != nil { return .remove(player: try object.int("remove", in: .counts)) }
    if object["command"] != nil { return .command(try object.require("command") { _ in try? .init(object) }, id: try object.string("id")) }
    func time(_ key: String) throws(JSONFieldError) -> Int64?? {
      guard object[key] != nil else { return nil }
      return .some(try object.optional(key) { $0.int(in: .exact).map { Int64($0) } })
    }
    return .plan(
      automatic: try object.optional("automatic") { $0.bool }, startsAt: try time("startsAt"), entryOpensAt: try time("entryOpensAt"))
  }
}

extension HostedGame.Command {
  /// The names of all commands.
  static let names = ["start", "next", "close", "reveal", "void", "settle", "extend", "end", "kick"] + HostedGame.QuestionChange.names

  /// Reads a host's command.
  ///
  /// - Throws: `HostingProblem` if the command is wrong.
  init(_ object: JSONObject) throws(HostingProblem) {
    switch object["command"]?.string {
    case "start": self = .start
    case "next":
      guard let isForced = (object["force"] ?? .bool(false)).bool else { throw .invalid("/force", "write true or false") }
      self = isForced ? .nextUnseen : .next
    case "close": self = .close
    case "reveal": self = .reveal
    case "void": self = .void
    case "end": self = .end
    case "extend":
      guard let number = object["seconds"]?.number, let time = MediaTime(decimalSeconds: number.text), time > .zero,
        time <= MediaTime(seconds: 600)
      else { throw .invalid("/seconds", "write a number above 0, at most 600") }
      self = .extend(time)
    case "settle":
      guard let question = object["question"]?.string.flatMap({ GUID($0) }) else {
        throw .invalid("/question", "write the guid of a prediction")
      }
      guard let answer = object["answer"]?.int(in: .counts) else {
        throw .invalid("/answer", "write the index of the right answer, from 0")
      }
      self = .settle(question: question, answer: answer)
    case "kick":
      guard let player = object["player"]?.int(in: .counts) else { throw .invalid("/player", "write a player's number") }
      self = .kick(player: player)
    case let name:
      guard let change = try HostedGame.QuestionChange(name ?? "", object) else {
        throw .invalid(
          "/command", "write \(HostedGame.Command.names.dropLast().joined(separator: ", ")) or \(HostedGame.Command.names.last ?? "")")
      }
      self = .questions(change)
    }
  }
}

extension HostingProblem {
  /// The problem in the form in which nodes exchange it.
  var object: JSONObject {
    switch self {
    case .invalid(let pointer, let message): JSONObject(fields: ["kind": kind, "pointer": pointer, "detail": message])
    case .notNow(let reason), .unseen(let reason): JSONObject(fields: ["kind": kind, "detail": reason])
    default: JSONObject(fields: ["kind": kind, "detail": "\(self)"])
    }
  }

  /// Reads the problem that another node has sent; `nil` if there was none.
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

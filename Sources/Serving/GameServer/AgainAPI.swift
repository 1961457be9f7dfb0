import Basics
import GameHosting
import GameStore
import HTTPTypes
import LiveInterface
import WebSupport

/// Makes a new game of one that is over.
extension GameAPI {
  static let againCalls = [
    Entry(
      "playAgain", Route("POST", "/v1/games/{game}/again"), .host, .making, "hosts",
      "Make a game of the same quiz with the same rules, once this one is over. Called again, it gives the same new game until that is over, too.",
      [
        .json(201, "The new game, and a token for its host.", .reference("MadeGame"), headers: [.location]),
        .json(200, "The new game that was made before, and a token for its host.", .reference("MadeGame"), headers: [.location]),
      ], problems: [409: ["not-now"]], .function(GameAPI.playAgain))
  ]

  /// Makes the game that follows one that is over.
  ///
  /// Its identifier follows from that of the game before: a call that is repeated, or made by two consoles at once, makes one game, and a host's token
  /// makes no more than one game at a time.
  func playAgain(_ call: GameCall, _ runner: GameRunner) async throws(Problem) -> Answer {
    guard runner.isEnding else { throw Problem(.notNow("the game is not over")) }
    var last = runner
    while last.isEnding {
      let id = Games.identifier(of: ["again", last.stored.id])
      guard let next = try await game(id) else {
        let plan = try await plan(call, after: last.stored, id)
        do throws(GameFailure) { return made(try await directory.make(plan)) } catch {
          // Another call may have made it in the meantime.
          guard let made = try await game(id) else { throw Problem(error) }
          return self.made(made, .ok)
        }
      }
      last = next
    }
    return made(last, .ok)
  }

  /// The plan of a game like an earlier one, which waits for its host.
  private func plan(_ call: GameCall, after stored: StoredGame, _ id: String) async throws(Problem) -> GameDirectory.Plan {
    let (bank, rules) = try await heavy(call) { (_) throws(Problem) in
      try Problem.of { () throws(StoreError) in try GameDirectory.contents(of: stored) }
    }
    // A stream that was taken out of the configuration cannot have a game.
    let stream = stored.stream.flatMap { name in directory.streams.present.contains { $0.hasSameBytes(as: name) } ? name : nil }
    return GameDirectory.Plan(id: id, title: stored.title, bank: bank, rules: rules, account: stored.account, stream: stream)
  }
}

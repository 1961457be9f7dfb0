package import AccessTokens
package import Basics
import GameHosting
package import GameStore
package import Questions

/// The games of a server, and the key of its tokens.
package struct Games: Sendable {
  let directory: GameDirectory
  let tokens: TokenKey

  /// What players and the host are told of a game.
  package struct Invitation: Equatable, Sendable {
    package var id: String
    package var code: String
    /// The host's token.
    package var token: String
  }

  /// Reads the games of a store.
  ///
  /// - Parameters:
  ///   - stream: Where the stream is to be watched.
  ///   - isOpen: Whether others than the operator may have accounts, and play.
  ///   - boardAddress: The address of the scoreboards of a game.
  ///   - say: Receives messages for the operator.
  /// - Throws: `StoreError`.
  package init(
    _ store: any GameStore, _ injector: any Injector, tokens: TokenKey, stream: String?, isOpen: Bool = true,
    boardAddress: (@Sendable (String) -> String)? = nil,
    say: @escaping @Sendable (String) -> Void
  ) throws(StoreError) {
    self.tokens = tokens
    directory = try GameDirectory(store, injector, stream: stream, isOpen: isOpen, boardAddress: boardAddress, say: say)
  }

  /// Makes the game that a server is started with, or finds the one that an earlier start has made of the same quiz and that is not over.
  ///
  /// - Parameters:
  ///   - rules: Changes of the usual rules, as the HTTP interface takes them.
  ///   - startsIn: When the plan begins to be followed by itself, in seconds; `nil` where a host leads.
  /// - Throws: ``StartProblem``.
  package func start(_ bank: QuestionBank, title: String, rules changes: JSONObject, startsIn: Int64?) async throws(StartProblem)
    -> Invitation
  {
    let known = directory.all.last { runner in
      runner.stored.quiz.hasSameBytes(as: bank.json) && runner.look { game, _ in game.end == nil }
    }
    let runner: GameRunner
    if let known {
      runner = known
    } else {
      var plan = GameDirectory.Plan(title: title, bank: bank)
      do throws(HostingProblem) { try plan.rules.change(changes) } catch { throw StartProblem(description: "\(error)") }
      plan.isAutomatic = startsIn != nil
      plan.startsAt = startsIn.map { (GameAPI.now + $0) * 1_000 }
      do throws(GameFailure) { runner = try await directory.make(plan) } catch { throw StartProblem(description: "\(error)") }
    }
    return Invitation(id: runner.stored.id, code: runner.stored.code, token: hostToken(game: runner.stored.id))
  }

  /// A token for the host of a game; with an empty name for all games of the server, and to make more.
  package func hostToken(game: String) -> String {
    tokens.text(AccessToken(role: .host, game: game, session: GameAPI.newSession(), expires: GameAPI.now + GameAPI.tokenLife))
  }

  /// Why a game cannot be made, in words.
  package struct StartProblem: Error, CustomStringConvertible {
    package var description: String
  }
}

package import AccessTokens
package import Basics
import GameHosting
package import GameStore
import LiveSession
package import Questions

/// The games of a server, and the key of its tokens.
package struct Games: Sendable {
  let directory: GameDirectory
  let tokens: TokenKey

  /// Tells players and the host how to enter a game.
  package struct Invitation: Equatable, Sendable {
    package var id: String
    package var code: String
    /// The host's token.
    package var token: String
    /// The requested properties that do not apply, since an earlier start has made the game.
    package var leftOut: [LeftOut] = []
  }

  /// A property that was requested of a game, and the value that the game has instead.
  package struct LeftOut: Equatable, Sendable {
    /// The property: `title`, `automatic`, or the name of a rule.
    package var key: String
    package var wanted: String
    package var kept: String

    package init(key: String, wanted: String, kept: String) { (self.key, self.wanted, self.kept) = (key, wanted, kept) }
  }

  /// Reads the games of a store.
  ///
  /// - Parameters:
  ///   - streams: The streams on which games are played.
  ///   - hasAccounts: Whether people other than the operator may have accounts and games.
  ///   - boardAddress: The address of the scoreboards of a game.
  ///   - recordKey: The key of public records; `nil` if games keep none.
  ///   - say: Receives messages for the operator.
  /// - Throws: `StoreError`.
  package init(
    _ store: any GameStore, _ streams: GameStreams, tokens: TokenKey, hasAccounts: Bool = false,
    boardAddress: (@Sendable (String) -> String)? = nil, recordKey: RecordKey? = nil,
    say: @escaping @Sendable (String) -> Void
  ) throws(StoreError) {
    self.tokens = tokens
    directory = try GameDirectory(store, streams, hasAccounts: hasAccounts, boardAddress: boardAddress, recordKey: recordKey, say: say)
  }

  /// Calls `body` with what becomes of games from now on: in which one something has happened, and what. With many nodes only the leading one tells it.
  ///
  /// - Parameter body: It returns at once. The name of the stream is empty if the server has one stream without a name.
  package func onNews(_ body: @escaping @Sendable (_ stream: String, _ news: JSONObject) -> Void) {
    directory.news.reach { body($0.stream, $0.object) }
  }

  /// Makes the game that a server is started with, or finds an unfinished one that an earlier start, or the operator, has made from the same quiz.
  ///
  /// - Parameters:
  ///   - rules: Changes of the standard rules, as the HTTP interface takes them.
  ///   - startsAt: When the plan begins without a host, in milliseconds since 1970; `nil` if a host leads.
  ///   - stream: The name of the stream; `nil` for the first one.
  ///   - id: The identifier of the game that is made; `nil` for one by chance.
  /// - Throws: ``StartProblem``.
  package func start(
    _ bank: QuestionBank, title: String, rules changes: JSONObject, startsAt: Int64?, on stream: String? = nil, id: String? = nil
  ) async throws(StartProblem) -> Invitation {
    var plan = GameDirectory.Plan(title: title, bank: bank)
    do throws(HostingProblem) { try plan.rules.change(changes) } catch { throw StartProblem(description: "\(error)") }
    plan.isAutomatic = startsAt != nil
    (plan.startsAt, plan.stream, plan.id) = (startsAt, stream, id)
    let known = directory.all.last { runner in
      runner.stored.account == nil && runner.stored.stream == stream ?? directory.streams.first
        && runner.stored.quiz.hasSameBytes(as: bank.json)
        && runner.look { game in game.end == nil }
    }
    if let known { return invitation(known, leftOut: Self.leftOut(of: plan, in: known)) }
    do throws(GameFailure) { return invitation(try await directory.make(plan)) } catch { throw StartProblem(description: "\(error)") }
  }

  /// The first invalid rule and why, checked before anything is started with it; `nil` if there is none.
  package static func mistake(in changes: JSONObject) -> (rule: String, message: String)? {
    for member in changes.members {
      var rules = GameRules()
      do throws(HostingProblem) { try rules.change(JSONObject([member])) } catch {
        guard case .invalid(_, let message) = error else { return (member.key, "\(error)") }
        return (member.key, message)
      }
    }
    return nil
  }

  private func invitation(_ runner: GameRunner, leftOut: [LeftOut] = []) -> Invitation {
    Invitation(
      id: runner.stored.id, code: runner.stored.code, token: tokens.text(GameAPI.hostToken(of: runner)), leftOut: leftOut)
  }

  /// The properties of an existing game that differ from a plan. Its players have been told its rules, so that those stay.
  private static func leftOut(of plan: GameDirectory.Plan, in runner: GameRunner) -> [LeftOut] {
    let (settings, hasBegun, isAutomatic) = runner.look { game in (game.settings, game.start != nil, game.isAutomatic) }
    var list: [LeftOut] = []
    func compare(_ key: String, _ wanted: String, _ kept: String) {
      if !wanted.hasSameBytes(as: kept) { list.append(LeftOut(key: key, wanted: wanted, kept: kept)) }
    }
    compare("title", plan.title, settings.title)
    let kept = settings.rules.object
    for member in plan.rules.object.members {
      switch member.key {
      // No option sets the maximum number of players, and a delay that is not fixed may have been raised.
      case "mostPlayers", "fixedDelay": continue
      case "delay" where !plan.rules.hasFixedDelay: continue
      default: break
      }
      compare(member.key, member.value.plainText, kept[member.key]?.plainText ?? "")
    }
    // A game that has begun may have got a host in the meantime.
    if !hasBegun { compare("automatic", plan.isAutomatic ? "true" : "false", isAutomatic ? "true" : "false") }
    return list
  }

  /// A token for all games of the server, which can also make games.
  package func operatorToken() -> String {
    tokens.text(AccessToken(role: .host, session: GameAPI.newSession(), expires: GameAPI.now + GameAPI.tokenLife))
  }

  /// The identifier that follows from some words, in the form of other games' identifiers: nodes with one store make the game once.
  package static func identifier(of words: [String]) -> String {
    let letters = Array("abcdefghjklmnpqrstuvwxyz23456789")
    let text = words.joined(separator: "\0")
    return String(SHA256.hash(Array(text.utf8)).prefix(12).map { letters[Int($0) % letters.count] })
  }

  /// Whether a game of an identifier was ever made, by this node or another one that has the same store.
  ///
  /// - Throws: ``StartProblem``.
  package func exists(_ id: String) async throws(StartProblem) -> Bool {
    do throws(StoreError) {
      return try await directory.load({ (store) throws(StoreError) in try store.game(id) }) != nil
    } catch {
      throw StartProblem(description: "\(error)")
    }
  }

  /// How to enter a game that is not over; `nil` if there is none of the identifier.
  package func invitation(of id: String) -> Invitation? {
    directory.all.last { runner in runner.stored.id == id && runner.look { game in game.end == nil } }.map { invitation($0) }
  }

  /// Why a game cannot be made, in words.
  package struct StartProblem: Error, CustomStringConvertible {
    package var description: String
  }
}

extension JSONValue {
  /// The text of a string, and the JSON of any other value.
  fileprivate var plainText: String { string ?? text }
}

import Basics
import CommandSupport
import GameServer
import LibC
import Questions
import ServerConfiguration

/// Begins the games of a configuration: each once, however often the configuration is loaded.
struct BegunGames: Sendable {
  private let games: Games
  private let say: @Sendable (String) -> Void

  init(_ games: Games, say: @escaping @Sendable (String) -> Void) { (self.games, self.say) = (games, say) }

  /// Makes the games that are not there yet; returns how to enter each, by its name in the configuration.
  @discardableResult
  func begin(_ entries: [ConfigurationEntry]) async -> [(name: String, invitation: Games.Invitation)] {
    var invitations: [(String, Games.Invitation)] = []
    for entry in entries {
      do throws(CommandFailure) {
        invitations.append((entry.name, try await invitation(entry)))
      } catch {
        say("\(entry.name): the game cannot begin: \(error.message ?? "")")
      }
    }
    return invitations
  }

  private func invitation(_ entry: ConfigurationEntry) async throws(CommandFailure) -> Games.Invitation {
    let options = try LoadedConfiguration.options(of: entry)
    let bank = try Serve.bank(options.game.quiz ?? "", skipsMistakes: options.game.skipMistakes, say: say)
    let (title, rules) = (options.game.title ?? bank.title ?? entry.name, options.game.rules)
    let startsAt = options.startsAt(at: WallClock.now)
    do throws(Games.StartProblem) {
      return try await games.start(bank, title: title, rules: rules, startsAt: startsAt, on: options.stream)
    } catch {
      throw CommandFailure("\(error)", status: CommandFailure.ioError)
    }
  }
}

import Basics
import CommandSupport
import GameServer
import LibC
import LiveSession
import PublisherServer
import Questions
import ServerConfiguration
import Synchronization

/// Begins the games of a configuration: each once, however often the configuration is loaded or the process begins anew. A game that is over does not begin
/// again; a game of another name, or with other settings, is another one. Its identifier follows from both, so that nodes with one store make it once.
final class BegunGames: Sendable {
  /// A game that was begun.
  private struct Begun: Equatable {
    /// What the configuration said about it.
    var words: [String]
    /// The game's identifier.
    var game: String
  }

  private let games: Games
  private let media: QuizMedia
  /// Remembers the games.
  private let file: KeptObject
  private let begun: Mutex<[String: Begun]>
  private let turns = Turns()
  private let say: @Sendable (String) -> Void

  /// Reads which games were begun before.
  ///
  /// - Parameters:
  ///   - media: Serves the pictures and sounds of their questions.
  ///   - data: The folder that remembers them.
  init(_ games: Games, _ media: QuizMedia, data: String, say: @escaping @Sendable (String) -> Void) throws(CommandFailure) {
    (self.games, self.media, file, self.say) = (games, media, KeptObject(path: "\(data)/begun-games.json"), say)
    var known: [String: Begun] = [:]
    for member in try file.read("which games were begun cannot be read; remove the file to begin them again")?.members ?? [] {
      guard let words = member.value.object?["words"]?.array?.compactMap(\.string), let game = member.value.object?["game"]?.string else {
        continue
      }
      known[member.key] = Begun(words: words, game: game)
    }
    begun = Mutex(known)
  }

  /// Makes the games that were not begun before; returns how to enter each that is not over, by its name in the configuration.
  @discardableResult
  func begin(_ entries: [ConfigurationEntry]) async -> [(name: String, invitation: Games.Invitation)] {
    await turns.take {
      var invitations: [(String, Games.Invitation)] = []
      for entry in entries {
        do throws(CommandFailure) {
          if let invitation = try await invitation(entry) { invitations.append((entry.name, invitation)) }
        } catch {
          say("\(entry.name): the game cannot begin: \(error.message ?? "")")
        }
      }
      return invitations
    }
  }

  /// How to enter a game, which is made unless it was begun before; `nil` if it is over.
  private func invitation(_ entry: ConfigurationEntry) async throws(CommandFailure) -> Games.Invitation? {
    let words = entry.words.sorted()
    let id = Games.identifier(of: [entry.name] + words)
    if let known = begun.withLock({ $0[entry.name] }), known.words == words { return games.invitation(of: known.game) }
    let options = try LoadedConfiguration.options(of: entry)
    // A file may be on a disk that is slow.
    let bank = try await Worker.run { [say, media] () throws(CommandFailure) in
      try Serve.bank(options.game.quiz ?? "", media, skipsMistakes: options.game.skipMistakes, say: say)
    }
    let (title, rules) = (options.game.title ?? bank.title ?? entry.name, options.game.rules)
    let startsAt = options.startsAt(at: WallClock.now)
    let invitation: Games.Invitation?
    do throws(Games.StartProblem) {
      if try await games.exists(id) {
        invitation = games.invitation(of: id)
      } else {
        invitation = try await games.start(bank, title: title, rules: rules, startsAt: startsAt, on: options.stream, id: id)
      }
    } catch {
      // Another node may have made it in the meantime.
      guard (try? await games.exists(id)) == true else { throw CommandFailure("\(error)", status: CommandFailure.ioError) }
      invitation = games.invitation(of: id)
    }
    try await remember(entry.name, Begun(words: words, game: invitation?.id ?? id))
    return invitation
  }

  /// Remembers a game that was begun.
  private func remember(_ name: String, _ game: Begun) async throws(CommandFailure) {
    let object = begun.withLock { begun in
      begun[name] = game
      var object = JSONObject()
      for (name, game) in begun.sorted(by: { $0.key < $1.key }) {
        object.append(name, JSONObject(fields: ["words": game.words, "game": game.game]))
      }
      return object
    }
    try await Worker.run { [file] () throws(CommandFailure) in try file.write(object) }
  }
}

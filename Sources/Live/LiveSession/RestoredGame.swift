import Basics
import CueSheet
import EventSchedule
import GameEvents
import LiveGame
import Seals

/// The game of earlier sessions, restored from their journal.
struct RestoredGame {
  /// The session's settings for the game.
  struct Settings {
    var game: String
    /// Whether the operator has named the game. Otherwise the journal names it, if there is one.
    var isGameNamed = true
    var title: String?
    var policy: CopyPolicy
    /// The key that seals answers; `nil` for a key in the journal.
    var sealKey: SealKey?
    var hasOpenAnswers = false
    var sign: EventSigner?
    /// What happens to questions whose time meets an ad break.
    var breaks = BreakPolicy.pass
  }

  /// The game, and the events that must go into the stream now.
  var game: LiveGame
  var arrivals: [LiveGame.Arrival]
  /// The first records of this session.
  var beginning: [JournalRecord] = []

  /// Restores the game, or makes a new one without records.
  ///
  /// - Throws: `JournalText.Damage` if the journal belongs to another game, or contradicts itself.
  init(_ records: [JournalRecord], _ settings: Settings) throws(JournalText.Damage) {
    var settings = settings
    var key = settings.sealKey
    var isKeyKept = false
    if let first = records.first {
      guard case .started(let game, let text) = first else { throw Self.damage("a journal begins with its game") }
      if !settings.isGameNamed { settings.game = game }
      guard game.hasSameBytes(as: settings.game) else {
        throw Self.damage("it is the journal of the game \(game), not of \(settings.game)")
      }
      // A key that cannot be read counts as missing.
      if let text, key == nil { key = try? SealKey(fileContents: Array(text.utf8)) }
      guard key != nil || settings.hasOpenAnswers else {
        throw Self.damage("it has no key for answers; give the session the --seal-key or the --open-answers that it began with")
      }
    }
    if key == nil, !settings.hasOpenAnswers {
      key = .random()
      isKeyKept = true
    }
    let answers: CueSheet.AnswerMode = settings.hasOpenAnswers ? .open : .sealed(key ?? .random())
    var gameSettings = LiveGame.Settings(
      game: settings.game, title: settings.title, policy: settings.policy, answers: answers, sign: settings.sign)
    gameSettings.breaks = settings.breaks
    (game, arrivals) = try LiveGame.restored(records, gameSettings)
    if records.isEmpty { beginning = [.started(game: settings.game, sealKey: isKeyKept ? key?.hexadecimal : nil)] }
  }

  private static func damage(_ reason: String) -> JournalText.Damage { JournalText.Damage(line: 1, offset: 0, reason: reason) }
}

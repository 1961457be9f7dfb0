import Basics
import CueSheet
import EventSchedule
import GameEvents
import LiveGame
import Seals

/// What a journal tells of the game of the sessions before this one.
struct RestoredGame {
  /// What the session is told of the game.
  struct Settings {
    var game: String
    /// Whether the operator has named the game; otherwise it is that of the journal, if there is one.
    var isGameNamed = true
    var title: String?
    var policy: CopyPolicy
    /// What answers are sealed with; `nil` for a key that the journal keeps.
    var sealKey: SealKey?
    var hasOpenAnswers = false
    var sign: EventSigner?
  }

  /// The game as it was, and the events that must go into the stream now.
  var game: LiveGame
  var arrivals: [LiveGame.Arrival]
  /// The records that the journal needs before anything else.
  var beginning: [JournalRecord] = []

  /// What the records of a journal say, or nothing where there are none.
  ///
  /// - Throws: `JournalText.Damage` where the journal is that of another game, or contradicts itself.
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
      // A key that cannot be read is missing: the next lines say so.
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
    let gameSettings = LiveGame.Settings(
      game: settings.game, title: settings.title, policy: settings.policy, answers: answers, sign: settings.sign)
    (game, arrivals) = try LiveGame.restored(records, gameSettings)
    if records.isEmpty { beginning = [.started(game: settings.game, sealKey: isKeyKept ? key?.hexadecimal : nil)] }
  }

  private static func damage(_ reason: String) -> JournalText.Damage { JournalText.Damage(line: 1, offset: 0, reason: reason) }
}

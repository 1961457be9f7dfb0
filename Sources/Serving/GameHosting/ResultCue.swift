import Basics
import EventSchedule
import GameEvents
import Questions
import Scoring

/// Writes the cue of a result within the space that its event's tag has: names are left out from the end, then the explanation.
struct ResultCue {
  private let settings: HostedGame.Settings
  private let asked: HostedGame.Asked
  private let number: Int
  /// The version of the scoreboard that belongs to the result.
  private let board: Int
  private let guid: GUID

  init(_ settings: HostedGame.Settings, _ asked: HostedGame.Asked, number: Int, board: Int, guid: GUID) {
    (self.settings, self.asked, self.number, self.board, self.guid) = (settings, asked, number, board, guid)
  }

  /// The first keys of a cue.
  static func beginning(_ type: EventType, _ guid: GUID, game: String) -> JSONObject {
    JSONObject(fields: ["event": type.text, "guid": guid.text, "game": game])
  }

  /// The cue of a question's result.
  func cue(summary: QuestionSummary?, leaders: [Standing]) -> JSONObject {
    let question = settings.questions[asked.quizIndex]
    let counts = summary?.counts ?? []
    var content = ShowResults(
      questionGuid: asked.guid, questionNumber: number, right: question.right, salt: Self.saltRoom, counts: counts,
      histogram: summary?.histogram, texts: summary?.texts, points: question.points, explanation: question.explanation,
      url: question.link ?? settings.boardAddress.map { "\($0)/\(board)" },
      leaderboard: leaders.map { LeaderboardEntry($0) })
    while !Self.fits(.showResults(content), guid, settings) {
      if let texts = content.texts, texts.entries.count > Self.fewTexts {
        content.texts = texts.shortened(to: texts.entries.count - 1)
      } else if content.leaderboard?.isEmpty == false {
        content.leaderboard?.removeLast()
      } else if content.explanation != nil {
        content.explanation = nil
      } else if content.url != nil {
        content.url = nil
      } else if let texts = content.texts, !texts.entries.isEmpty {
        content.texts = texts.shortened(to: texts.entries.count - 1)
      } else {
        break
      }
    }
    return Self.beginning(.showResults, guid, game: settings.id).with("questionNumber", number)
      .with("counts", counts.isEmpty ? nil : counts).with("histogram", content.histogram?.object)
      .with("texts", content.texts?.object)
      .with("points", content.points).with("explanation", content.explanation).with("url", content.url)
      .with("leaderboard", Self.objects(content.leaderboard ?? []))
  }

  /// The cue of the end: with as many winners and leaders as fit.
  ///
  /// - Parameter record: The hash of the public record; `nil` if there is none.
  static func end(
    _ settings: HostedGame.Settings, guid: GUID, asked: Int, winners: [Standing], leaders: [Standing], record: String? = nil
  ) -> JSONObject {
    var content = EndGame(
      totalQuestions: asked, winners: winners.prefix(mostWinners).map(\.nickname.text), leaderboard: leaders.map { LeaderboardEntry($0) },
      record: record)
    while !fits(.endGame(content), guid, settings) {
      if content.winners?.isEmpty == false {
        content.winners?.removeLast()
      } else if content.leaderboard?.isEmpty == false {
        content.leaderboard?.removeLast()
      } else {
        break
      }
    }
    return beginning(.endGame, guid, game: settings.id).with("totalQuestions", asked).with("winners", content.winners ?? [])
      .with("leaderboard", objects(content.leaderboard ?? [])).with("record", record)
  }

  /// How many texts stay before names are left out.
  private static let fewTexts = 5
  /// More winners never fit.
  private static let mostWinners = 100
  /// The length of the salt that the injector adds.
  private static let saltRoom = String(repeating: "=", count: 24)

  private static func objects(_ entries: [LeaderboardEntry]) -> [JSONObject] {
    entries.map { JSONObject(fields: ["nickname": $0.nickname, "score": $0.score]) }
  }

  /// Whether an event fits into a tag, wherever it is in the stream and in the game.
  private static func fits(_ content: EventContent, _ guid: GUID, _ settings: HostedGame.Settings) -> Bool {
    let event = GameEvent(guid: guid, game: settings.id, sequence: 99_999, at: MediaTime(seconds: 999_999), content: content)
    // Room for the signature that the injector may add.
    let room = settings.largestTagSize - signatureRoom
    return ((try? CopyPolicy(largestTagSize: settings.largestTagSize).largestTagSize(of: event)) ?? .max) <= room
  }

  private static let signatureRoom = 110
}

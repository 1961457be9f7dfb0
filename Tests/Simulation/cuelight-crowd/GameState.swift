import Basics

/// How far a game has come, as everybody may see it.
struct GameState: Equatable, Sendable {
  /// A question that is in the stream.
  struct Question: Equatable, Sendable {
    var guid: String
    /// Its number in the game, from 1.
    var number: Int
    var opensAt: MediaTime
    var closesAt: MediaTime
  }

  var phase: String
  var question: Question?
  /// How many results there are.
  var boards: Int

  /// Whether the question takes answers.
  var isOpen: Bool { phase == "open" }
  var hasEnded: Bool { phase == "ended" }

  /// - Parameter object: What `/v1/games/{game}/state` answers; `nil` where it is something else.
  init?(_ object: JSONObject) {
    guard let phase = object["phase"]?.string, let boards = object["board"]?.int else { return nil }
    (self.phase, self.boards) = (phase, boards)
    guard let question = object["question"]?.object else { return }
    guard let guid = question["guid"]?.string, let number = question["number"]?.int, number >= 1 else { return nil }
    // A question on its way into the stream has no times yet.
    guard let opensAt = Self.time(question["opensAt"]), let closesAt = Self.time(question["closesAt"]), opensAt >= .zero else { return }
    self.question = Question(guid: guid, number: number, opensAt: opensAt, closesAt: closesAt)
  }

  private static func time(_ value: JSONValue?) -> MediaTime? { value?.number.flatMap { MediaTime(decimalSeconds: $0.text) } }
}

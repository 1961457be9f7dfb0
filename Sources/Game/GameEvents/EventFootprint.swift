import Basics

extension GameEvent {
  /// The approximate memory of the event in bytes: its texts, and a flat amount for each value.
  ///
  /// It bounds the size of a log. So it must grow with everything that a stream can make large, but need not be exact.
  public var footprint: Int { 256 + guid.text.utf8.count + (game?.utf8.count ?? 0) + content.footprint + unknownKeys.footprint }
}

extension EventContent {
  fileprivate var footprint: Int {
    switch self {
    case .startGame(let content): size(content.title) + size(content.startsAt)
    case .askQuestion(let content):
      size(content.question) + size(content.category) + size(content.difficulty) + size(content.seal) + total(content.answers)
    case .adjustTime(let content): size(content.questionGuid.text)
    case .periodicInfo: 0
    case .showResults(let content):
      size(content.questionGuid.text) + size(content.salt) + size(content.explanation) + size(content.url)
        + (content.counts?.count ?? 0) * 8 + (content.points?.count ?? 0) * 8 + total(content.leaderboard)
    case .endGame(let content): total(content.winners ?? []) + total(content.leaderboard)
    case .custom(let type, let keys): size(type.text) + keys.footprint
    }
  }

  private func size(_ text: String?) -> Int { text?.utf8.count ?? 0 }

  private func total(_ texts: [String]) -> Int { texts.reduce(0) { $0 + 16 + $1.utf8.count } }

  private func total(_ entries: [LeaderboardEntry]?) -> Int {
    (entries ?? []).reduce(0) { $0 + 64 + $1.nickname.utf8.count + $1.unknownKeys.footprint }
  }
}

extension JSONObject {
  fileprivate var footprint: Int { members.reduce(0) { $0 + 32 + $1.key.utf8.count + $1.value.footprint } }
}

extension JSONValue {
  // Never inline: the compiler would put the recursion into itself several times.
  @inline(never) fileprivate var footprint: Int {
    switch self {
    case .null, .bool: 32
    case .number(let number): 32 + number.text.utf8.count
    case .string(let text): 32 + text.utf8.count
    case .array(let elements): 64 + elements.reduce(0) { $0 + $1.footprint }
    case .object(let object): 64 + object.footprint
    }
  }
}

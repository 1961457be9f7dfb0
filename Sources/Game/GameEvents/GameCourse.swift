import Basics

/// When a game began and ended, as far as the log knows: enough to decide which of several games the state shows.
struct GameCourse: Equatable, Sendable {
  /// The time of the latest `startGame`.
  private(set) var started: MediaTime?
  /// The time of the earliest `endGame`.
  private(set) var ended: MediaTime?
  /// The times of the earliest and the latest event that moves the state.
  private(set) var span: ClosedRange<MediaTime>?

  init() {}

  init(of entries: [EventLog.Entry]) {
    for entry in entries { extend(with: entry) }
  }

  /// Adds an entry.
  mutating func extend(with entry: EventLog.Entry) {
    let time = entry.time
    switch entry.event.content {
    case .custom: return
    case .startGame: started = max(started ?? time, time)
    case .endGame: ended = min(ended ?? time, time)
    case .askQuestion, .adjustTime, .showResults, .periodicInfo: break
    }
    span = min(span?.lowerBound ?? time, time)...max(span?.upperBound ?? time, time)
  }

  /// Whether the game has ended by `time`.
  func isOver(at time: MediaTime) -> Bool { ended.map { $0 <= time } ?? false }

  /// The game whose events make up the state at `time`.
  ///
  /// It is the one that started last: a running game is replaced only by the start of another. If none has started, it is
  /// the one seen first. After its end, it is the next game that has not ended.
  static func running(among courses: [(game: GameID, course: GameCourse)], at time: MediaTime) -> GameID? {
    // Ties by name, so that the choice depends on nothing but the entries.
    var games = courses.filter { ($0.course.span?.lowerBound ?? .init(ticks: .max)) <= time }.ordered { $0.game.precedes($1.game) }
    let started = games.filter { ($0.course.started ?? .init(ticks: .max)) <= time }
    var running =
      started.max { ($0.course.started ?? time) < ($1.course.started ?? time) }
      ?? games.min { ($0.course.span?.lowerBound ?? time) < ($1.course.span?.lowerBound ?? time) }
    while let game = running, let end = game.course.ended, end <= time {
      games.removeAll { other in
        other.game == game.game || (other.course.span?.upperBound ?? end) <= end || (other.course.ended ?? .init(ticks: .max)) <= end
      }
      guard let next = games.min(by: { max($0.course.span?.lowerBound ?? end, end) < max($1.course.span?.lowerBound ?? end, end) }) else {
        break
      }
      running = next
    }
    return running?.game
  }
}

import GameHosting
import GameStore
import LiveSession

/// The games in numbers, in the text format of Prometheus. None of them tells which answers were given.
enum GameMetrics {
  static func text(_ directory: GameDirectory) -> String {
    var text = ""
    func add(_ name: String, _ kind: String, _ help: String, _ value: some CustomStringConvertible) {
      text += "# HELP cuelight_\(name) \(help)\n# TYPE cuelight_\(name) \(kind)\ncuelight_\(name) \(value)\n"
    }
    let games = directory.all
    let running = games.filter { runner in !runner.look { game, _ in game.end != nil } }
    add("games", "gauge", "Games in memory: those that are not over, and those that somebody has asked for lately.", games.count)
    add("games_running", "gauge", "Games that are not over.", running.count)
    add(
      "players", "gauge", "Players in games that are not over.",
      running.reduce(0) { sum, runner in sum + runner.look { game, _ in game.playerCount } })
    add("viewers", "gauge", "Viewers of games that are not over, estimated.", running.reduce(0) { $0 + $1.audience.viewers(at: .now) })
    let counts = directory.answerCounts
    add("answers_recorded_total", "counter", "Answers that were stored.", counts.recorded)
    add("answers_refused_total", "counter", "Answers that were not taken.", counts.refused)
    add("hosts_listening", "gauge", "Hosts that listen to messages.", games.reduce(0) { $0 + $1.feed.listenerCount })
    add("store_failed", "gauge", "Whether nothing can be stored.", directory.storeFailure == nil ? 0 : 1)
    add("store_full", "gauge", "Whether the disk of the store is full.", directory.storeFailure == .full ? 1 : 0)
    add("answers_waiting", "gauge", "Answers that wait for the store.", games.reduce(0) { $0 + $1.desk.waitingCount })
    let written = directory.answerWriter.written
    text += commits(written)
    add("store_changes_total", "counter", "Batches of answers, and other changes, in the transactions that store answers.", written.changes)
    add("store_waiting", "gauge", "Changes that wait for their transaction.", directory.writer.waitingCount)
    if let lag = directory.cluster.lag {
      add("leading", "gauge", "Whether this node leads.", directory.cluster.isLeading ? 1 : 0)
      add("follow_age_seconds", "gauge", "How long ago this node knew everything that was finished in the store.", lag.seconds)
      add("follow_underway", "gauge", "Changes under way in the database that nobody can know yet.", lag.underway)
    }
    return text
  }

  /// How long transactions take, as a histogram.
  private static func commits(_ written: StoreWriter.Figures) -> String {
    let name = "cuelight_store_commit_seconds"
    var text = "# HELP \(name) How long transactions take that store answers.\n# TYPE \(name) histogram\n"
    var count = 0
    for (limit, number) in zip(StoreWriter.Figures.limits, written.counts) {
      count += number
      text += "\(name)_bucket{le=\"\(limit)\"} \(count)\n"
    }
    text += "\(name)_bucket{le=\"+Inf\"} \(written.transactions)\n"
    return text + "\(name)_sum \(written.seconds)\n\(name)_count \(written.transactions)\n"
  }
}

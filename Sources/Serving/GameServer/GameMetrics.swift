import Basics
import GameHosting
import GameStore
import LiveSession

/// The metrics of games, in the text format of Prometheus. None of them reveals which answers were given.
enum GameMetrics {
  static func text(_ directory: GameDirectory) -> String {
    var text = MetricsText()
    let games = directory.all
    let running = games.filter { runner in !runner.look { game in game.end != nil } }
    text.add("games", .gauge, "Games in memory: those that are not over, and those that somebody has asked for lately.", games.count)
    text.add("games_running", .gauge, "Games that are not over.", running.count)
    text.add(
      "players", .gauge, "Players in games that are not over.",
      running.reduce(0) { sum, runner in sum + runner.look { game in game.playerCount } })
    text.add("viewers", .gauge, "Viewers of games that are not over, estimated.", running.reduce(0) { $0 + $1.audience.viewers(at: .now) })
    let counts = directory.answerCounts
    text.add("answers_recorded_total", .counter, "Answers that were stored.", counts.recorded)
    text.add("answers_refused_total", .counter, "Answers that were not taken.", counts.refused)
    text.add("hosts_listening", .gauge, "Hosts that listen to messages.", games.reduce(0) { $0 + $1.feed.listenerCount })
    text.add("store_failed", "Whether nothing can be stored.", isTrue: directory.storeFailure != nil)
    text.add("store_full", "Whether the disk of the store is full.", isTrue: directory.storeFailure == .full)
    text.add("answers_waiting", .gauge, "Answers that wait for the store.", games.reduce(0) { $0 + $1.desk.waitingCount })
    let written = directory.answerWriter.written
    addCommits(written, to: &text)
    text.add(
      "store_changes_total", .counter, "Batches of answers, and other changes, in the transactions that store answers.", written.changes)
    text.add("store_waiting", .gauge, "Changes that wait for their transaction.", directory.writer.waitingCount)
    if let lag = directory.cluster.lag {
      text.add("leading", "Whether this node leads.", isTrue: directory.cluster.isLeading)
      text.add(
        "follow_age_seconds", .gauge, "How long ago this node knew everything that was finished in the store.",
        orUnknown: "\(lag.seconds)")
      text.add("follow_underway", .gauge, "Changes under way in the database that nobody can know yet.", lag.underway)
    }
    return text.text
  }

  /// Adds the duration of transactions, as a histogram.
  private static func addCommits(_ written: StoreWriter.Figures, to text: inout MetricsText) {
    var count = 0
    let buckets = zip(StoreWriter.Figures.limits, written.counts).map { limit, number in
      count += number
      return (bound: "\(limit)", count: count)
    }
    text.addHistogram(
      "store_commit_seconds", "How long transactions take that store answers.", buckets: buckets, count: written.transactions,
      sum: "\(written.seconds)")
  }
}

import Basics

/// What came of a run.
struct CrowdReport: Sendable {
  /// A question that was answered.
  struct Question: Sendable {
    let number: Int
    let guid: String
    let tally: Tally
    /// How many players have an answer that was acknowledged.
    let players: Int
  }

  let players: Int
  let joined: Int
  let joins: Tally
  /// The questions by their numbers in the game.
  let questions: [Question]
  /// All questions together.
  let answers: Tally
  /// Requests that nobody waited for any more.
  let unfinished: Int
  let seconds: Duration
  /// Connections that the server closed, and attempts to connect that failed.
  let closed: (idle: Int, busy: Int)
  let failures: Int
  let lastReason: String?
  /// What the record says; `nil` where it was not fetched.
  let finding: RecordCheck.Finding?

  init(players: Int, _ squads: [Squad.Result], unfinished: Int, seconds: Duration, _ finding: RecordCheck.Finding?) {
    (self.players, self.unfinished, self.seconds, self.finding) = (players, unfinished, seconds, finding)
    joined = squads.reduce(0) { $0 + $1.joined }
    joins = Self.sum(squads.map(\.joins))
    let sheets = squads.first?.sheets ?? []
    questions = sheets.indices.map { place in
      Question(
        number: sheets[place].question.number, guid: sheets[place].question.guid, tally: Self.sum(squads.map { $0.questions[place] }),
        players: squads.reduce(0) { $0 + $1.sheets[place].recordedPlayers })
    }
    answers = Self.sum(questions.map(\.tally))
    closed = (squads.reduce(0) { $0 + $1.closed.idle }, squads.reduce(0) { $0 + $1.closed.busy })
    failures = squads.reduce(0) { $0 + $1.failures }
    lastReason = squads.compactMap(\.lastReason).first
  }

  private static func sum(_ tallies: [Tally]) -> Tally {
    var sum = Tally()
    for tally in tallies { sum.add(tally) }
    return sum
  }

  /// Whether the record has what was acknowledged, and nothing that was never sent.
  var isRight: Bool { finding.map { $0.missing == 0 && $0.unknown == 0 && $0.unreadable == 0 } ?? false }
}

extension CrowdReport {
  /// The report for programs.
  var object: JSONObject {
    var object = JSONObject()
    object.append("players", players)
    object.append("joined", joined)
    object.appendAbsent(answers.object)
    if let number = JSONNumber(Console.tenths(seconds)) { object.append("seconds", .number(number)) }
    object.append("unfinished", unfinished)
    object.append("missing", orNull: finding?.missing)
    object.append("unknown", orNull: finding?.unknown)
    object.append("unreadable", orNull: finding?.unreadable)
    object.append("lines", orNull: finding?.lines)
    object.append("examples", finding?.examples ?? [])
    object.append("closedIdle", closed.idle)
    object.append("closedBusy", closed.busy)
    object.append("failedConnections", failures)
    object.append("lastReason", orNull: lastReason)
    object.append("joins", joins.object)
    object.append(
      "questions",
      questions.map { question in
        var object = JSONObject()
        object.append("number", question.number)
        object.append("guid", question.guid)
        object.append("players", question.players)
        object.appendAbsent(question.tally.object)
        return object
      })
    return object
  }

  /// The report for people.
  var lines: [String] {
    var lines = ["\(joined) of \(players) players joined, in \(Console.seconds(seconds)) all in all, \(unfinished) requests unfinished"]
    var rows = [["", "sent", "accepted", "refused", "p50", "p99", "max", "late p99"], joins.row("joining")]
    rows += questions.map { $0.tally.row("question \($0.number)") }
    rows.append(answers.row("all questions"))
    lines += rows.aligned(textColumns: [0])
    for (name, tally) in [("joining", joins), ("answers", answers)] {
      lines.append("\(name): \(tally.details)")
    }
    lines.append("connections: \(closed.idle) closed by the server while idle, \(closed.busy) in the middle, \(failures) attempts failed")
    if let lastReason { lines.append("the last reason: \(lastReason.visible(.text))") }
    if let finding {
      lines.append(
        "record: \(finding.lines) answers of this crowd, \(finding.missing) missing, \(finding.unknown) never sent, \(finding.unreadable) unreadable"
      )
      lines += finding.examples.map { $0.visible(.text) }
    } else {
      lines.append("record: not compared")
    }
    return lines
  }
}

extension Tally {
  fileprivate var object: JSONObject {
    var object = JSONObject()
    object.append("sent", sent)
    object.append("recorded", accepted)
    object.append("refused", Self.counts(refused.map { ($0.key, $0.value) }))
    object.append("statuses", Self.counts(statuses.map { ("\($0.key)", $0.value) }))
    object.append("retried", retried)
    object.append("resent", resent)
    object.append("leftOut", leftOut)
    object.append("unanswered", unanswered)
    for (key, value) in [
      ("p50", latency.percentile(0.5)), ("p99", latency.percentile(0.99)), ("max", latency.largest), ("lateP99", lateness.percentile(0.99)),
      ("lateMax", lateness.largest),
    ] {
      if let number = JSONNumber(Self.milliseconds(value)) { object.append(key, .number(number)) }
    }
    return object
  }

  private static func counts(_ counts: [(key: String, count: Int)]) -> JSONObject {
    var object = JSONObject()
    for (key, count) in counts.sorted(by: { $0.key < $1.key }) { object.append(key, count) }
    return object
  }

  /// Microseconds as milliseconds with three decimals.
  private static func milliseconds(_ microseconds: UInt64) -> String { "\(microseconds / 1_000).\((microseconds % 1_000).digits(3))" }

  fileprivate func row(_ name: String) -> [String] {
    let times = [latency.percentile(0.5), latency.percentile(0.99), latency.largest, lateness.percentile(0.99)]
    return [name, "\(sent)", "\(accepted)", "\(refused.values.reduce(0, +))"] + times.map { "\(Self.milliseconds($0)) ms" }
  }

  fileprivate var details: String {
    var parts = statuses.sorted { $0.key < $1.key }.map { "\($0.value) of status \($0.key)" }
    parts += refused.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key.visible(.text))" }
    parts += ["\(retried) tried again", "\(resent) sent once more", "\(leftOut) not sent in time", "\(unanswered) without a response"]
    return parts.joined(separator: ", ")
  }
}

import MediaTime

/// One choice of an answer.
struct Submission: Equatable, Sendable {
  var answer: UInt8
  var time: MediaTime

  /// Whether the other one counts instead: it is later, or of the same time and has the smaller index. So no order of arrival matters.
  func precedes(_ other: Submission) -> Bool { time == other.time ? answer > other.answer : time < other.time }
}

/// All answers to one question: for each player the one that counts, and besides it what was changed or refused.
struct AnswerColumn: Sendable {
  /// How many answers of one player are kept besides the one that counts, the latest ones. Only what becomes of them where the question's
  /// times are corrected afterwards depends on earlier ones.
  static let keptCount = 8
  /// Stands for no answer.
  static let none = UInt8.max

  /// By player: the answer that counts.
  private(set) var answers: [UInt8] = []
  /// By player: when it was chosen, in ticks.
  private(set) var times: [Int64] = []
  /// What does not count, by player.
  private(set) var others: [Int32: [Submission]] = [:]

  /// The answer of a player that counts.
  func submission(of player: Int) -> Submission? {
    guard player < answers.count, answers[player] != Self.none else { return nil }
    return Submission(answer: answers[player], time: MediaTime(ticks: times[player]))
  }

  /// Takes an answer of one of so many players.
  ///
  /// - Returns: Whether the answer that counts is another one now.
  mutating func add(_ submission: Submission, of player: Int, among playerCount: Int, isAcceptable: Bool) -> Bool {
    guard isAcceptable else {
      keep(submission, of: player)
      return false
    }
    guard let current = self.submission(of: player) else {
      put(submission, of: player, among: playerCount)
      return true
    }
    guard current != submission else { return false }
    guard current.precedes(submission) else {
      keep(submission, of: player)
      return false
    }
    keep(current, of: player)
    put(submission, of: player, among: playerCount)
    return true
  }

  /// Judges all answers again, because the question is known now or was corrected.
  mutating func settle(among playerCount: Int, isAcceptable: (Int, Submission) -> Bool) {
    for player in answers.indices {
      guard let current = submission(of: player), !isAcceptable(player, current) else { continue }
      answers[player] = Self.none
      keep(current, of: player)
    }
    for player in others.keys { settle(Int(player), among: playerCount) { isAcceptable(Int(player), $0) } }
  }

  /// Judges the answers of one player again.
  mutating func settle(_ player: Int, among playerCount: Int, isAcceptable: (Submission) -> Bool) {
    if let current = submission(of: player), !isAcceptable(current) {
      answers[player] = Self.none
      keep(current, of: player)
    }
    guard let list = others.removeValue(forKey: Int32(truncatingIfNeeded: player)) else { return }
    for submission in list { _ = add(submission, of: player, among: playerCount, isAcceptable: isAcceptable(submission)) }
  }

  private mutating func put(_ submission: Submission, of player: Int, among playerCount: Int) {
    if player >= answers.count {
      // Room for everybody at once: the others will answer, too.
      let missing = max(playerCount, player + 1) - answers.count
      answers.append(contentsOf: repeatElement(Self.none, count: missing))
      times.append(contentsOf: repeatElement(0, count: missing))
    }
    answers[player] = submission.answer
    times[player] = submission.time.ticks
  }

  private mutating func keep(_ submission: Submission, of player: Int) {
    let key = Int32(truncatingIfNeeded: player)
    var list = others.removeValue(forKey: key) ?? []
    if !list.contains(submission) { list.append(submission) }
    if list.count > Self.keptCount, let earliest = list.indices.min(by: { list[$0].precedes(list[$1]) }) { list.remove(at: earliest) }
    others[key] = list
  }
}

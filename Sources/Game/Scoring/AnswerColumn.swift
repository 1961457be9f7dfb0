import MediaTime

/// One choice of an answer.
struct Submission: Equatable, Sendable {
  var answer: UInt8
  var time: MediaTime

  /// Whether the other one counts instead: it is later, or of the same time and has the smaller index. So no order of arrival matters.
  func precedes(_ other: Submission) -> Bool { time == other.time ? answer > other.answer : time < other.time }
}

/// All answers to one question: for each player the one that counts, and besides it what was changed or refused.
///
/// Which answers of a player are kept depends on nothing but their times: the earliest ones. So what counts does not depend on the order in
/// which answers arrive, nor on when the question is known or corrected.
struct AnswerColumn: Sendable {
  /// What became of an answer.
  enum Effect {
    /// The answer that counts is another one now.
    case changed
    /// The answer that counts is the same.
    case unchanged
    /// So many earlier answers of the player are kept that this one is not.
    case refused
  }

  /// Stands for no answer.
  static let none = UInt8.max
  /// Stands for an answer whose index is too large to be kept.
  static let unknown = UInt8.max - 1

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
  mutating func add(_ submission: Submission, of player: Int, among playerCount: Int, isAcceptable: (Submission) -> Bool) -> Effect {
    let isFull = count(of: player) >= ScoredGame.largestAnswerCount
    if isFull {
      guard !isKept(submission, of: player) else { return .unchanged }
      guard let latest = latest(of: player), submission.precedes(latest) else { return .refused }
    }
    let before = self.submission(of: player)
    place(submission, of: player, among: playerCount, isAcceptable: isAcceptable(submission))
    if isFull { removeLatest(of: player, among: playerCount, isAcceptable: isAcceptable) }
    return self.submission(of: player) == before ? .unchanged : .changed
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
    for submission in list { place(submission, of: player, among: playerCount, isAcceptable: isAcceptable(submission)) }
  }

  /// Lets an answer count, or keeps it besides the one that does.
  private mutating func place(_ submission: Submission, of player: Int, among playerCount: Int, isAcceptable: Bool) {
    guard isAcceptable else { return keep(submission, of: player) }
    guard let current = self.submission(of: player) else { return put(submission, of: player, among: playerCount) }
    guard current != submission else { return }
    guard current.precedes(submission) else { return keep(submission, of: player) }
    keep(current, of: player)
    put(submission, of: player, among: playerCount)
  }

  private func list(of player: Int) -> [Submission] { others[Int32(truncatingIfNeeded: player)] ?? [] }

  private func count(of player: Int) -> Int { list(of: player).count + (submission(of: player) == nil ? 0 : 1) }

  private func isKept(_ submission: Submission, of player: Int) -> Bool {
    self.submission(of: player) == submission || list(of: player).contains(submission)
  }

  private func latest(of player: Int) -> Submission? {
    var latest = submission(of: player)
    for other in list(of: player) where latest?.precedes(other) != false { latest = other }
    return latest
  }

  /// Forgets a player's latest answer. Where it was the one that counted, the one before it does.
  private mutating func removeLatest(of player: Int, among playerCount: Int, isAcceptable: (Submission) -> Bool) {
    guard let latest = latest(of: player) else { return }
    if submission(of: player) == latest {
      answers[player] = Self.none
    } else {
      others[Int32(truncatingIfNeeded: player)] = list(of: player).filter { $0 != latest }
    }
    settle(player, among: playerCount, isAcceptable: isAcceptable)
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
    others[key] = list
  }
}

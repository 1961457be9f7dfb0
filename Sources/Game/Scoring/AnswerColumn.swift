import Basics
import GameEvents

/// One submitted answer.
struct Submission: Equatable, Sendable {
  /// Its code: see `AnswerForm`.
  var answer: UInt32
  var time: MediaTime
  /// Its place in the order of arrival at a server; 0 if that order was not recorded.
  var arrival: Int64

  init(answer: UInt32, time: MediaTime, arrival: Int64 = 0) { (self.answer, self.time, self.arrival) = (answer, time, arrival) }

  /// An answer by its code. One that no question can have is kept as `AnswerColumn.unknown`, and so counted as refused.
  init(code: Int, time: MediaTime, arrival: Int64 = 0) {
    self.init(answer: min(UInt32(exactly: code) ?? AnswerColumn.unknown, AnswerColumn.unknown), time: time, arrival: arrival)
  }

  /// Whether the other one counts instead: it arrived later, or, without an order of arrival, is later in the programme, or has the same time and
  /// the smaller code. So the order in which the game receives them does not matter.
  func precedes(_ other: Submission) -> Bool {
    if arrival != other.arrival { return arrival < other.arrival }
    return time == other.time ? answer > other.answer : time < other.time
  }

  /// This answer, with a time not before those that it replaces.
  func notBefore(_ list: [Submission], _ isReplaced: (Submission) -> Bool) -> Submission {
    var submission = self
    for other in list where other.time > submission.time && isReplaced(other) { submission.time = other.time }
    return submission
  }
}

/// All answers to one question: for each player the one that counts, and those that were changed or refused.
///
/// The first answers of a player are kept, in their own order. So the result does not depend on the order in which the game receives them,
/// nor on when the question is known or corrected.
struct AnswerColumn: Sendable {
  /// The effect of an added answer.
  enum Effect {
    /// The answer that counts is another one now.
    case changed
    /// The answer that counts is the same.
    case unchanged
    /// The player's limit of kept answers is reached: the answer is not kept.
    case refused
  }

  /// Stands for no answer.
  static let none = UInt32.max
  /// Stands for an answer that no question has.
  static let unknown = UInt32.max - 1

  /// By player: the code of the answer that counts.
  private(set) var answers: [UInt32] = []
  /// By player: when it was chosen, in ticks.
  private(set) var times: [Int64] = []
  /// By player: the answer's place in the order of arrival. Empty while no answer has one.
  private var arrivals: [Int64] = []
  /// The answers that do not count, by player, in order.
  private(set) var others: [Int32: [Submission]] = [:]
  /// How many answers of a player were not kept, or not any more.
  private(set) var excess: [Int32: Int] = [:]

  /// The answer of a player that counts.
  func submission(of player: Int) -> Submission? {
    guard player < answers.count, answers[player] != Self.none else { return nil }
    return Submission(
      answer: answers[player], time: MediaTime(ticks: times[player]), arrival: arrivals.isEmpty ? 0 : arrivals[player])
  }

  /// The answer of a player that counts, with the time that counts: a change is never earlier than the answers that it replaces, so that nobody
  /// gains time by it.
  func counting(of player: Int, isAcceptable: (Submission) -> Bool) -> Submission? {
    guard let submission = submission(of: player), !arrivals.isEmpty, let list = others[Self.key(player)] else {
      return self.submission(of: player)
    }
    return submission.notBefore(list, isAcceptable)
  }

  /// Adds an answer of one of `playerCount` players.
  mutating func add(_ submission: Submission, of player: Int, among playerCount: Int, isAcceptable: (Submission) -> Bool) -> Effect {
    let before = self.submission(of: player)
    // Nearly all players answer once.
    guard before != nil || others[Self.key(player)] != nil else {
      if isAcceptable(submission) {
        put(submission, of: player, among: playerCount)
        return .changed
      }
      others[Self.key(player)] = [submission]
      return .unchanged
    }
    // Removed from the dictionary, so that the list is changed in place.
    var list = others.removeValue(forKey: Self.key(player)) ?? []
    defer { if !list.isEmpty { others[Self.key(player)] = list } }
    guard before != submission, !list.contains(inOrder: submission) else { return .unchanged }
    let countedBefore = before?.notBefore(list, isAcceptable)
    let isFull = list.count + (before == nil ? 0 : 1) >= ScoredGame.largestAnswerCount
    if isFull {
      excess[Self.key(player), default: 0] += 1
      if let latest = list.latest(or: before), !submission.precedes(latest) { return .refused }
    }
    if isAcceptable(submission), before?.precedes(submission) != false {
      if let before { list.insert(inOrder: before) }
      put(submission, of: player, among: playerCount)
    } else {
      list.insert(inOrder: submission)
    }
    if isFull { removeLatest(of: player, &list, isAcceptable: isAcceptable) }
    return self.submission(of: player)?.notBefore(list, isAcceptable) == countedBefore ? .unchanged : .changed
  }

  /// Decides again about all answers, because the question is known now or was corrected.
  mutating func settle(among playerCount: Int, isAcceptable: (Int, Submission) -> Bool) {
    for player in answers.indices {
      guard let current = submission(of: player), !isAcceptable(player, current), others[Self.key(player)] == nil else { continue }
      answers[player] = Self.none
      others[Self.key(player)] = [current]
    }
    for player in Array(others.keys) { settle(Int(player), among: playerCount) { isAcceptable(Int(player), $0) } }
  }

  /// Decides again about the answers of one player.
  mutating func settle(_ player: Int, among playerCount: Int, isAcceptable: (Submission) -> Bool) {
    var list = others.removeValue(forKey: Self.key(player)) ?? []
    if let current = submission(of: player) {
      list.insert(inOrder: current)
      answers[player] = Self.none
    }
    if let index = list.lastIndex(where: isAcceptable) { put(list.remove(at: index), of: player, among: playerCount) }
    if !list.isEmpty { others[Self.key(player)] = list }
  }

  /// Removes all answers of a player.
  mutating func remove(_ player: Int) {
    if player < answers.count { answers[player] = Self.none }
    others[Self.key(player)] = nil
    excess[Self.key(player)] = nil
  }

  /// Removes a player's latest answer. If it was the one that counted, the previous one counts.
  private mutating func removeLatest(of player: Int, _ list: inout [Submission], isAcceptable: (Submission) -> Bool) {
    guard let current = submission(of: player), list.last?.precedes(current) != false else {
      list.removeLast()
      return
    }
    answers[player] = Self.none
    if let index = list.lastIndex(where: isAcceptable) { put(list.remove(at: index), of: player, among: player + 1) }
  }

  private mutating func put(_ submission: Submission, of player: Int, among playerCount: Int) {
    if player >= answers.count {
      // Space for all players at once, since the others will answer, too.
      let missing = max(playerCount, player + 1) - answers.count
      answers.append(contentsOf: repeatElement(Self.none, count: missing))
      times.append(contentsOf: repeatElement(0, count: missing))
    }
    answers[player] = submission.answer
    times[player] = submission.time.ticks
    guard submission.arrival != 0 || !arrivals.isEmpty else { return }
    if arrivals.count < answers.count { arrivals.append(contentsOf: repeatElement(0, count: answers.count - arrivals.count)) }
    arrivals[player] = submission.arrival
  }

  private static func key(_ player: Int) -> Int32 { Int32(truncatingIfNeeded: player) }
}

extension AnswerForm {
  /// The code of an answer, or one that stands for an answer that the question does not take.
  func keptCode(of answer: GivenAnswer) -> Int { code(of: answer).map { Int($0) } ?? Int(AnswerColumn.unknown) }
}

extension [Submission] {
  /// The index of an answer, or the index for it, in a list in order.
  private func place(of submission: Submission) -> Int {
    // Most arrive in order.
    if last?.precedes(submission) != false { return count }
    return partitionIndex { !$0.precedes(submission) }
  }

  fileprivate func contains(inOrder submission: Submission) -> Bool {
    let place = place(of: submission)
    return place < count && self[place] == submission
  }

  fileprivate mutating func insert(inOrder submission: Submission) { insert(submission, at: place(of: submission)) }

  /// The last answer of the list and another one.
  fileprivate func latest(or other: Submission?) -> Submission? {
    guard let last, let other else { return last ?? other }
    return last.precedes(other) ? other : last
  }
}

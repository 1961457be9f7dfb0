public import Basics
public import GameEvents
public import StateMachine

/// A game with its players, their answers and their points.
///
/// It is a fold, like the game's state: players, answers, questions and results may arrive in any order and any number of times, corrected or
/// late, and always lead to the same scoreboard. An answer is judged on the programme's time at its player's own position, so that it
/// does not matter how far behind the live edge somebody watches.
///
/// Each question about it (``leaders(_:at:)``, ``standing(of:at:)``, ``summary(of:)`` …) first brings the points up to date. One more
/// question costs a step for each player; if some players change answers, only their points are computed again.
public struct ScoredGame: Sendable {
  /// A question and its answers.
  struct Sheet: Sendable {
    var guid: GUID
    /// `nil` until it is known.
    var question: ScoredQuestion?
    var answers = AnswerColumn()
    /// The texts that were given; `nil` if none was.
    var texts: TextTable?
    /// When the first right answer was given, once the question was folded.
    var firstRight: MediaTime?
    /// How far the nearest number is from the right one, in millionths, once the question was folded and if that matters.
    var nearest: UInt64?
    /// Whether the tallies include it.
    var isFolded = false
  }

  /// A player's totals for the questions that were folded.
  struct Tally: Equatable, Sendable {
    var score = 0
    var right: Int32 = 0
    var answered: Int32 = 0
    var streak: Int32 = 0
    var mistakes: Int16 = 0
    /// How many questions had closed before the player joined.
    var late: Int16 = 0
    /// The index, among the folded questions, of the one that eliminated the player.
    var outAt: Int32?
  }

  /// What has changed since the tallies were made.
  enum Change: Sendable {
    /// The answers of these players.
    case players(Set<Int>)
    case everything
  }

  /// How the game is scored.
  public let rules: ScoringRules
  /// How texts are compared.
  let comparison: TextComparison
  /// The players.
  public private(set) var roster = Roster()
  var sheets: [Sheet] = []
  var tallies: [Tally] = []
  /// The questions that the tallies include, in their order, as indices of sheets.
  var folded: [Int] = []
  /// The questions whose right answers became known since then.
  var ready: Set<Int> = []
  var change = Change.players([])
  /// Whether the answers to a question depend on each other.
  private var comparesAnswers = false
  private var indices: [GUID: Int] = [:]

  /// The maximum number of questions whose answers are kept.
  public static let largestQuestionCount = 4_096
  /// The maximum number of answers of one player to one question that are kept, including changed and refused ones: the first ones in the order
  /// of arrival, or else in programme time. All are kept because a correction may move the end of the question, and then another answer is the
  /// last one. Nobody gives as many by hand; the limit protects the memory against attackers.
  public static let largestAnswerCount = 1_024

  /// A game without players.
  public init(rules: ScoringRules = .standard, comparing comparison: TextComparison = .plain) {
    (self.rules, self.comparison) = (rules, comparison)
  }

  /// The questions that are known, in their order.
  public var questions: [ScoredQuestion] { sheets.compactMap { $0.question }.sorted { $0.precedes($1) } }

  func sheetIndex(of question: GUID) -> Int? { indices[question] }
}

// MARK: - Players

extension ScoredGame {
  /// Adds a player, at any time of the game.
  ///
  /// - Parameters:
  ///   - nickname: The player's nickname.
  ///   - time: When the player joins, on the programme's timeline at the player's own position: earlier answers do not count. With `nil` the
  ///     player is present from the beginning.
  /// - Throws: ``JoiningError``, for example if the nickname is taken.
  public mutating func join(_ nickname: String, at time: MediaTime? = nil) throws(JoiningError) -> PlayerID {
    let player = try roster.join(try Self.nickname(nickname), at: time)
    // A player of whom only answers were known may have given some before joining.
    if time != nil, player.index < tallies.count { settle(player.index) }
    makeTally(for: player)
    return player
  }

  /// The player of this nickname; if there is none, a player who is present from the beginning without having joined, and may still
  /// join with that nickname once.
  ///
  /// This is for records in which answers may precede the line with the time at which their player joined.
  public mutating func entering(_ nickname: String) throws(JoiningError) -> PlayerID {
    let player = try roster.entering(try Self.nickname(nickname))
    makeTally(for: player)
    return player
  }

  private static func nickname(_ text: String) throws(JoiningError) -> Nickname {
    do throws(NicknameError) { return try Nickname(text) } catch { throw .nickname(error) }
  }

  private mutating func makeTally(for player: PlayerID) {
    guard player.index >= tallies.count else { return }
    tallies.append(Tally())
    if !folded.isEmpty { recordChange(of: player.index) }
  }

  /// Removes a player as if nobody had ever joined with that nickname, which stays taken.
  package mutating func remove(_ player: PlayerID) {
    roster.remove(player)
    for index in sheets.indices { sheets[index].answers.remove(player.index) }
    change = .everything
  }

  /// Gives a player another nickname, one that nobody has; the old one is free.
  package mutating func rename(_ player: PlayerID, to nickname: Nickname) { roster.rename(player, to: nickname) }

  private mutating func settle(_ player: Int) {
    for index in sheets.indices {
      guard let question = sheets[index].question else { continue }
      let first = roster.firstTime(of: player)
      sheets[index].answers.settle(player, among: roster.count) { question.accepts($0, from: first) }
    }
    recordChange(of: player)
  }

  /// Records that a player's totals must be computed again.
  private mutating func recordChange(of player: Int) {
    guard case .players(var players) = change else { return }
    // The first answer, or the nearest number, affects the points of all players.
    guard rules.first == nil, !comparesAnswers, players.count < Self.largestChangeCount else {
      change = .everything
      return
    }
    change = .players([])
    players.insert(player)
    change = .players(players)
  }

  /// With more changed players than this, repeating the fold for all is faster.
  private static let largestChangeCount = 65_536
}

// MARK: - Answers

extension ScoredGame {
  /// Records an answer.
  ///
  /// Of one player's answers within the time of a question, the last one counts: the last one to arrive, or the last one in time if no order of
  /// arrival is given. Its time is the latest of their times, so that nobody gains time by a change. An answer to a question that is not known yet
  /// is kept and judged as soon as it is. Of more than ``largestAnswerCount`` the earliest ones are kept.
  ///
  /// - Parameters:
  ///   - answer: The index of the answer, from 0; in general its code (see `AnswerForm`).
  ///   - question: The event that asked the question.
  ///   - player: The player.
  ///   - time: The programme time at the player's own position.
  ///   - arrival: The answer's place in the order in which a server has received the answers; the same for all if there is no such order.
  /// - Returns: Its outcome as far as known. An answer that is refused is kept, too: if the question's times are corrected, it may
  ///   count after all.
  public mutating func answer(
    _ answer: Int, to question: GUID, by player: PlayerID, at time: MediaTime, arrival: Int64 = 0
  ) -> AnswerOutcome {
    guard let index = makeSheet(of: question) else { return .unknownQuestion }
    let submission = Submission(code: answer, time: time, arrival: arrival)
    guard keep(submission, of: player, in: index, sheets[index].question) else { return .tooMany }
    guard submission.answer < AnswerColumn.unknown else { return .unknownAnswer }
    guard let known = sheets[index].question else { return .questionNotKnownYet }
    if let refusal = known.refusal(of: submission, from: roster.firstTime(of: player.index)) { return refusal }
    return isOutNow(player.index, before: known) ? .eliminated : .taken
  }

  /// Records an answer in the form that the question takes, as ``answer(_:to:by:at:arrival:)`` does.
  ///
  /// - Returns: Its outcome. An answer of another form than the question's, and one other than an index or a text to a question that is not known yet, is
  ///   not kept.
  public mutating func answer(
    _ answer: GivenAnswer, to question: GUID, by player: PlayerID, at time: MediaTime, arrival: Int64 = 0
  ) -> AnswerOutcome {
    if case .text(let text) = answer {
      guard let index = makeSheet(of: question) else { return .unknownQuestion }
      return self.answer(Int(self.code(of: text, index)), to: question, by: player, at: time, arrival: arrival)
    }
    guard let known = sheetIndex(of: question).flatMap({ sheets[$0].question }) else {
      guard case .one(let index) = answer else { return .questionNotKnownYet }
      return self.answer(index, to: question, by: player, at: time, arrival: arrival)
    }
    guard let code = known.form.code(of: answer) else { return .unknownAnswer }
    return self.answer(Int(code), to: question, by: player, at: time, arrival: arrival)
  }

  /// Records an answer, by its code, without judging it.
  package mutating func record(_ answer: Int, to question: GUID, by player: PlayerID, at time: MediaTime, arrival: Int64 = 0) {
    record(0..<1, to: question) { _ in (answer, nil, player, time, arrival) }
  }

  /// Records answers to a question without judging them, since that takes all earlier questions.
  ///
  /// - Parameters:
  ///   - places: The indices of the answers among others.
  ///   - answer: The code of the answer at an index, its text instead, its player, its time, and its place in the order of arrival; `nil` for none.
  package mutating func record(
    _ places: Range<Int>, to question: GUID,
    _ answer: (Int) -> (answer: Int, text: AnswerText?, player: PlayerID, time: MediaTime, arrival: Int64)?
  ) {
    guard let index = makeSheet(of: question) else { return }
    let known = sheets[index].question
    for place in places {
      guard let (answer, text, player, time, arrival) = answer(place) else { continue }
      let code = text.map { Int(self.code(of: $0, index)) } ?? answer
      _ = keep(Submission(code: code, time: time, arrival: arrival), of: player, in: index, known)
    }
  }

  /// Keeps an answer to a question; returns whether there is room for it.
  private mutating func keep(_ submission: Submission, of player: PlayerID, in index: Int, _ known: ScoredQuestion?) -> Bool {
    let first = roster.firstTime(of: player.index)
    let effect = sheets[index].answers.add(submission, of: player.index, among: roster.count) { known?.accepts($0, from: first) ?? false }
    switch effect {
    case .changed:
      if sheets[index].isFolded { recordChange(of: player.index) }
      return true
    case .unchanged: return true
    case .refused: return false
    }
  }

  /// Whether the known results have eliminated a player before a question, even if the tallies are not up to date.
  private func isOutNow(_ player: Int, before question: ScoredQuestion) -> Bool {
    guard let elimination = rules.elimination else { return false }
    var mistakes = 0
    for index in sheets.indices {
      guard let earlier = sheets[index].question, let marking = earlier.marking(nearest: sheets[index].nearest, texts: sheets[index].texts),
        earlier.precedes(question)
      else { continue }
      if let submission = sheets[index].answers.submission(of: player) {
        mistakes += marking.mark(submission.answer).isRight ? 0 : 1
      } else if elimination.countsMissed, roster.hadJoined(player, before: earlier.closesAt) {
        mistakes += 1
      }
    }
    return elimination.isOut(mistakes: mistakes)
  }

  mutating func makeSheet(of question: GUID) -> Int? {
    if let index = indices[question] { return index }
    guard sheets.count < Self.largestQuestionCount else { return nil }
    indices[question] = sheets.count
    sheets.append(Sheet(guid: question))
    return sheets.count - 1
  }
}

// MARK: - Questions

extension ScoredGame {
  /// Records new questions, results, and corrections of both.
  ///
  /// A question is scored when its right answer is known. If its result never comes, its answers stay pending: they give no points, end no
  /// streaks and eliminate nobody.
  public mutating func receive(_ questions: [ScoredQuestion]) {
    for question in questions {
      guard let index = makeSheet(of: question.guid), sheets[index].question != question else { continue }
      set(question, of: index)
    }
  }

  private mutating func set(_ question: ScoredQuestion?, of index: Int) {
    let old = sheets[index].question
    sheets[index].question = question
    if question?.acceptsAsMuch(as: old) != true {
      let roster = roster
      sheets[index].answers.settle(among: roster.count) { player, submission in
        question?.accepts(submission, from: roster.firstTime(of: player)) ?? false
      }
    }
    if let question, case .texts(let texts)? = question.right { accept(texts, question.grading, index) }
    if sheets[index].isFolded {
      change = .everything
    } else if question?.right != nil {
      ready.insert(index)
    }
    if question?.comparesAnswers == true { comparesAnswers = true }
  }

  /// Records the questions and results of a game that have happened by `time`; see ``ScoredQuestion/questions(of:in:upTo:verifySeal:)``.
  ///
  /// Questions that were removed from the log, whose memory is bounded, stay as they were. Questions of the log that no longer count are
  /// removed: one after an end that arrived late, or one later than `time` after going back.
  public mutating func follow(_ log: EventLog, game: GameID, upTo time: MediaTime, verifySeal: SealCheck?) {
    let questions = ScoredQuestion.questions(of: game, in: log, upTo: time, verifySeal: verifySeal)
    let guids = Set(questions.map { $0.guid })
    for index in sheets.indices {
      guard let known = sheets[index].question, !guids.contains(known.guid) else { continue }
      if log.entry(known.guid, of: game) != nil { set(nil, of: index) }
    }
    for question in questions {
      var question = question
      if question.right == nil, let known = sheetIndex(of: question.guid).flatMap({ sheets[$0].question }),
        let result = known.result,
        log.entry(result, of: game) == nil
      {
        (question.right, question.points, question.result) = (known.right, known.points, result)
      }
      receive([question])
    }
  }
}

import Basics
import GameEvents

extension ScoredGame {
  /// Brings the tallies up to date.
  mutating func update() {
    var next = settled(of: ready)
    ready = []
    switch change {
    case .players(let players) where isContinued(by: next.first):
      change = .players([])
      for player in players { refold(player) }
    case .players, .everything:
      change = .players([])
      for player in tallies.indices { tallies[player] = Tally() }
      for index in folded { sheets[index].isFolded = false }
      folded = []
      next = settled(of: sheets.indices)
    }
    for index in next { fold(index) }
  }

  /// The sheets that are not folded and whose right answers are known, in the order of their questions.
  private func settled(of indices: some Collection<Int>) -> [Int] {
    var settled: [(index: Int, question: ScoredQuestion)] = []
    for index in indices where !sheets[index].isFolded {
      if let question = sheets[index].question, question.right != nil { settled.append((index, question)) }
    }
    settled.sort { $0.question.precedes($1.question) }
    return settled.map { $0.index }
  }

  /// Whether a question comes after all that are folded.
  private func isContinued(by next: Int?) -> Bool {
    guard let question = next.flatMap({ sheets[$0].question }), let last = folded.last.flatMap({ sheets[$0].question }) else { return true }
    return last.precedes(question)
  }

  /// Folds one more question, for all players.
  private mutating func fold(_ index: Int) {
    guard let question = sheets[index].question, let right = question.right else { return }
    let place = Int32(truncatingIfNeeded: folded.count)
    folded.append(index)
    sheets[index].isFolded = true
    sheets[index].nearest = question.comparesAnswers ? nearest(to: right, index, question) : nil
    guard let marking = question.marking(nearest: sheets[index].nearest, texts: sheets[index].texts) else { return }
    sheets[index].firstRight = rules.first == nil ? nil : firstRight(marking, index, question)
    let step = FoldStep(rules: rules, question: question, marking: marking, place: place, firstRight: sheets[index].firstRight)
    guard !roster.hadAllJoined(before: question.closesAt) else {
      for player in tallies.indices { step.apply(to: &tallies[player], counting(player, index, question)) }
      return
    }
    for player in tallies.indices {
      if roster.hadJoined(player, before: question.closesAt) {
        step.apply(to: &tallies[player], counting(player, index, question))
      } else {
        tallies[player].late += 1
      }
    }
  }

  /// Repeats the fold of all folded questions for one player.
  private mutating func refold(_ player: Int) {
    var tally = Tally()
    for (place, index) in folded.enumerated() {
      guard let question = sheets[index].question,
        let marking = question.marking(nearest: sheets[index].nearest, texts: sheets[index].texts)
      else { continue }
      guard roster.hadJoined(player, before: question.closesAt) else {
        tally.late += 1
        continue
      }
      let step = FoldStep(
        rules: rules, question: question, marking: marking, place: Int32(truncatingIfNeeded: place), firstRight: sheets[index].firstRight)
      step.apply(to: &tally, counting(player, index, question))
    }
    tallies[player] = tally
  }

  /// A player's answer to a question that counts.
  private func counting(_ player: Int, _ index: Int, _ question: ScoredQuestion) -> Submission? {
    sheets[index].answers.counting(of: player) { question.accepts($0, from: roster.firstTime(of: player)) }
  }

  /// When the first right answer of a player who is not out was given.
  private func firstRight(_ marking: Marking, _ index: Int, _ question: ScoredQuestion) -> MediaTime? {
    var first: MediaTime?
    for (player, answer) in sheets[index].answers.answers.enumerated()
    where answer != AnswerColumn.none && tallies[player].outAt == nil && marking.mark(answer).isRight {
      guard let time = counting(player, index, question)?.time else { continue }
      first = min(first ?? time, time)
    }
    return first
  }

  /// How far the nearest number of a player who is not out is from the right one, in millionths.
  private func nearest(to right: RightAnswer, _ index: Int, _ question: ScoredQuestion) -> UInt64? {
    guard case .number(let scale) = question.form, case .number(let number) = right else { return nil }
    var nearest: UInt64?
    for (player, answer) in sheets[index].answers.answers.enumerated() where answer != AnswerColumn.none && tallies[player].outAt == nil {
      let distance = scale.number(atStep: answer).distance(to: number)
      nearest = min(nearest ?? distance, distance)
    }
    return nearest
  }

  /// Whether an earlier folded question has eliminated a player.
  func isOut(_ player: Int, before question: ScoredQuestion) -> Bool {
    guard let place = tallies[player].outAt, folded.indices.contains(Int(place)) else { return false }
    return sheets[folded[Int(place)]].question?.precedes(question) ?? false
  }
}

/// The effect of one question on a tally.
private struct FoldStep {
  let rules: ScoringRules
  let question: ScoredQuestion
  let marking: Marking
  let place: Int32
  let firstRight: MediaTime?

  func apply(to tally: inout ScoredGame.Tally, _ submission: Submission?) {
    guard tally.outAt == nil else { return }
    guard let submission else {
      tally.streak = 0
      if rules.elimination?.countsMissed == true { countMistake(&tally) }
      return
    }
    let mark = marking.mark(submission.answer)
    tally.answered += 1
    tally.right += mark.isRight ? 1 : 0
    tally.streak = mark.isRight ? tally.streak + 1 : 0
    tally.score = Self.sum(tally.score, award(submission, mark, streak: Int(tally.streak)))
    if !mark.isRight { countMistake(&tally) }
  }

  private func countMistake(_ tally: inout ScoredGame.Tally) {
    tally.mistakes += 1
    if rules.elimination?.isOut(mistakes: Int(tally.mistakes)) == true { tally.outAt = place }
  }

  /// The points of the rules, in the proportion in which the question is worth more or less than what they give for a right answer at once. Points of
  /// single answers are what they are.
  private func award(_ submission: Submission, _ mark: AnswerMark, streak: Int) -> Int {
    var award = awardOfRules(submission, mark, streak: streak)
    if let worth = question.worth { award = award.scaled(UInt64(max(worth, 0)), of: UInt64(rules.fullAward)) }
    if let points = rules.points { award = Self.sum(award, self.award(submission, points, mark)) }
    return award
  }

  private func awardOfRules(_ submission: Submission, _ mark: AnswerMark, streak: Int) -> Int {
    var award = mark.part(of: rules.effectiveRight?.award(isRight: mark.share > 0) ?? 0)
    if let first = rules.first { award = Self.sum(award, first.award(isRight: mark.isRight, time: submission.time, first: firstRight)) }
    if let speed = rules.speed {
      let points = speed.award(
        isRight: mark.share > 0, time: submission.time, opensAt: question.opensAt, allottedTime: question.allottedTime)
      award = Self.sum(award, mark.part(of: points))
    }
    if mark.isRight, let streakRule = rules.streak { award = Self.sum(award, streakRule.award(streak: streak)) }
    return award
  }

  /// The points of the answers that a player has chosen.
  private func award(_ submission: Submission, _ rule: PointsPerAnswerRule, _ mark: AnswerMark) -> Int {
    guard case .several(let count) = question.form, question.points != nil else {
      return rule.award(answer: Int(submission.answer), points: question.points, worth: question.worth, isRight: mark.isRight)
    }
    return (0..<count).reduce(0) { sum, index in
      guard submission.answer & 1 << UInt32(index) != 0 else { return sum }
      return Self.sum(sum, rule.award(answer: index, points: question.points, worth: question.worth, isRight: false))
    }
  }

  /// The sum, saturating: points come from streams.
  private static func sum(_ left: Int, _ right: Int) -> Int {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (right < 0 ? .min : .max) : sum
  }
}

extension ScoringRules {
  /// What a right answer gives that is the first one, and given at once; at least 1.
  fileprivate var fullAward: Int {
    let (award, overflow) = (effectiveRight?.points ?? 0).addingReportingOverflow(speed?.most ?? 0)
    if award > 0 || overflow { return overflow ? .max : award }
    return max(first?.points ?? 1, 1)
  }
}

extension Int {
  /// The number times `share / whole`, rounded towards zero, or the nearest number that fits.
  fileprivate func scaled(_ share: UInt64, of whole: UInt64) -> Int {
    let product = UInt64(magnitude).multipliedFullWidth(by: share)
    guard product.high < whole else { return self < 0 ? .min : .max }
    let scaled = Int(clamping: whole.dividingFullWidth(product).quotient)
    return self < 0 ? -scaled : scaled
  }
}

public import Basics
public import GameEvents

// A scoreboard is made for a time of the programme: players who join later are not on it. With `nil` all are.

extension ScoredGame {
  /// A player's place on the scoreboard.
  ///
  /// - Parameter time: Only players who had joined by then can be ahead; with `nil` all.
  public mutating func standing(of player: PlayerID, at time: MediaTime? = nil) -> Standing {
    update()
    let key = key(player.index)
    var ahead = 0
    let limit = roster.limit(at: time)
    for other in tallies.indices where roster.hasJoined(other, by: limit) && self.key(other).isAhead(of: key) { ahead += 1 }
    return standing(player.index, rank: ahead + 1)
  }

  /// The first players, ordered by rank; those of one rank by the bytes of their nicknames.
  ///
  /// - Parameters:
  ///   - count: The maximum number of players.
  ///   - time: Only players who had joined by then are on the scoreboard; with `nil`, all.
  public mutating func leaders(_ count: Int, at time: MediaTime? = nil) -> [Standing] {
    guard count < tallies.count else { return standings(at: time) }
    update()
    var best = BestPlayers(count: max(count, 0))
    let limit = roster.limit(at: time)
    for player in tallies.indices {
      let key = key(player)
      // If there are many players, nearly all are skipped here.
      if let last = best.last, last.key.isAhead(of: key) { continue }
      guard roster.hasJoined(player, by: limit) else { continue }
      best.add(.init(key: key, player: player)) { roster.nicknames[$0] < roster.nicknames[$1] }
    }
    return ranked(best.inOrder { roster.nicknames[$0] < roster.nicknames[$1] })
  }

  /// All players, as ``leaders(_:at:)`` orders them.
  ///
  /// - Parameter time: Only players who had joined by then are there; with `nil` all.
  public mutating func standings(at time: MediaTime? = nil) -> [Standing] {
    update()
    var all: [RankedPlayer] = []
    all.reserveCapacity(tallies.count)
    let limit = roster.limit(at: time)
    for player in tallies.indices where roster.hasJoined(player, by: limit) { all.append(.init(key: key(player), player: player)) }
    return ranked(inOrder(all))
  }

  /// All who have won, as far as results are known, ordered by their nicknames' bytes.
  ///
  /// They are the players with the first rank, if they have any points. With elimination, only players who are left can win; if no other rule
  /// awards points, all win who are left and had joined before the last question closed. Nobody wins before a question was scored.
  ///
  /// - Parameter time: Only players who had joined by then win; with `nil` all.
  public mutating func winners(at time: MediaTime? = nil) -> [Standing] {
    update()
    guard !folded.isEmpty else { return [] }
    // A player who joined after the last question is left, and has won nothing.
    let end = folded.compactMap { sheets[$0].question?.closesAt }.max() ?? Roster.beginning
    let limit = roster.limit(at: time)
    var best: [Int] = []
    for player in tallies.indices where tallies[player].outAt == nil && roster.hasJoined(player, by: limit) {
      if rules.allSurvivorsWin {
        if roster.hadJoined(player, before: end) { best.append(player) }
      } else if tallies[player].score > 0 {
        if let first = best.first, key(first) != key(player) {
          guard key(player).isAhead(of: key(first)) else { continue }
          best.removeAll(keepingCapacity: true)
        }
        best.append(player)
      }
    }
    return ranked(inOrder(best.map { .init(key: key($0), player: $0) })).sorted { $0.nickname < $1.nickname }
  }

  /// By index in the roster: whether the player is out of the game, as far as results are known.
  package mutating func playersOut() -> [Bool] {
    update()
    return tallies.map { $0.outAt != nil }
  }

  /// How many players are not out of the game.
  ///
  /// - Parameter time: Only players who had joined by then count; with `nil` all.
  public mutating func playersLeft(at time: MediaTime? = nil) -> Int {
    update()
    var count = 0
    let limit = roster.limit(at: time)
    for player in tallies.indices where tallies[player].outAt == nil && roster.hasJoined(player, by: limit) { count += 1 }
    return count
  }

  /// By index in the roster: the code of the answer to a question that counts; `nil` for players who gave none. Empty if the question is unknown.
  package func answers(to question: GUID) -> [Int?] {
    guard let index = sheetIndex(of: question), sheets[index].question != nil else { return [] }
    return sheets[index].answers.answers.map { $0 == AnswerColumn.none ? nil : Int($0) }
  }

  /// The outcome of the answers to a question; `nil` while it is unknown. Answers to a question whose result is not known yet are counted.
  ///
  /// - Parameters:
  ///   - question: The question.
  ///   - right: The right answer, where players do not know it yet. An order is counted by it.
  public mutating func summary(of question: GUID, knowing right: RightAnswer? = nil) -> QuestionSummary? {
    update()
    guard let index = sheetIndex(of: question), var known = sheets[index].question else { return nil }
    if known.right == nil { known.right = right }
    var summary = QuestionSummary(question: known)
    let column = sheets[index].answers
    for player in column.answers.indices where column.answers[player] != AnswerColumn.none {
      if isOut(player, before: known) {
        summary.otherwiseRefused += 1
      } else {
        summary.count(column.answers[player])
      }
    }
    if known.form == .text { summary.countTexts(of: sheets[index].texts ?? TextTable(), comparison) }
    for (player, submissions) in column.others {
      for submission in submissions {
        switch known.refusal(of: submission, from: roster.firstTime(of: Int(player))) {
        case .tooLate: summary.tooLate += 1
        case .tooEarly: summary.tooEarly += 1
        case .some: summary.otherwiseRefused += 1
        // The player changed it.
        case nil: break
        }
      }
    }
    for (player, count) in column.excess {
      summary.tooMany[PlayerID(Int(player))] = count
      summary.otherwiseRefused += count
    }
    return summary
  }
}

extension ScoredGame {
  func key(_ player: Int) -> RankedPlayer.Key {
    .init(isOut: tallies[player].outAt != nil, score: tallies[player].score, late: tallies[player].late)
  }

  private func inOrder(_ players: [RankedPlayer]) -> [RankedPlayer] {
    players.sorted { $0.isBefore($1) { roster.nicknames[$0] < roster.nicknames[$1] } }
  }

  /// The standings of the first players, in their order.
  private func ranked(_ players: [RankedPlayer]) -> [Standing] {
    var standings: [Standing] = []
    standings.reserveCapacity(players.count)
    for (place, entry) in players.enumerated() {
      let isTied = place > 0 && players[place - 1].key == entry.key
      standings.append(standing(entry.player, rank: isTied ? standings[place - 1].rank : place + 1))
    }
    return standings
  }

  func standing(_ player: Int, rank: Int) -> Standing {
    let tally = tallies[player]
    let id = PlayerID(player)
    return Standing(
      player: id, nickname: roster.nickname(of: id), rank: rank, score: tally.score, right: Int(tally.right), answered: Int(tally.answered),
      outAt: tally.outAt.flatMap { sheets[folded[Int($0)]].question?.number })
  }
}

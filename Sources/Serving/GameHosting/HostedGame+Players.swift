package import AnswerIntake
package import Basics
package import GameEvents
import Nicknames
import Questions
package import Scoring

/// The players and their answers.
extension HostedGame {
  /// A player's place in the roster, and the name as it is shown.
  package struct Joined: Equatable, Sendable {
    package var player: Int
    package var nickname: String
    /// Whether the player was there before.
    package var isKnown: Bool
    package var joinedAt: MediaTime?
    /// The player's team; `nil` for none.
    package var team: String?
    /// Whether the player was there before, under another nickname or in another team.
    package var isChanged = false
  }

  /// Adds a player; a client that has joined before stays the same player, and may change the nickname and the team until the show begins.
  ///
  /// - Parameters:
  ///   - key: The client's own identifier.
  ///   - team: The name of the player's team; `nil` for none, or to stay in the same one.
  ///   - position: Where the player's stream is; `nil` for the maximum distance behind the live edge.
  /// - Throws: ``HostingProblem``.
  package mutating func join(
    _ nickname: String, key: String, team: String? = nil, position: MediaTime? = nil, now: Moment
  ) throws(HostingProblem) -> Joined {
    var joined = try joining(nickname, key: key, team: team, position: position, now: now)
    if joined.isChanged { alter(player: joined.player, nickname: joined.nickname, key: key, team: joined.team) }
    guard !joined.isKnown else { return joined }
    joined.player = try add(nickname, key: key, at: joined.joinedAt)
    if let team = joined.team { teams.set(try? Nickname(team), of: joined.player) }
    joined.nickname = scored.roster.nicknames[joined.player].text
    return joined
  }

  /// The player that a client would be if it joined: the one as whom it has joined before, or the next player that this game would add.
  ///
  /// - Throws: ``HostingProblem``.
  package func joining(
    _ nickname: String, key: String, team: String? = nil, position: MediaTime? = nil, now: Moment
  ) throws(HostingProblem) -> Joined {
    if let known = players.player(of: key) { return try rejoining(known, nickname, team) }
    guard end == nil else { throw .ended }
    if let entryOpensAt, now.wallClock < entryOpensAt { throw .notOpen }
    guard scored.roster.count < settings.rules.mostPlayers else { throw .full }
    let joinedAt = joinTime(position, now)
    guard joinedAt == nil || !settings.endsEntry else { throw .entryClosed }
    let (name, wanted) = (try checked(nickname), try checkedTeam(team))
    return Joined(player: scored.roster.count, nickname: name.text, isKnown: false, joinedAt: joinedAt, team: wanted?.text)
  }

  /// A player who was there before, as the client wants it to be from now on.
  private func rejoining(_ player: Int, _ nickname: String, _ team: String?) throws(HostingProblem) -> Joined {
    guard !players.kicked.contains(player) else { throw .kicked }
    let (name, old) = (scored.roster.nicknames[player], teams.name(of: player))
    var joined = Joined(player: player, nickname: name.text, isKnown: true, joinedAt: nil, team: old?.text)
    let isSameName = (try? Nickname(nickname))?.text.hasSameBytes(as: name.text) ?? false
    let isSameTeam = team.map { text in old.map { NicknameLook.look(of: $0.text) == NicknameLook.look(of: text) } ?? false } ?? true
    if isSameName, isSameTeam { return joined }
    guard mayChangePlayers else { throw .joinedOtherwise(nickname: name.text) }
    if !isSameName { joined.nickname = try checked(nickname, insteadOf: name).text }
    if let team { joined.team = try checkedTeam(team)?.text }
    joined.isChanged = !joined.nickname.hasSameBytes(as: name.text) || joined.team != old?.text
    joined.joinedAt = scored.roster.joinTime(of: PlayerID(player))
    return joined
  }

  /// The problem that a nickname is taken by another player, who has joined elsewhere at the same time.
  package func taken(_ nickname: String) -> HostingProblem {
    .nicknameTaken(suggestions: (try? Nickname(nickname)).map { players.suggestions(for: $0) } ?? [])
  }

  /// Players count from the position of their stream on. All who join before the first question count from the beginning.
  func joinTime(_ position: MediaTime?, _ now: Moment) -> MediaTime? {
    let shown = boards.compactMap(\.scoreboard?.time).max()
    // Without a stream, no player is behind what was shown or asked last.
    guard let first = asked.lazy.compactMap(\.opensAt).first,
      let edge = now.edge ?? ([shown] + asked.map(\.opensAt)).compactMap({ $0 }).max()
    else {
      return nil
    }
    let earliest = edge - settings.rules.delay
    let time = min(max(position ?? earliest, earliest), edge)
    // A scoreboard that was shown contains only players who had joined by then.
    if let shown, time <= shown { return shown + MediaTime(ticks: 1) }
    return time <= first ? nil : time
  }

  /// Adds a player from the store, whatever the rules for nicknames are today; returns whether that is possible.
  package mutating func restore(player nickname: String, key: String, at time: MediaTime?, team: String? = nil) -> Bool {
    guard let name = try? Nickname(nickname), let player = try? add(name, key: key, at: time) else { return false }
    if let team = team.flatMap({ try? Nickname($0) }) { teams.set(team, of: player) }
    return true
  }

  /// The identifier of a player's client.
  package func key(of player: Int) -> String { players.key(of: player) }

  mutating func add(_ nickname: String, key: String, at time: MediaTime?) throws(HostingProblem) -> Int {
    try add(checked(nickname), key: key, at: time)
  }

  /// Returns a nickname that a new player may have.
  private func checked(_ nickname: String, insteadOf old: Nickname? = nil) throws(HostingProblem) -> Nickname {
    let name: Nickname
    do throws(NicknameError) { name = try Nickname(nickname) } catch { throw .nicknameInvalid("\(error)") }
    try players.check(name, insteadOf: old)
    return name
  }

  mutating func add(_ name: Nickname, key: String, at time: MediaTime?) throws(HostingProblem) -> Int {
    do throws(JoiningError) {
      let player = try scored.join(name.text, at: time).index
      _ = try published.join(name.text, at: time)
      players.add(name, key: key, player: player)
      return player
    } catch {
      switch error {
      case .nickname(let reason): throw .nicknameInvalid("\(reason)")
      case .taken: throw .nicknameTaken(suggestions: players.suggestions(for: name))
      case .full: throw .full
      }
    }
  }

  /// Whether a player was removed from the game, by the host or by the player's own request.
  package func isKicked(_ player: Int) -> Bool { players.kicked.contains(player) }

  /// Whether a player has deleted the stored data.
  package func isRemoved(_ player: Int) -> Bool { players.removed.contains(player) }

  /// Whether any player has deleted the stored data.
  package var hasRemovals: Bool { !players.removed.isEmpty }

  /// Removes a player of whom nothing is to be kept, at any time, also after the end. The nickname is free then.
  ///
  /// - Throws: ``HostingProblem`` if there is no such player.
  package mutating func remove(_ player: Int) throws(HostingProblem) -> Change {
    guard player >= 0, player < scored.roster.count else { throw .unknownPlayer }
    return isRemoved(player) ? Change() : change(.removed(player: player))
  }

  /// The players who have been eliminated or removed, by their places.
  package mutating func barred() -> [Bool] {
    var barred = published.playersOut()
    for player in players.kicked where player < barred.count { barred[player] = true }
    return barred
  }

  /// When each player joined, by their places.
  package func joinTime(of player: Int) -> MediaTime {
    guard player < scored.roster.count else { return MediaTime(ticks: .max) }
    return scored.roster.joinTime(of: PlayerID(player)) ?? MediaTime(ticks: .min)
  }

  // MARK: Answers

  /// Records answers that are stored. Of a player's answers to a question the last one counts: the one in the batch with the largest number, and
  /// within a batch the last one. So neither the order of the batches nor their repetition matters.
  ///
  /// - Parameter number: The batch's place among all batches of the game; `nil` if it comes after all others.
  package mutating func record(_ answers: [PackedAnswer], batch number: Int? = nil) {
    let batch = number ?? (latestBatch == .max ? .max : latestBatch + 1)
    latestBatch = max(latestBatch, batch)
    let (count, kicked) = (scored.roster.count, players.kicked)
    keep(answers, batch)
    var start = 0
    while start < answers.count {
      // Nearly all answers that arrive together are to one question, which is looked up once.
      let question = answers[start].question
      let end = answers[start...].firstIndex { $0.question != question } ?? answers.count
      defer { start = end }
      guard Int(question) < asked.count else { continue }
      var latest = asked[Int(question)].latestAnswer
      scored.record(start..<end, to: asked[Int(question)].guid) { place in
        let answer = answers[place]
        guard Int(answer.player) < count, kicked.isEmpty || !kicked.contains(Int(answer.player)) else { return nil }
        latest = max(latest ?? answer.time, answer.time)
        return (Int(answer.answer), answer.text, PlayerID(Int(answer.player)), answer.time, Self.arrival(batch, place))
      }
      asked[Int(question)].latestAnswer = latest
    }
  }

  /// A stored answer in the form that its question takes; `nil` if it does not take it.
  package func given(_ answer: PackedAnswer) -> GivenAnswer? {
    asked.indices.contains(Int(answer.question)) ? answer.given(form(of: Int(answer.question))) : nil
  }

  /// Which answers a question that was asked takes.
  package func form(of index: Int) -> AnswerForm { question(index).form }

  /// Keeps answers for the public record, also those of players whom the host has removed since: their receipts stay good.
  private mutating func keep(_ answers: [PackedAnswer], _ batch: Int) {
    guard settings.recording != nil else { return }
    for (place, answer) in answers.enumerated() where Int(answer.player) < scored.roster.count {
      recorded.add(
        RecordedAnswers.Entry(
          player: Int(answer.player), code: answer.answer, text: answer.text, time: answer.time, arrival: Self.arrival(batch, place)),
        to: Int(answer.question))
    }
  }

  /// The place of an answer in the order in which answers arrived: by batches, and within a batch.
  private static func arrival(_ batch: Int, _ place: Int) -> Int64 {
    let (first, isTooLarge) = Int64(batch).multipliedReportingOverflow(by: largestBatch)
    return isTooLarge ? .max : first + min(Int64(place), largestBatch - 1)
  }

  /// More answers than a batch has.
  private static let largestBatch: Int64 = 1 << 20

  /// How many players have chosen each answer of the question that accepts answers, for the host.
  package mutating func counts(_ index: Int) -> [Int] { summary(index)?.counts ?? [] }

  /// What players have answered so far, counted with the right answer that only hosts know: an order is counted by its items in their right places.
  package mutating func summary(_ index: Int) -> QuestionSummary? { scored.summary(of: asked[index].guid, knowing: question(index).right) }

  /// A player's place on the latest scoreboard.
  package mutating func standing(of player: Int) -> Standing? {
    guard player < published.roster.count else { return nil }
    return published.standing(of: PlayerID(player), at: lastShown, &ranks)
  }

  var lastShown: MediaTime { asked.compactMap(\.shownAt).max() ?? .zero }
}

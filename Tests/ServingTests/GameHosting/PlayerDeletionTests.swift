import AnswerIntake
import Basics
import GameEvents
import Scoring
import Testing

@testable import GameHosting

/// Players who want nothing to be kept of them.
@Suite struct PlayerDeletionTests {
  /// A show of three of whom Ben leads after the first question.
  private func sample() throws -> HostedShow {
    var show = HostedShow()
    for name in ["Ann", "Ben", "Cem"] { try show.join(name) }
    show.go(to: 10)
    try show.ask()
    show.go(to: 12)
    show.answer(1, by: 1)
    show.answer(0, by: 0)
    show.finishQuestion()
    return show
  }

  /// Nobody is told of the player any more, also not on boards that were shown before, and not after a restart.
  @Test func leavesNothing() throws {
    var show = try sample()
    #expect(show.board == ["1 Ben 1", "2 Ann 0", "2 Cem 0"])
    try show.remove(1)
    #expect(show.board == ["1 Ann 0", "1 Cem 0"] && show.game.playerCount == 2)
    #expect(show.records.last == .removed(player: 1) && show.game.isRemoved(1) && show.game.isKicked(1) && !show.game.isRemoved(0))
    #expect(show.game.barred() == [false, true, false])
    #expect(show.game.scored.roster.nicknames.map { $0.text } == ["Ann", "-", "Cem"] && show.game.key(of: 1) == "-")
    let restored = try show.restored(try #require(show.snapshots.last))
    #expect(restored.facts == show.facts && restored.board == show.board)
    #expect(restored.game.scored.roster.nicknames == show.game.scored.roster.nicknames)
  }

  /// The same again changes nothing, and who is not there cannot be removed.
  @Test func again() throws {
    var show = try sample()
    try show.remove(1)
    #expect(try show.game.remove(1).records == [])
    for player in [-1, 3] { #expect(throws: HostingProblem.unknownPlayer) { try show.game.remove(player) } }
  }

  /// The nickname is free, and the same client is somebody new; what was a host's verdict is no longer known, since nothing is kept.
  @Test func comesBack() throws {
    var show = try sample()
    try show.command(.kick(player: 1))
    #expect(throws: HostingProblem.kicked) { try show.join("Ben") }
    try show.remove(1)
    let joined = try show.join("Ben")
    #expect(joined.player == 3 && !joined.isKnown)
    #expect(throws: HostingProblem.self) { try show.join("ben", key: "another") }
    let restored = try show.restored(try #require(show.snapshots.last))
    #expect(restored.facts == show.facts)
  }

  /// Nobody can be called what stands in the place of the name.
  @Test func marks() throws {
    #expect((0..<5).map { PlayerIndex.mark(of: $0) } == [".", "-", "-.", "--", "-.."])
    var show = HostedShow()
    for player in [0, 1, 5, 999_999, Roster.largestCount] {
      let mark = PlayerIndex.mark(of: player)
      #expect(try Nickname(mark).text == mark)
      #expect(throws: HostingProblem.self) { try show.join(mark) }
    }
  }

  /// Also after the end: the winners are others then.
  @Test func afterTheEnd() throws {
    var show = try sample()
    try show.command(.end)
    show.placeAll()
    let winners = show.game.boards.last?.results?.winners.map(\.nickname.text)
    #expect(winners == ["Ben"])
    try show.remove(1)
    #expect(show.game.boards.count == 2 && show.game.boards.last?.results?.winners == [])
    #expect(show.game.boards.last?.results?.playerCount == 2 && show.game.isOver)
    let restored = try show.restored(try #require(show.snapshots.last))
    #expect(restored.facts == show.facts)
  }

  /// Before anything was asked, and while a question takes answers.
  @Test func atAnyTime() throws {
    var show = HostedShow()
    for name in ["Ann", "Ben"] { try show.join(name) }
    try show.remove(0)
    show.go(to: 10)
    try show.ask()
    show.go(to: 12)
    #expect(show.answer(1, by: 1) == nil)
    #expect(show.answer(1, by: 0) == .eliminated)
    try show.join("Cem")
    show.answer(1, by: 2, at: 12)
    try show.remove(1)
    show.finishQuestion()
    #expect(show.board == ["1 Cem 1"])
    let restored = try show.restored(try #require(show.snapshots.last))
    #expect(restored.facts == show.facts)
  }

  /// The name leaves leaderboards and winners of what is kept; what the events say otherwise stays.
  @Test func records() throws {
    let cue = try #require(
      try JSONValue(
        parsing: #"{"event":"endGame","winners":["Ann","Ben"],"leaderboard":[{"nickname":"Ben","score":2},{"nickname":"ben","score":1}]}"#
      ).object)
    let left = try #require(
      try JSONValue(parsing: #"{"event":"endGame","winners":["Ann"],"leaderboard":[{"nickname":"ben","score":1}]}"#).object)
    let guid = HostedShow.end
    let records: [HostingRecord] = [
      .ended(guid, cue: cue), .decided(guid, question: 0, cue: cue), .decided(guid, question: 0, cue: JSONObject()), .kicked(player: 1),
    ]
    #expect(
      records.map { $0.without(nickname: "Ben") } == [
        .ended(guid, cue: left), .decided(guid, question: 0, cue: left), .decided(guid, question: 0, cue: JSONObject()),
        .kicked(player: 1),
      ])
  }
}

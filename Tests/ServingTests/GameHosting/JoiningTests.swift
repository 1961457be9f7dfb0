import AnswerIntake
import Basics
import GameEvents
import Questions
import Scoring
import Testing

@testable import GameHosting

/// Who plays: joining at any time, being taken out, being out by the rules.
@Suite struct JoiningTests {
  private func joined(_ player: Int, _ nickname: String, isKnown: Bool = false, at seconds: Double? = nil) -> HostedGame.Joined {
    HostedGame.Joined(player: player, nickname: nickname, isKnown: isKnown, joinedAt: seconds.map { MediaTime(seconds: $0) })
  }

  /// The same client stays the same player, under the same name.
  @Test func theSameAgain() throws {
    var show = HostedShow()
    #expect(try show.join("Ann", key: "a") == joined(0, "Ann"))
    // Spaces at the ends are none.
    #expect(try show.join(" Ben  ", key: "b") == joined(1, "Ben"))
    for _ in 0..<2 {
      #expect(try show.join("Ann", key: "a") == joined(0, "Ann", isKnown: true))
      #expect(try show.join("Ben ", key: "b") == joined(1, "Ben", isKnown: true))
    }
    #expect(show.players.map(\.nickname) == ["Ann", "Ben"] && show.game.playerCount == 2)
    try show.command(.start)
    for other in ["Anna", "ann", "", "A\u{200B}nn", String(repeating: "x", count: 65)] {
      #expect(throws: HostingProblem.joinedOtherwise(nickname: "Ann"), "\(other)") { try show.join(other, key: "a") }
    }
    // Also when nobody else may join any more.
    try show.command(.end)
    #expect(try show.join("Ann", key: "a") == joined(0, "Ann", isKnown: true))
    #expect(throws: HostingProblem.ended) { try show.join("Cem", key: "c") }
  }

  @Test func full() throws {
    var show = HostedShow(HostedShow.settings { $0.mostPlayers = 2 })
    for name in ["Ann", "Ben"] { try show.join(name) }
    #expect(throws: HostingProblem.full) { try show.join("Cem") }
    #expect(try show.join("Ben") == joined(1, "Ben", isKnown: true))
    // Who is taken out leaves no room: the next one would be as bad.
    try show.command(.kick(player: 0))
    #expect(throws: HostingProblem.full) { try show.join("Cem") }
  }

  @Test func whenEntryOpens() throws {
    var show = HostedShow()
    try show.plan(automatic: false, startsAt: nil, entryOpensAt: HostedShow.wallClock(60))
    show.go(to: 59.999)
    #expect(throws: HostingProblem.notOpen) { try show.join("Ann") }
    show.go(to: 60)
    try show.join("Ann")
    // A host may change it as long as the game has not begun.
    try show.plan(automatic: false, startsAt: nil, entryOpensAt: nil)
    show.go(to: 0)
    try show.join("Ben")
    // Also without a stream.
    show.goWithoutStream(to: 1)
    #expect(try show.join("Cem") == joined(2, "Cem"))
  }

  // MARK: In the middle of the game

  /// Before the first question all are there from the beginning; later a player counts from where the own stream is, which is behind the live edge by
  /// no more than the rules allow.
  @Test func positions() throws {
    var show = HostedShow()
    show.go(to: 4)
    #expect(try show.join("lobby", position: 3) == joined(0, "lobby"))
    try show.command(.next)
    show.go(to: 9)
    #expect(try show.join("asking", position: 9) == joined(1, "asking"))
    show.go(to: 10)
    show.placeAll()
    let cases: [(edge: Double, position: Double?, joinedAt: Double?)] = [
      // The delay of 12 s reaches back to the first question.
      (10, nil, nil), (10, 10, nil), (20, nil, nil), (22, nil, nil), (22.5, nil, 10.5), (20, 9, nil), (20, 10, nil), (20, 10.5, 10.5),
      (20, 15, 15), (40, nil, 28), (40, 35, 35), (40, 10, 28), (40, -5, 28), (40, 40, 40), (40, 50, 40), (40, 1e9, 40),
    ]
    for (index, item) in cases.enumerated() {
      show.go(to: item.edge)
      let expected = joined(index + 2, "player \(index)", at: item.joinedAt)
      #expect(try show.join("player \(index)", position: item.position) == expected, "\(item)")
      #expect(show.game.joinTime(of: index + 2) == item.joinedAt.map { MediaTime(seconds: $0) } ?? MediaTime(ticks: .min))
    }
    #expect(show.game.joinTime(of: cases.count + 2) == MediaTime(ticks: .max))
    #expect(show.game.joinTime(of: 0) == MediaTime(ticks: .min))
  }

  /// Who joins in the middle of a question answers it from then on, and has missed none of those before; of equal points those are ahead who were
  /// there before.
  @Test func pointsOfWhoJoinsLater() throws {
    var show = HostedShow(HostedShow.settings(scoring: "right"))
    for name in ["Ann", "Ben"] { try show.join(name) }
    show.go(to: 10)
    try show.ask()
    show.go(to: 12)
    show.answer(1, by: 0)
    show.finishQuestion()
    show.go(to: 50)
    try show.ask()
    // 50.5 s to 60.5 s.
    show.go(to: 56)
    try show.join("Cem", position: 55)
    #expect(show.answer(1, by: 2, at: 54) == .tooEarly)
    #expect(show.answer(1, by: 2, at: 55) == nil)
    #expect(show.answer(1, by: 0, at: 51) == nil)
    show.finishQuestion()
    #expect(show.board == ["1 Ann 2", "2 Cem 1", "3 Ben 0"])
    let board = try #require(show.game.boards.last?.scoreboard)
    #expect(board.summary.counts == [0, 2])
    // The first board is as it was.
    #expect(show.game.boards.first?.leaders.map(\.nickname.text) == ["Ann", "Ben"])
  }

  /// Players who join before the last question do not beat those of as many points who have played.
  @Test func lateJoinersRankAfterThoseWhoPlayed() throws {
    var show = HostedShow(HostedShow.settings(scoring: "right"))
    for name in ["Zoe", "Ben"] { try show.join(name) }
    show.go(to: 10)
    try show.ask()
    show.go(to: 12)
    #expect(show.answer(1, by: 0) == nil)
    show.finishQuestion()
    show.go(to: 60)
    for name in ["Cem", "Dee"] { try show.join(name) }
    try show.ask()
    show.go(to: 63)
    for player in 1...3 { #expect(show.answer(1, by: player) == nil) }
    show.finishQuestion()
    #expect(show.board == ["1 Ben 1", "1 Zoe 1", "3 Cem 1", "3 Dee 1"])
    #expect((0..<4).map { show.game.standing(of: $0)?.rank } == [1, 1, 3, 3])
    try show.command(.end)
    show.placeAll()
    #expect(show.game.boards.last?.results?.winners.map(\.nickname.text) == ["Ben", "Zoe"])
  }

  // MARK: Entry that ends

  /// Where the rules put players out, or take points away, entry ends with the first question at the player's own position.
  @Test(arguments: ["elimination", "elimination:2:answered+right", "points"]) func entryEnds(scoring: String) throws {
    var settings = HostedShow.settings(scoring: scoring)
    settings.questions[1].points = settings.questions[1].answers.indices.map { $0 == 0 ? -1 : 1 }
    var show = HostedShow(settings)
    try show.join("lobby")
    show.go(to: 10)
    try show.ask()
    // 10.5 s to 20.5 s; others are up to 12 s behind the live edge.
    show.go(to: 12)
    try show.join("behind", position: 10)
    #expect(throws: HostingProblem.entryClosed) { try show.join("after", position: 11) }
    show.go(to: 22.5)
    try show.join("far behind")
    show.go(to: 23)
    #expect(throws: HostingProblem.entryClosed) { try show.join("too late") }
    #expect(throws: HostingProblem.entryClosed) { try show.join("too late", position: 3) }
    // Who has joined is there.
    #expect(try show.join("behind").isKnown)
    #expect(throws: HostingProblem.joinedOtherwise(nickname: "lobby")) { try show.join("x", key: "key of lobby") }
  }

  /// Where no points are lost, everybody may join at any time, whatever the questions say.
  @Test(arguments: ["right", "speed:1000:500", "points"]) func entryDoesNotEnd(scoring: String) throws {
    var show = HostedShow(HostedShow.settings(scoring: scoring))
    show.go(to: 10)
    try show.ask()
    show.finishQuestion()
    try show.join("late")
  }

  /// A player who is out, deletes itself, and joins again gains nothing: under no name and with no key, also when the game was made again.
  @Test func nobodyComesBack() throws {
    var show = HostedShow(HostedShow.settings(scoring: "elimination"))
    for name in ["Ann", "Ben"] { try show.join(name) }
    show.go(to: 10)
    try show.ask()
    show.go(to: 12)
    #expect(show.answer(1, by: 0, at: 11) == nil && show.answer(0, by: 1, at: 11) == nil)
    try show.reveal()
    #expect(show.game.barred() == [false, true])
    try show.remove(1)
    var again = try show.restored(try #require(show.snapshots.last))
    for position in [nil, 0, 10, 12, 30] as [Double?] {
      for (name, key) in [("Ben", "key of Ben"), ("Bob", "key of Ben"), ("Ben", "another"), ("Bob", "another")] {
        #expect(throws: HostingProblem.entryClosed) { try show.join(name, key: key, position: position) }
        #expect(throws: HostingProblem.entryClosed) { try again.join(name, key: key, position: position) }
      }
    }
  }

  /// A first question that the stream did not take ends nothing; the one that it took does, and those who join later join later.
  @Test func aFirstQuestionThatTheStreamDoesNotTake() throws {
    var show = HostedShow(HostedShow.settings(scoring: "right"))
    show.go(to: 10)
    try show.command(.next)
    show.place(try #require(show.game.outgoing.first).guid)
    show.withdraw(try #require(show.game.outgoing.first).guid)
    show.go(to: 20)
    try show.ask()
    show.go(to: 60)
    #expect(try show.join("Ann").joinedAt == MediaTime(seconds: 48))
  }

  // MARK: Taken out

  /// Who is taken out is on no board and in no count, does not come back, and nobody else gets the nickname.
  @Test func takenOut() throws {
    var show = HostedShow()
    for name in ["Ann", "Ben", "Cem"] { try show.join(name) }
    show.go(to: 10)
    try show.ask()
    show.go(to: 12)
    for player in 0..<3 { #expect(show.answer(1, by: player) == nil) }
    try show.command(.kick(player: 1))
    #expect(show.game.isKicked(1) && !show.game.isKicked(0) && !show.game.isKicked(7) && show.game.playerCount == 2)
    #expect(show.game.barred() == [false, true, false])
    #expect(show.answer(1, by: 1) == .eliminated)
    #expect(show.game.counts(0) == [0, 2, 0])
    #expect(throws: HostingProblem.kicked) { try show.join("Ben") }
    #expect(throws: HostingProblem.kicked) { try show.join("Bob", key: "key of Ben") }
    for name in ["Ben", "ben", "\u{412}en"] {
      #expect(throws: HostingProblem.nicknameTaken(suggestions: ["\(name)2", "\(name)3", "\(name)4"]), "\(name)") {
        try show.join(name, key: "another client")
      }
    }
    show.finishQuestion()
    #expect(show.board == ["1 Ann 1", "1 Cem 1"])
    let board = try #require(show.game.boards.last?.scoreboard)
    #expect(board.playerCount == 2 && board.playersLeft == 2 && board.summary.counts == [0, 2, 0])
    #expect(show.game.asked[0].resultCue?["counts"]?.text == "[0,2,0]")
    #expect(show.game.asked[0].resultCue?["leaderboard"]?.array?.compactMap { $0.object?["nickname"]?.string } == ["Ann", "Cem"])
    // The winners, too, are others.
    try show.command(.kick(player: 0))
    try show.command(.end)
    show.placeAll()
    let results = try #require(show.game.boards.last?.results)
    #expect(results.winners.map(\.nickname.text) == ["Cem"] && results.leaders.map(\.nickname.text) == ["Cem"] && results.playerCount == 1)
    #expect(show.game.end?.cue["winners"]?.text == "[\"Cem\"]")
    // The others' places in the roster stay theirs.
    #expect(show.game.standing(of: 2)?.rank == 1)
    #expect(show.game.standing(of: 3) == nil)
  }

  // MARK: Out by the rules

  /// Nobody learns from a refused answer what the result will be: players are out when the result is in the stream.
  @Test func elimination() throws {
    var show = HostedShow(HostedShow.settings(scoring: "elimination"))
    for name in ["Ann", "Ben", "Cem", "Dee"] { try show.join(name) }
    show.go(to: 10)
    try show.ask()
    show.go(to: 12)
    for (player, answer) in [(0, 1), (1, 0), (3, 1)] { #expect(show.answer(answer, by: player) == nil) }
    show.go(to: 20.5)
    show.advance()
    show.go(to: 32.5)
    if let closing = show.advance().closing { show.decide(closing) }
    #expect(show.game.barred() == [false, false, false, false])
    show.go(to: 33)
    show.placeAll()
    #expect(show.game.barred() == [false, true, true, false])
    #expect(show.board == ["1 Ann 1", "1 Dee 1", "3 Ben 0", "3 Cem 0"] && show.game.boards.last?.scoreboard?.playersLeft == 2)
    show.go(to: 40)
    try show.ask()
    show.go(to: 42)
    #expect(show.answer(1, by: 1) == .eliminated)
    #expect(show.answer(1, by: 2) == .eliminated)
    #expect(show.answer(1, by: 0) == nil)
    #expect(show.answer(0, by: 3) == nil)
    show.finishQuestion()
    #expect(show.game.barred() == [false, true, true, true])
    #expect(show.game.boards.last?.leaders.map(\.outAt) == [nil, 2, 1, 1])
    // Whoever is left at the end has won.
    try show.command(.end)
    show.placeAll()
    #expect(show.game.boards.last?.results?.winners.map(\.nickname.text) == ["Ann"])
    #expect(show.game.end?.cue["winners"]?.text == "[\"Ann\"]")
  }

  /// Without second chances nobody may be left: then nobody wins.
  @Test func nobodyIsLeft() throws {
    var show = HostedShow(HostedShow.settings(scoring: "elimination"))
    try show.join("Ann")
    show.go(to: 10)
    try show.ask()
    show.finishQuestion()
    try show.command(.end)
    show.placeAll()
    #expect(show.game.boards.last?.results?.winners == [] && show.game.end?.cue["winners"]?.text == "[]")
  }
}

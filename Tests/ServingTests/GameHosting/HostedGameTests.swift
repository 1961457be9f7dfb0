import AnswerIntake
import Basics
import GameEvents
import Scoring
import Testing

@testable import GameHosting

/// Whole shows, step by step.
@Suite struct HostedGameTests {
  private func time(_ seconds: Double) -> MediaTime { MediaTime(seconds: seconds) }

  private func window(
    _ question: UInt32, _ answerCount: Int, _ opens: Double, _ closes: Double, delay: Double = 12, isClosed: Bool = false
  ) -> AnswerWindow {
    AnswerWindow(
      question: question, form: .one(of: answerCount), opensAt: time(opens), closesAt: time(closes), delay: time(delay), isClosed: isClosed)
  }

  /// What a step has changed: the records, what hosts hear, and the question that is to be decided.
  private func check(
    _ step: String, _ change: HostedGame.Change, _ records: [HostingRecord], _ messages: [HostMessage] = [], closing: Int? = nil
  ) {
    #expect(change.records == records, "\(step)")
    #expect(change.messages == messages, "\(step)")
    #expect(change.closing == closing, "\(step)")
  }

  // MARK: By commands

  @Test func byCommands() throws {
    let (start, end, asked, results) = (HostedShow.start, HostedShow.end, HostedShow.asked, HostedShow.results)
    var show = HostedShow()
    #expect(show.game.phase(at: show.now) == .lobby && show.game.current == nil && !show.game.hasAskedAll)
    #expect(show.game.outgoing == [] && show.game.windows == [:] && show.records == [] && show.game.boards.isEmpty)
    for (player, name) in ["Ann", "Ben", "Cem"].enumerated() {
      let joined = HostedGame.Joined(player: player, nickname: name, isKnown: false, joinedAt: nil)
      #expect(try show.join(name) == joined)
    }
    #expect(show.game.playerCount == 3)

    // The host begins: the start and the first question are on their way.
    show.go(to: 5)
    check(
      "the first next", try show.command(.next, "n1"), [.started(start), .asked(asked[0], question: 0), .command(id: "n1")],
      [.started, .asked(asked[0], number: 1)])
    #expect(show.game.phase(at: show.now) == .asking && show.game.current == 0 && show.game.windows == [:])
    let startCue = #"{"event":"startGame","guid":"\#(start.text)","game":"g1","title":"Friday","totalQuestions":3}"#
    let firstCue =
      #"{"event":"askQuestion","guid":"\#(asked[0].text)","game":"g1","question":"Which planet is red?","answers":["Earth","Mars","Venus"],"#
      + #""correctAnswer":1,"allottedTime":10,"totalQuestions":3}"#
    #expect(show.game.outgoing.map(\.cue.text) == [startCue, firstCue] && show.game.outgoing.map(\.guid) == [start, asked[0]])
    check("the same command again", try show.command(.next, "n1"), [])
    check("nothing happens before they are in the stream", show.advance(), [])

    show.go(to: 6)
    check("the start", show.place(start), [.placed(start, at: time(6))], [.placed(.startGame, start, at: time(6))])
    check("the start again", show.place(start), [])
    check("what is not on its way", show.place(results[0]), [])
    #expect(show.game.outgoing.map(\.guid) == [asked[0]] && show.game.phase(at: show.now) == .asking)

    // It takes answers once it is in the stream.
    show.go(to: 7)
    check(
      "the first question", show.place(asked[0]), [.placed(asked[0], at: time(7))], [.placed(.askQuestion, asked[0], at: time(7))])
    #expect(show.game.outgoing == [] && show.game.phase(at: show.now) == .open)
    #expect(show.game.windows == [asked[0]: window(0, 3, 7, 17)])
    show.go(to: 10)
    for (player, answer, position) in [(0, 1, 8.0), (1, 0, 9.0), (2, 1, 9.5), (2, 2, 10.0)] {
      #expect(show.answer(answer, by: player, at: position) == nil)
    }
    #expect(show.game.counts(0) == [1, 1, 1])
    #expect(throws: HostingProblem.notNow("a question takes answers; close or void it first")) { try show.command(.next, "early") }
    #expect(!show.game.hasDone("early") && show.game.hasDone("n1"))
    check("the time is not up", show.advance(), [])
    #expect(show.game.revealAt(show.game.asked[0], now: show.now) == HostedShow.wallClock(29))

    // The time is up at the live edge, and viewers behind it still answer.
    show.go(to: 17.5)
    #expect(show.game.phase(at: show.now) == .closed)
    check("the end of the time", show.advance(), [], [.closed(asked[0])])
    check("the end of the time is told once", show.advance(), [])
    #expect(show.game.revealAt(show.game.asked[0], now: show.now) == HostedShow.wallClock(29))
    show.go(to: 28)
    #expect(show.answer(1, by: 1, at: 16.5) == nil)
    #expect(show.answer(1, by: 1, at: 17) == .tooLate)
    show.go(to: 28.999)
    check("a millisecond before the decision", show.advance(), [])

    // The last answers are being stored.
    show.go(to: 29)
    check("the decision is due", show.advance(), [], closing: 0)
    #expect(show.game.phase(at: show.now) == .closed && show.game.current == 0 && show.game.outgoing == [])
    #expect(show.game.windows == [asked[0]: window(0, 3, 7, 17, isClosed: true)])
    #expect(show.answer(2, by: 0, at: 16) == .revealed)
    check("the decision is due once", show.advance(), [])
    let decided = show.decide(0)
    let cue = try #require(show.game.asked[0].resultCue)
    check("the decision", decided, [.decided(results[0], question: 0, cue: cue)], [.decision(results[0])])
    #expect(
      cue.text
        == #"{"event":"showResults","guid":"\#(results[0].text)","game":"g1","questionNumber":1,"counts":[0,2,1],"#
        + #""explanation":"It is full of rust.","url":"https://example.org/g1/1","leaderboard":["#
        + #"{"nickname":"Ann","score":1},{"nickname":"Ben","score":1},{"nickname":"Cem","score":0}]}"#)
    check("it is decided once", show.decide(0), [])
    #expect(show.game.outgoing == [.init(guid: results[0], cue: cue)] && show.game.boards.isEmpty)
    #expect(throws: HostingProblem.notNow("a result is on its way")) { try show.command(.next) }

    // Everybody may know it when it is in the stream.
    show.go(to: 30)
    check(
      "the first result", show.place(results[0]), [.placed(results[0], at: time(30))], [.placed(.showResults, results[0], at: time(30))])
    #expect(show.game.phase(at: show.now) == .result && show.game.current == nil && show.game.outgoing == [])
    let board = try #require(show.game.boards.last?.scoreboard)
    #expect(board.game == GameID("g1") && board.time == time(30) && board.playerCount == 3 && board.playersLeft == 3)
    #expect(board.summary.counts == [0, 2, 1] && board.summary.question.result == results[0] && board.summary.question.number == 1)
    #expect(show.board == ["1 Ann 1", "1 Ben 1", "3 Cem 0"] && show.game.boards.count == 1)
    let standing = show.game.standing(of: 2)
    #expect(standing?.rank == 3 && standing?.score == 0 && standing?.right == 0 && standing?.answered == 1)

    // The second question: the host ends the time, and waits longer for the result.
    show.go(to: 31)
    check(
      "the second next", try show.command(.next, "n2"), [.asked(asked[1], question: 1), .command(id: "n2")], [.asked(asked[1], number: 2)])
    #expect(
      show.game.outgoing.map(\.cue.text) == [
        #"{"event":"askQuestion","guid":"\#(asked[1].text)","game":"g1","question":"Which metal is liquid?","answers":["Iron","Mercury"],"#
          + #""correctAnswer":1,"allottedTime":10,"totalQuestions":3,"category":"Chemistry","difficulty":"hard"}"#
      ])
    show.go(to: 32)
    show.placeAll()
    show.go(to: 34)
    #expect(show.answer(1, by: 0, at: 33) == nil)
    #expect(show.answer(0, by: 1) == nil)
    show.go(to: 35)
    check(
      "the host waits longer", try show.command(.extend(time(5)), "e2"),
      [
        .adjusting(HostedShow.adjustment(1, 1), question: 1, allottedTime: time(15)), .command(id: "e2"),
      ])
    show.go(to: 34.5)
    show.placeAll()
    #expect(show.game.windows[asked[1]] == window(1, 2, 32, 47) && show.game.phase(at: show.now) == .open)
    show.go(to: 35)
    check(
      "the host ends the time", try show.command(.close, "c2"),
      [
        .closed(question: 1, at: time(35)), .adjusting(HostedShow.adjustment(1, 2), question: 1, allottedTime: time(3)), .command(id: "c2"),
      ])
    show.placeAll()
    #expect(show.game.windows[asked[1]] == window(1, 2, 32, 35) && show.game.phase(at: show.now) == .closed)
    show.go(to: 36)
    check("the end of the second time", show.advance(), [], [.closed(asked[1])])
    show.go(to: 46.8)
    #expect(show.answer(1, by: 2, at: 34.9) == nil)
    #expect(show.answer(1, by: 2, at: 35) == .tooLate)
    #expect(show.answer(0, by: 1, at: 34) == .tooFarBehind)
    show.go(to: 46.9)
    check("the decision waits", show.advance(), [])
    show.go(to: 47)
    check("the second decision is due", show.advance(), [], closing: 1)
    show.decide(1)
    #expect(show.game.asked[1].resultCue?["counts"]?.text == "[1,2]")
    #expect(show.game.asked[1].resultCue?["url"]?.string == "https://example.org/g1/2")
    show.go(to: 53)
    show.placeAll()
    #expect(show.board == ["1 Ann 2", "2 Ben 1", "2 Cem 1"])

    // The third question was a mistake.
    show.go(to: 54)
    try show.command(.next, "n3")
    show.go(to: 55)
    show.placeAll()
    #expect(show.game.hasAskedAll)
    #expect(show.answer(0, by: 2) == nil)
    show.go(to: 57)
    check("the void", try show.command(.void, "v3"), [.voided(question: 2), .command(id: "v3")], [.voided(asked[2])])
    #expect(show.game.phase(at: show.now) == .result && show.game.current == nil && show.game.boards.count == 2)
    #expect(show.answer(0, by: 0) == .revealed)

    // There are no more questions: the next one is the end.
    show.go(to: 58)
    let last = try show.command(.next, "n4")
    let endCue = try #require(show.game.end?.cue)
    check("the end", last, [.ended(end, cue: endCue), .finished(at: show.now.wallClock), .command(id: "n4")], [.ended])
    #expect(
      endCue.text
        == #"{"event":"endGame","guid":"\#(end.text)","game":"g1","totalQuestions":3,"winners":["Ann"],"leaderboard":["#
        + #"{"nickname":"Ann","score":2},{"nickname":"Ben","score":1},{"nickname":"Cem","score":1}]}"#)
    #expect(show.game.phase(at: show.now) == .ended && show.game.outgoing == [.init(guid: end, cue: endCue)] && !show.game.isOver)
    show.go(to: 59)
    check("the end is in the stream", show.place(end), [.placed(end, at: time(59))], [.placed(.endGame, end, at: time(59))])
    let final = try #require(show.game.boards.last?.results)
    #expect(final.winners.map(\.nickname.text) == ["Ann"] && final.playerCount == 3 && final.game == GameID("g1"))
    #expect(show.board == ["1 Ann 2", "2 Ben 1", "2 Cem 1"] && show.game.boards.count == 3)
    #expect(show.game.endedAt == time(59) && show.game.isOver && show.game.outgoing == [])
    show.go(to: 600)
    check("after the end", show.advance(), [])
    #expect(show.records.count == 28)
  }

  /// A result before its time: the question is closed at the live edge, and what was answered behind it is not waited for.
  @Test func revealedAtOnce() throws {
    var show = HostedShow()
    try show.join("Ann")
    show.go(to: 10)
    try show.ask()
    show.go(to: 14)
    show.answer(1, by: 0)
    show.go(to: 15)
    check("before the time is up", try show.command(.reveal, "r"), [.closed(question: 0, at: time(15)), .command(id: "r")], closing: 0)
    #expect(show.game.phase(at: show.now) == .closed)
    #expect(show.answer(2, by: 0, at: 14.5) == .revealed)
    show.decide(0)
    show.placeAll()
    #expect(show.board == ["1 Ann 1"] && show.game.boards.last?.scoreboard?.summary.counts == [0, 1, 0])
    // After the time is up there is nothing to close.
    try show.ask()
    show.go(to: 30)
    show.advance()
    check("after the time is up", try show.command(.reveal, "r2"), [.command(id: "r2")], closing: 1)
    show.decide(1)
    // Also where there is no stream for the moment.
    show.placeAll()
    try show.ask()
    show.goWithoutStream(to: 35)
    check("without a stream", try show.command(.reveal, "r3"), [.command(id: "r3")], closing: 2)
  }

  /// An answer that was taken counts alike in the stream and on the board, also where the host closes right behind it: players' clocks may be ahead.
  @Test func whatTheStreamSaysIsWhatTheBoardSays() throws {
    var show = HostedShow()
    for name in ["Ann", "Ben"] { try show.join(name) }
    show.go(to: 10)
    try show.ask()
    show.go(to: 14)
    #expect(show.answer(1, by: 0, at: 14) == nil)
    #expect(show.answer(1, by: 1, at: 14.4) == nil)
    show.go(to: 14.1)
    try show.command(.close)
    show.placeAll()
    show.finishQuestion()
    let cue = try #require(show.game.asked[0].resultCue)
    let counts = cue["counts"]?.array?.compactMap(\.int)
    let scores = cue["leaderboard"]?.array?.compactMap { $0.object?["score"]?.int }
    #expect(counts == show.game.boards.last?.scoreboard?.summary.counts)
    #expect(scores == show.game.boards.last?.leaders.map(\.score))
  }

  // MARK: By the plan

  @Test func byThePlan() throws {
    let (start, end, asked, results) = (HostedShow.start, HostedShow.end, HostedShow.asked, HostedShow.results)
    var show = HostedShow()
    let (startsAt, entry) = (HostedShow.wallClock(10), HostedShow.wallClock(4))
    check(
      "the plan", try show.plan(automatic: true, startsAt: startsAt, entryOpensAt: entry),
      [.planned(startsAt: startsAt, entryOpensAt: entry), .automatic(true)])
    check("the same plan", try show.plan(automatic: true, startsAt: startsAt, entryOpensAt: entry), [])
    #expect(show.game.startsAt == startsAt && show.game.entryOpensAt == entry && show.game.isAutomatic)
    #expect(throws: HostingProblem.notOpen) { try show.join("Ann") }
    show.go(to: 4)
    try show.join("Ann")

    // What is on its way comes into the stream half a second later; the player answers each question a second after that.
    var (placed, seen): ([(GUID, Double)], [GUID: Double]) = ([], [:])
    for tenth in 40..<1_200 {
      show.go(to: Double(tenth) / 10)
      for outgoing in show.game.outgoing {
        let first = seen[outgoing.guid] ?? show.seconds
        seen[outgoing.guid] = first
        guard show.seconds - first > 0.45 else { continue }
        show.place(outgoing.guid)
        placed.append((outgoing.guid, show.seconds))
      }
      if show.game.asked.last?.opensAt == time(show.seconds - 1) { #expect(show.answer(0, by: 0) == nil) }
      if let closing = show.advance().closing { show.decide(closing) }
      for outgoing in show.game.outgoing where seen[outgoing.guid] == nil { seen[outgoing.guid] = show.seconds }
    }
    let times = [10.5, 13, 35.5, 44, 66.5, 75, 97.5, 106]
    #expect(placed.map(\.0) == [start, asked[0], results[0], asked[1], results[1], asked[2], results[2], end])
    #expect(placed.map(\.1) == times)
    let cues = show.game.asked.compactMap(\.resultCue)
    let endCue = try #require(show.game.end?.cue)
    try #require(cues.count == 3)
    var expected: [HostingRecord] = [
      .planned(startsAt: startsAt, entryOpensAt: entry), .automatic(true), .started(start), .placed(start, at: time(times[0])),
    ]
    for index in 0..<3 {
      expected += [
        .asked(asked[index], question: index), .placed(asked[index], at: time(times[1 + 2 * index])),
        .decided(results[index], question: index, cue: cues[index]), .placed(results[index], at: time(times[2 + 2 * index])),
      ]
    }
    expected += [.ended(end, cue: endCue), .finished(at: HostedShow.wallClock(105.5)), .placed(end, at: time(106))]
    #expect(show.records == expected)
    // Only the third answer was right.
    #expect(show.game.isOver && show.board == ["1 Ann 1"] && show.game.boards.count == 4)
  }

  /// The plan waits for a stream, and for another game that is in it.
  @Test func thePlanWaits() throws {
    var show = HostedShow()
    try show.plan(automatic: true, startsAt: HostedShow.wallClock(10))
    show.goWithoutStream(to: 20)
    check("without a stream", show.advance(), [])
    show.go(to: 21)
    check("another game is there", show.advance(mayBegin: false), [])
    check("it begins", show.advance(), [.started(HostedShow.start)], [.started])
    show.go(to: 300)
    check("the start is not in the stream", show.advance(), [])
    // Without a time it does not begin by itself, and neither without the plan.
    for isAutomatic in [true, false] {
      var other = HostedShow()
      try other.plan(automatic: isAutomatic, startsAt: isAutomatic ? nil : HostedShow.wallClock(1))
      other.go(to: 1_000)
      check("nobody begins", other.advance(), [])
      #expect(other.game.phase(at: other.now) == .lobby)
    }
  }

  /// A host who does something leads from then on; one who takes a player out does not.
  @Test func aHostTakesOver() throws {
    var show = HostedShow()
    for name in ["Ann", "Ben"] { try show.join(name) }
    try show.plan(automatic: true, startsAt: HostedShow.wallClock(1))
    show.go(to: 1)
    show.advance()
    show.placeAll()
    check("a player is taken out", try show.command(.kick(player: 1), "k"), [.kicked(player: 1), .command(id: "k")], [.kicked(1)])
    #expect(throws: HostingProblem.self) { try show.command(.close) }
    #expect(show.game.isAutomatic)
    check(
      "the host goes on", try show.command(.next, "n"), [.asked(HostedShow.asked[0], question: 0), .automatic(false), .command(id: "n")],
      [.asked(HostedShow.asked[0], number: 1)])
    show.placeAll()
    show.finishQuestion()
    show.go(to: 500)
    check("the plan is not followed any more", show.advance(), [])
    // The plan may take over again, but the beginning is past.
    check("the plan again", try show.plan(automatic: true, startsAt: HostedShow.wallClock(1)), [.automatic(true)])
    #expect(throws: HostingProblem.notNow("the game has begun")) { try show.plan(automatic: true, startsAt: nil) }
    check("the plan goes on", show.advance(), [.asked(HostedShow.asked[1], question: 1)], [.asked(HostedShow.asked[1], number: 2)])
  }

  // MARK: A stream that ends

  /// The stream is over: the last question is closed where the stream ends, decided when everybody has seen it, and the game ends.
  @Test func theStreamEnds() throws {
    var show = HostedShow()
    try show.join("Ann")
    show.go(to: 10)
    try show.ask()
    show.go(to: 13)
    #expect(show.answer(1, by: 0) == nil)
    show.goBehindTheStream(to: 14, end: 13.5)
    check(
      "the end of the stream", show.advance(), [.closed(question: 0, at: time(13.5))], [.closed(HostedShow.asked[0])])
    check("once", show.advance(), [])
    #expect(show.answer(1, by: 0, at: 13.4) == nil)
    show.goBehindTheStream(to: 25.9, end: 13.5)
    check("viewers behind the end", show.advance(), [])
    show.goBehindTheStream(to: 26, end: 13.5)
    check("the decision", show.advance(), [], closing: 0)
    show.decide(0)
    #expect(show.game.asked[0].resultCue?["counts"]?.text == "[0,1,0]")
    check("the result is on its way", show.advance(), [])
    show.placeAll()
    let last = show.advance()
    let cue = try #require(show.game.end?.cue)
    check("the end of the game", last, [.ended(HostedShow.end, cue: cue), .finished(at: show.now.wallClock)], [.ended])
    show.placeAll()
    #expect(show.game.isOver && show.board == ["1 Ann 1"] && cue["winners"]?.text == "[\"Ann\"]")
    check("after the end", show.advance(), [])
  }

  /// Also a plan that goes on by itself asks nothing any more once the stream is over.
  @Test(arguments: [false, true]) func theStreamEndsOnTheWay(isAutomatic: Bool) throws {
    var show = HostedShow()
    try show.plan(automatic: true, startsAt: HostedShow.wallClock(1))
    show.go(to: 1)
    show.advance()
    show.placeAll()
    show.go(to: 5)
    check("the plan asks", show.advance(), [.asked(HostedShow.asked[0], question: 0)], [.asked(HostedShow.asked[0], number: 1)])
    if !isAutomatic { try show.plan(automatic: false, startsAt: HostedShow.wallClock(1)) }
    // The question is on its way when the stream ends.
    show.goBehindTheStream(to: 60, end: 5.5)
    check("the question is not asked", show.advance(), [.voided(question: 0)], [.voided(HostedShow.asked[0])])
    let last = show.advance()
    let cue = try #require(show.game.end?.cue)
    check("the end of the game", last, [.ended(HostedShow.end, cue: cue), .finished(at: show.now.wallClock)], [.ended])
  }

  /// After a result, and before the first question, the game ends with the stream.
  @Test(arguments: [false, true]) func theStreamEndsBetweenQuestions(isAutomatic: Bool) throws {
    var show = HostedShow()
    try show.plan(automatic: isAutomatic, startsAt: HostedShow.wallClock(1))
    show.goBehindTheStream(to: 0.5, end: 0.5)
    check("nothing has begun", show.advance(), [])
    show.go(to: 1)
    if isAutomatic {
      show.advance()
      show.placeAll()
      show.go(to: 3)
      show.advance()
    } else {
      try show.command(.next)
    }
    show.go(to: 4)
    show.placeAll()
    show.finishQuestion()
    // The pause is long over when the process hears of the end.
    show.goBehindTheStream(to: 100, end: 90)
    let last = show.advance()
    let cue = try #require(show.game.end?.cue)
    check("the end of the game", last, [.ended(HostedShow.end, cue: cue), .finished(at: show.now.wallClock)], [.ended])
    #expect(show.game.asked.count == 1 && show.game.outgoing.map(\.guid) == [HostedShow.end])
  }

  // MARK: Information

  /// Every ten seconds of the programme once, between the start and the end, however often it is asked for.
  @Test func information() throws {
    var show = HostedShow()
    for name in ["Ann", "Ben", "Cem"] { try show.join(name) }
    show.go(to: 3)
    #expect(show.game.information(viewers: 5, now: show.now) == nil)
    try show.command(.next)
    show.go(to: 6)
    show.place(HostedShow.start)
    try show.command(.kick(player: 0))
    var found: [HostedGame.Outgoing] = []
    var times: [Double] = []
    for tenth in 60..<655 {
      show.go(to: Double(tenth) / 10)
      for _ in 0..<2 {
        guard let outgoing = show.game.information(viewers: tenth, now: show.now) else { continue }
        found.append(outgoing)
        times.append(show.seconds)
      }
    }
    #expect(times == [6, 10, 20, 30, 40, 50, 60] && Set(found.map(\.guid)).count == 7)
    for (number, outgoing) in found.enumerated() {
      #expect(outgoing.guid == HostedShow.guid("\(number)", .periodicInfo))
      let viewers = Int((times[number] * 10).rounded())
      #expect(
        outgoing.cue.text
          == #"{"event":"periodicInfo","guid":"\#(outgoing.guid.text)","game":"g1","viewers":\#(viewers),"players":2,"expires":5}"#)
    }
    // Not without a stream, not where the programme goes back, and of no fewer than nobody.
    show.goWithoutStream(to: 90)
    #expect(show.game.information(viewers: 1, now: show.now) == nil)
    show.go(to: 40)
    #expect(show.game.information(viewers: 1, now: show.now) == nil)
    show.go(to: 71)
    #expect(show.game.information(viewers: -3, now: show.now)?.cue["viewers"]?.int == 0)
    try show.command(.end)
    show.go(to: 100)
    #expect(show.game.information(viewers: 1, now: show.now) == nil)
  }
}

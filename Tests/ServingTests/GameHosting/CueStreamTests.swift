import Basics
import GameEvents
import GameHosting
import Questions
import Scoring
import Testing

/// What comes of a show's cues in the stream: the injector takes them all, and whoever reads the stream finds what the server says.
@Suite struct CueStreamTests {
  private func show(_ scoring: String) throws -> HostedShow {
    var show = HostedShow(HostedShow.settings(scoring: scoring) { $0.delay = MediaTime(seconds: 6) })
    for index in 0..<5 { try show.join("player \(index)") }
    return show
  }

  /// Plays a question of the show by some of the players; some are behind the live edge, and some change their minds.
  private func play(_ show: inout HostedShow, _ stream: inout CueStream, _ numbers: inout SeededNumbers) throws {
    try show.command(.next)
    show.go(to: show.seconds + 0.3)
    try show.placeAll(in: &stream)
    let end = numbers.below(3) == 0 ? 4.0 : 10.0
    for tenth in stride(from: 5, to: Int(end * 10), by: 7) {
      show.go(to: (show.game.asked.last?.opensAt ?? .zero).seconds + Double(tenth) / 10)
      show.answer(numbers.below(3), by: numbers.below(show.players.count), at: show.seconds - Double(numbers.below(60)) / 10)
    }
    if numbers.below(4) == 0, !show.game.settings.endsEntry { try show.join("player \(show.players.count)", position: show.seconds) }
    show.go(to: show.seconds + 0.2)
    let index = show.game.asked.count - 1
    if numbers.below(3) == 0, let closes = show.game.asked[index].closesAt, show.seconds + 0.3 < closes.seconds {
      try show.command(.extend(MediaTime(seconds: 4)))
      show.go(to: show.seconds + 0.1)
      try show.placeAll(in: &stream)
    }
    switch numbers.below(5) {
    case 0: try show.command(.reveal)
    case 1: try show.command(.void)
    case 2:
      try show.command(.close)
      try show.placeAll(in: &stream)
      show.go(to: show.seconds + 20)
      show.advance()
    default:
      show.go(to: show.seconds + 20)
      show.advance()
    }
    if show.game.asked[index].phase == .deciding { show.decide(index) }
    show.go(to: show.seconds + 0.4)
    try show.placeAll(in: &stream)
  }

  /// Every board is that of `cuelight replay` with the record of what the players did.
  @Test(arguments: 0..<UInt64(15)) func boardsAreThoseOfTheStream(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed, purpose: 4)
    let rules = ["right", "speed:1000:500+streak:50", "elimination", "first:2+right", "elimination:1:answered+speed:100"]
    var show = try show(rules[Int(seed) % rules.count])
    var stream = CueStream()
    show.go(to: 5)
    for _ in 0..<3 { try play(&show, &stream, &numbers) }
    show.go(to: show.seconds + 5)
    try show.command(.next)
    try show.placeAll(in: &stream)
    #expect(show.game.isOver)
    let shown = show.game.asked.filter { $0.phase == .shown }
    #expect(show.game.boards.count == shown.count + 1)
    let id = GameID("g1")
    for (board, question) in zip(show.game.boards, shown) {
      let time = try #require(question.shownAt)
      var game = try stream.replayed(show, upTo: time)
      let scoreboard = game.scoreboard(of: id, after: question.guid, top: HostedGame.boardCount, at: time)
      #expect(board.scoreboard == scoreboard)
    }
    let endedAt = try #require(show.game.endedAt)
    var game = try stream.replayed(show, upTo: endedAt)
    let results = game.results(of: id, top: HostedGame.boardCount, at: endedAt)
    #expect(show.game.boards.last?.results == results)
    // The events say of the game what the server does.
    #expect(stream.events.map(\.game) == [String?](repeating: "g1", count: stream.events.count))
    for event in stream.events {
      guard case .showResults(let results) = event.content else { continue }
      let index = try #require(show.game.asked.firstIndex(where: { $0.guid == results.questionGuid }))
      let question = show.game.asked[index]
      #expect(event.guid == question.result && event.at == question.shownAt && results.questionNumber == index + 1)
      #expect(results.correctAnswer == show.game.settings.questions[question.quizIndex].correctAnswer)
    }
  }

  /// The same events under the same identifiers, wherever the process ends and goes on: the injector takes each once, and finds no other one.
  @Test func putAgainAfterACrash() throws {
    var show = try show("right")
    var stream = CueStream()
    show.go(to: 10)
    try show.command(.next)
    for _ in 0..<6 {
      // The injector has it, and the process ends before that is written down.
      for outgoing in show.game.outgoing { try stream.put(outgoing, at: show.now) }
      show = try show.restored(try #require(show.snapshots.last))
      let before = stream.events.count
      for outgoing in show.game.outgoing {
        try stream.put(outgoing, at: show.now)
        show.place(outgoing.guid)
      }
      #expect(stream.events.count == before)
      show.go(to: show.seconds + 30)
      if let closing = show.advance().closing { show.decide(closing) }
      if show.game.current == nil, show.game.end == nil { try show.command(.next) }
    }
    let (asked, results) = (HostedShow.asked, HostedShow.results)
    #expect(stream.events.map(\.guid) == [HostedShow.start, asked[0], results[0], asked[1], results[1], asked[2], results[2]])
  }
}

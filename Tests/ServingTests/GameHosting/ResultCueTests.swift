import Basics
import GameEvents
import GameHosting
import Questions
import Scoring
import Testing

/// Results and ends have room in their tags, whatever there is to say: names are left out from the end, then the explanation, then the address.
@Suite struct ResultCueTests {
  /// A show of one question, whose players have joined.
  private func show(_ question: Question, names: [String], boardAddress: String? = "https://example.org/g1") throws -> HostedShow {
    var settings = HostedShow.settings()
    (settings.questions, settings.boardAddress) = ([question], boardAddress)
    var show = HostedShow(settings)
    for (index, name) in names.enumerated() { try show.join(name, key: "\(index)") }
    return show
  }

  /// Plays the question, all of whose players are right; returns the size of the result's tag and that of the end's.
  private func play(_ show: inout HostedShow) throws -> (result: Int, end: Int) {
    var stream = CueStream()
    show.go(to: 10)
    try show.command(.next)
    try show.placeAll(in: &stream)
    show.go(to: 12)
    for player in show.players.indices { show.answer(show.game.settings.questions[0].correctAnswer ?? 0, by: player) }
    show.go(to: 13)
    if let closing = try show.command(.reveal).closing { show.decide(closing) }
    let result = try stream.put(try #require(show.game.outgoing.first), at: show.now)
    show.placeAll()
    show.go(to: 20)
    try show.command(.next)
    let end = try stream.put(try #require(show.game.outgoing.first), at: show.now)
    show.placeAll()
    return (result, end)
  }

  private func question(_ answers: [String] = ["A", "B"], explanation: String? = nil, link: String? = nil, points: [Int]? = nil) -> Question
  {
    Question(text: "Q", answers: answers, correctAnswer: 0, points: points, explanation: explanation, link: link)
  }

  private func names(_ cue: JSONObject?) -> [String]? { cue?["leaderboard"]?.array?.compactMap { $0.object?["nickname"]?.string } }

  private static let long = (0..<5).map { String(repeating: "\u{1F600}", count: 15) + "\($0)" }

  @Test func nothingIsLeftOutWhereThereIsRoom() throws {
    let question = question(explanation: "Because.", link: "https://example.org/why", points: [3, -1])
    var show = try show(question, names: ["Ann", "Ben", "Cem", "Dee"])
    let sizes = try play(&show)
    let cue = try #require(show.game.asked[0].resultCue)
    #expect(sizes.result <= TagLimit.standard && sizes.end <= TagLimit.standard)
    #expect(cue["explanation"]?.string == "Because." && cue["url"]?.string == "https://example.org/why" && cue["points"]?.text == "[3,-1]")
    #expect(cue["counts"]?.text == "[4,0]" && names(cue) == ["Ann", "Ben", "Cem"])
    #expect(show.game.end?.cue["winners"]?.text == #"["Ann","Ben","Cem","Dee"]"# && names(show.game.end?.cue) == ["Ann", "Ben", "Cem"])
  }

  /// Without a link the address is that of the game's boards; where nobody knows that there is none.
  @Test func addresses() throws {
    for (link, board, url) in [
      ("https://a.example", "https://b.example/g", "https://a.example"), (nil, "https://b.example/g", "https://b.example/g/1"),
      (nil, nil, nil),
    ] as [(String?, String?, String?)] {
      var show = try show(question(link: link), names: ["Ann"], boardAddress: board)
      _ = try play(&show)
      #expect(show.game.asked[0].resultCue?["url"]?.string == url)
    }
  }

  /// With a long explanation and address, and the longest nicknames, some of the names have no room.
  @Test func namesFirst() throws {
    let explanation = String(repeating: "e", count: 1_374)
    let address = "https://example.org/" + String(repeating: "x", count: 20)
    var show = try show(question(explanation: explanation, link: address), names: Self.long)
    let sizes = try play(&show)
    let cue = try #require(show.game.asked[0].resultCue)
    #expect(sizes.result <= TagLimit.standard && sizes.end <= TagLimit.standard)
    let kept = try #require(names(cue))
    #expect(kept.count < 3 && kept == Array(Self.long.prefix(kept.count)))
    #expect(cue["explanation"]?.string == explanation && cue["url"]?.string == address)
  }

  /// What no quiz may have is left out, too.
  @Test func thenTheExplanationAndTheAddress() throws {
    let long = String(repeating: "\"", count: 1_400)
    var show = try show(question(explanation: long, link: "https://example.org"), names: ["Ann"])
    let sizes = try play(&show)
    let cue = try #require(show.game.asked[0].resultCue)
    #expect(
      sizes.result <= TagLimit.standard && cue["explanation"] == nil && cue["url"]?.string == "https://example.org" && names(cue) == [])
    var other = try self.show(
      question(explanation: long, link: "https://example.org/" + String(repeating: "x", count: 1_924)), names: ["Ann"])
    let otherSizes = try play(&other)
    #expect(otherSizes.result <= TagLimit.standard)
    let bare = try #require(other.game.asked[0].resultCue)
    #expect(bare["explanation"] == nil && bare["url"] == nil && names(bare) == [] && bare["counts"]?.text == "[1,0]")
  }

  /// Of many winners as many are named as there is room for.
  @Test func manyWinners() throws {
    let winners = (10..<99).map { String(repeating: "w", count: 40) + "\($0)" }
    var show = try show(question(), names: winners)
    let sizes = try play(&show)
    let end = try #require(show.game.end?.cue)
    let named = try #require(end["winners"]?.array?.compactMap { $0.string })
    #expect(sizes.result <= TagLimit.standard && sizes.end <= TagLimit.standard)
    #expect(!named.isEmpty && named.count < winners.count && named == Array(winners.prefix(named.count)))
    // With one more there would be no room: a winner has 45 bytes in the list.
    #expect(sizes.end > TagLimit.standard - 110 - 60)
  }

  /// Quizzes at their limits, nicknames of all scripts: everything that is decided comes into the stream.
  @Test(arguments: 0..<UInt64(25)) func anything(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed, purpose: 5)
    let letters: [String] = ["a", "W", "\u{E9}", "\u{416}", "\u{674E}", "\u{1F600}", "7", "\u{5D0}"]
    func text(_ bytes: Int) -> String {
      var text = ""
      while true {
        let letter = letters[numbers.below(letters.count)]
        guard text.utf8.count + letter.utf8.count <= bytes else { return text }
        text += letter
      }
    }
    let answers = (0..<(2 + numbers.below(8))).map { "\($0) " + text(numbers.below(30)) }
    let points = numbers.below(2) == 0 ? nil : answers.map { _ in numbers.below(2_000_001) - 1_000_000 }
    let explanation = numbers.below(3) == 0 ? nil : text(numbers.below(200) + 4)
    let link = numbers.below(3) == 0 ? nil : "https://example.org/" + String(repeating: "l", count: numbers.below(100))
    let question = Question(
      text: text(100) + "?", answers: answers, correctAnswer: numbers.below(answers.count), points: points, explanation: explanation,
      link: link)
    let names = (0..<(1 + numbers.below(20))).map { "\(text(10 + numbers.below(50))) #\($0)" }
    var show = try show(question, names: names)
    let sizes = try play(&show)
    #expect(sizes.result > 0 && sizes.result <= TagLimit.standard && sizes.end > 0 && sizes.end <= TagLimit.standard)
    let cue = try #require(show.game.asked[0].resultCue)
    let counted = (cue["counts"]?.array ?? []).compactMap(\.int).reduce(0) { $0 + $1 }
    #expect(counted == show.players.count && cue["explanation"]?.string == explanation)
    let kept = try #require(self.names(cue))
    let leaders = (show.game.boards.first?.leaders ?? []).map(\.nickname.text)
    #expect(kept == Array(leaders.prefix(kept.count)))
  }
}

import Basics
import Testing

@testable import Scoring

/// What bots answer.
@Suite struct BotTests {
  static let question = Sample.question(1, right: 2)

  private func answers(_ kind: Bot.Kind, _ count: Int, seed: UInt64 = 1, _ question: ScoredQuestion = question) -> [(Int, MediaTime)] {
    (1...count).compactMap { Bot(kind: kind, number: $0).answer(to: question, seed: seed) }.map { ($0.answer, $0.time) }
  }

  /// A million bots take seconds to join, and an interruption does not wait for that.
  @Test func joiningIsInterrupted() throws {
    var asked = 0
    let audience = try Audience(
      ScoredGame(rules: .standard), nil, bots: try BotCrowd(parsing: "random:20000").bots, seed: 1, top: 1, listsAll: false,
      verifySeal: nil, isRecorded: false
    ) {
      asked += 1
      return asked > 2
    }
    #expect(Array(audience.joinings).count == 8_192)
  }

  @Test func eachKindKeepsItsHabits() {
    let window = Self.question.opensAt..<Self.question.closesAt
    let random = answers(.random, 3_000)
    #expect(random.count == 3_000 && random.allSatisfy { window.contains($0.1) })
    for answer in 0..<3 { #expect((900...1_100).contains(random.count { $0.0 == answer })) }
    let late = answers(.late, 300)
    #expect(late.count == 300 && late.allSatisfy { $0.1 >= window.upperBound && $0.1 < window.upperBound + MediaTime(seconds: 5) })
    let perfect = answers(.perfect, 300)
    #expect(perfect.count == 300 && perfect.allSatisfy { $0.0 == 2 && window.contains($0.1) })
    #expect((120...280).contains(answers(.sleepy, 1_000).count))
  }

  @Test func nobodyAnswersWhatCannotBeAnswered() {
    #expect(answers(.perfect, 10, Sample.question(1)).isEmpty)
    #expect(answers(.perfect, 10, Sample.question(1, right: 7)).isEmpty)
    var closed = Self.question
    closed.closesAt = closed.opensAt
    for kind in [Bot.Kind.random, .perfect, .sleepy] { #expect(answers(kind, 10, closed).isEmpty) }
  }

  @Test func answersDependOnNameQuestionAndSeedAlone() {
    let bot = Bot(kind: .random, number: 17)
    #expect(bot.nickname == "random-17")
    let first = bot.answer(to: Self.question, seed: 1)
    // Computed by hand from SplitMix64 and FNV-1a.
    #expect(first?.answer == 1 && first?.time == MediaTime(ticks: 2_698_415))
    #expect(bot.answer(to: Self.question, seed: 1)?.time == first?.time)
    #expect(bot.answer(to: Self.question, seed: 2)?.time != first?.time)
    #expect(Bot(kind: .random, number: 18).answer(to: Self.question, seed: 1)?.time != first?.time)
  }

  @Test func aCrowdIsReadFromText() throws {
    let crowd = try BotCrowd(parsing: "random:2,perfect:1,late:0")
    #expect(crowd.bots.map(\.nickname) == ["random-1", "random-2", "perfect-1"])
    #expect(crowd == (try BotCrowd(parsing: "random:2,perfect:1,late:0")) && crowd != BotCrowd())
  }

  @Test(arguments: [
    ("", BotCrowdError.unknown("")), ("lazy:1", .unknown("lazy:1")), ("random", .missingNumber("random")),
    ("random:x", .missingNumber("random:x")), ("random:1:2", .missingNumber("random:1:2")), ("random:1,", .unknown("")),
    ("random:1,random:2", .repeated(.random)), ("random:1000000,late:1", .tooMany),
    ("random:99999999999999999999", .missingNumber("random:99999999999999999999")),
  ])
  func refusals(text: String, error: BotCrowdError) { #expect(throws: error) { try BotCrowd(parsing: text) } }
}

import Basics
import CueSheet
import EventSchedule
import GameEvents
import Questions
import Seals
import Sheets
import TestSupport
import Testing

@testable import ShowPlanning

/// Nobody computes the right answers of a planned show: an attacker knows the planner, the questions, and the answers as they are shown.
@Suite struct SecretAnswerTests {
  private static let count = 40
  private static let answerCount = 4
  private static let seeds = 0...10_000
  /// Above what an attacker has by chance: 32 of 40 would be guessed in one of 10^12 attempts. Who knows the order guesses all 40.
  private static let mostByChance = 31

  /// A bank as its source writes it.
  enum Source: CaseIterable {
    case csv, openTrivia, yaml

    /// Questions with the right answer first, as the sources list them.
    var text: String {
      var random = SeededNumbers(seed: 40)
      let questions = (0..<SecretAnswerTests.count).map { number in
        (text: "Question \(number)?", answers: (0..<SecretAnswerTests.answerCount).map { _ in "w\(random.next() % 1_000_000_000)" })
      }
      switch self {
      case .csv: return questions.map { "\($0.text),\($0.answers.joined(separator: ","))\n" }.joined()
      case .openTrivia:
        let results = questions.map { question in
          let wrong = question.answers.dropFirst().map { "\"\($0)\"" }.joined(separator: ",")
          return #"{"type":"multiple","difficulty":"easy","category":"Art","question":"\#(question.text)","#
            + #""correct_answer":"\#(question.answers[0])","incorrect_answers":[\#(wrong)]}"#
        }
        return #"{"response_code":0,"results":[\#(results.joined(separator: ","))]}"#
      case .yaml:
        return "questions:\n"
          + questions.map { "  - { question: \($0.text), answers: [\($0.answers.joined(separator: ", "))], correctAnswer: 0 }\n" }.joined()
      }
    }

    func questions() throws -> [Question] {
      let format: BankFormat = self == .csv ? .csv : self == .yaml ? .yaml : .json
      let reading = QuizFile.read(Array(text.utf8), format: format, table: TableOptions(hasNoHeader: self == .csv))
      try #require(reading.problems.isEmpty && reading.bank.questions.count == SecretAnswerTests.count)
      return reading.bank.questions.map(\.value)
    }
  }

  /// For each small seed and question, which answer the planner's shuffling puts in which place, all in one array.
  private static let orders: [UInt8] = seeds.flatMap { seed in
    (0..<count).flatMap { order(seed: UInt64(seed), "Question \($0)?") }
  }

  private static func order(seed: UInt64, _ question: String) -> [UInt8] {
    var numbers = SeededNumbers(seed: seed ^ UInt64(CRC32MPEG2.checksum(question)) << 16, purpose: 2)
    return numbers.shuffled((0..<UInt8(answerCount)).map { $0 })
  }

  /// The number of right answers of the best guess: undo the shuffling with the best seed, and take the answer in the best place.
  private static func bestGuess(_ sheet: CueSheet) throws -> Int {
    var right: [(number: Int, place: Int)] = []
    var asked: [GUID: Int] = [:]
    for event in sheet.events.map(\.event) {
      switch event.content {
      case .askQuestion(let question):
        let number: Int = try #require(Int(question.question.filter(\.isNumber)))
        asked[event.guid] = number
        #expect(question.correctAnswer == nil)
      case .showResults(let results):
        right.append((try #require(asked[results.questionGuid]), try #require(results.correctAnswer)))
      default: break
      }
    }
    #expect(right.count == count)
    var best = 0
    for seed in seeds {
      var hits = [0, 0, 0, 0]
      for (number, place) in right { hits[Int(orders[(seed * count + number) * answerCount + place])] += 1 }
      best = max(best, hits.max() ?? 0)
    }
    return best
  }

  @Test func theAttackerKnowsThePlanner() throws {
    let questions = (0..<Self.count).map {
      Question(text: "Question \($0)?", answers: (0..<Self.answerCount).map { "w\($0)" }, correctAnswer: 0)
    }
    for seed in 0..<10 as Range<UInt64> {
      let chosen = try SelectionTests.chosen(questions) { $0.seed = seed }
      #expect(chosen.map(\.answers) == questions.map { Self.order(seed: seed, $0.text).map { "w\($0)" } })
    }
  }

  @Test(arguments: Source.allCases, [nil, 0, 1, 7, 10_000] as [UInt64?]) func nobodyComputesTheAnswers(source: Source, seed: UInt64?) throws
  {
    var options = PlanOptions(game: "g", title: "T")
    if let seed { options.selection.seed = seed }
    let text = try ShowPlan(try source.questions(), options).cueSheet()
    for key in [testKey, .random()] {
      let sheet = try CueSheet.parse(text, policy: CopyPolicy(), answers: .sealed(key))
      #expect(try Self.bestGuess(sheet) <= Self.mostByChance)
    }
  }

  /// Whichever answer is right, and wherever the bank lists it, the same answers are shown in the same order.
  @Test(arguments: 0..<20 as Range<UInt64>) func theOrderDependsOnTheTextsAlone(seed: UInt64) throws {
    func shown(_ moved: Int) throws -> [[String]] {
      let questions = try Source.yaml.questions().map { question in
        let order = (0..<Self.answerCount).map { ($0 + moved) % Self.answerCount }
        return Question(text: question.text, answers: order.map { question.answers[$0] }, correctAnswer: moved)
      }
      return try SelectionTests.chosen(questions) { $0.seed = seed }.map(\.answers)
    }
    let first = try shown(0)
    for moved in 1..<Self.answerCount { #expect(try shown(moved) == first) }
  }

  @Test func twoPlansDiffer() throws {
    func plan(_ order: QuestionOrder) throws -> [Question] { try SelectionTests.chosen(try Source.csv.questions()) { $0.order = order } }
    #expect(try plan(.asGiven) != plan(.asGiven))
    #expect(try plan(.shuffled).map(\.text) != plan(.shuffled).map(\.text))
  }
}

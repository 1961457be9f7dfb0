public import Basics
package import GameEvents

/// A simulated player, whose answers depend only on its name, the question and a seed.
public struct Bot: Equatable, Sendable {
  /// How a bot plays.
  public enum Kind: String, CaseIterable, Sendable {
    /// Any answer, at any time while the question takes answers.
    case random
    /// The right answer, at any time while the question takes answers; none if it is not known.
    case perfect
    /// Any answer, up to five seconds after the time is up: all are refused.
    case late
    /// As `random`, but only to one question in five.
    case sleepy
  }

  /// How it plays.
  public var kind: Kind
  /// Its number among those of its kind, from 1.
  public var number: Int

  /// A bot.
  public init(kind: Kind, number: Int) {
    self.kind = kind
    self.number = number
  }

  /// Its nickname, for example `random-17`.
  public var nickname: String { "\(kind.rawValue)-\(number)" }

  /// The code of its answer to a question, and when it answers; `nil` for no answer.
  ///
  /// - Parameters:
  ///   - question: The question. A bot that answers right needs its right answer.
  ///   - seed: Other seeds give other answers.
  public func answer(to question: ScoredQuestion, seed: UInt64) -> (answer: Int, time: MediaTime)? {
    var numbers = SeededNumbers(seed: seed ^ question.guid.text.bytesHash, purpose: nickname.bytesHash)
    // Every kind of bot draws the same numbers in the same order, and only uses them differently.
    let codes = question.form.codes
    guard !codes.isEmpty else { return nil }
    let (choice, moment, mood) = (Int(codes.lowerBound) + numbers.below(codes.count), numbers.next(), numbers.below(Self.sleepyInterval))
    let length = UInt64(max((question.closesAt - question.opensAt).ticks, 0))
    let inTime = question.opensAt + MediaTime(ticks: Int64(moment.multipliedFullWidth(by: length).high))
    switch kind {
    case .random: return length == 0 ? nil : (choice, inTime)
    case .sleepy: return length == 0 || mood != 0 ? nil : (choice, inTime)
    case .perfect:
      guard length > 0, let right = question.right, let code = question.form.code(of: right) else { return nil }
      return (Int(code), inTime)
    case .late:
      let delay = moment.multipliedFullWidth(by: UInt64(Self.latestDelay.ticks)).high
      return (choice, question.closesAt + MediaTime(ticks: Int64(delay)))
    }
  }

  /// The answer of a code. A text is a right one, or a number up to 99.
  package func answer(_ code: Int, to question: ScoredQuestion) -> GivenAnswer? {
    guard question.form == .text else { return question.form.answer(UInt32(clamping: code)) }
    if kind == .perfect, case .texts(let texts)? = question.right { return texts.first.map { .text($0) } }
    return AnswerText("\(code % 100)").map { .text($0) }
  }

  private static let sleepyInterval = 5
  private static let latestDelay = MediaTime(seconds: 5)
}

/// How many bots of each kind play.
public struct BotCrowd: Equatable, Sendable {
  /// How many of each kind, in the order in which they join.
  public private(set) var counts: [(kind: Bot.Kind, count: Int)] = []

  /// The maximum number of bots.
  public static let largestCount = 1_000_000

  /// Nobody.
  public init() {}

  /// Reads numbers of bots, for example `random:1000,perfect:3,late:50,sleepy:10`.
  ///
  /// - Throws: ``BotCrowdError`` for anything else, and for more than ``largestCount`` bots.
  public init(parsing text: String) throws(BotCrowdError) {
    var total = 0
    for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let fields = part.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
      let whole = String(decoding: part, as: UTF8.self)
      guard let kind = Bot.Kind.allCases.first(where: { $0.rawValue.hasSameBytes(as: fields[0]) }) else { throw .unknown(whole) }
      guard fields.count == 2, fields[1].utf8.allSatisfy({ $0.isASCIIDigit }),
        let count = Int(fields[1])
      else { throw .missingNumber(whole) }
      guard !counts.contains(where: { $0.kind == kind }) else { throw .repeated(kind) }
      guard count <= Self.largestCount - total else { throw .tooMany }
      total += count
      counts.append((kind, count))
    }
  }

  /// Whether both have as many of each kind, in the same order.
  public static func == (left: BotCrowd, right: BotCrowd) -> Bool {
    left.counts.elementsEqual(right.counts) { $0.kind == $1.kind && $0.count == $1.count }
  }

  /// The bots, in the order in which they join.
  public var bots: [Bot] {
    counts.flatMap { entry in (0..<entry.count).map { Bot(kind: entry.kind, number: $0 + 1) } }
  }
}

/// Why a text does not name bots.
public enum BotCrowdError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is no such kind.
  case unknown(String)
  /// A kind has no number.
  case missingNumber(String)
  /// A kind occurs twice.
  case repeated(Bot.Kind)
  /// There are more than ``BotCrowd/largestCount``.
  case tooMany

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .unknown(let text): "\"\(text)\" is no kind of bot; write for example random:1000,perfect:3,late:50,sleepy:10"
    case .missingNumber(let text): "\"\(text)\" lacks its number of bots; write for example random:1000"
    case .repeated(let kind): "\(kind.rawValue) occurs twice; write it once"
    case .tooMany: "there are more than \(BotCrowd.largestCount) bots; write fewer"
    }
  }
}

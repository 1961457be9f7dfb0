import Basics
import GameEvents

/// The answers of an audience, read from lines of JSON (see ``AudienceRecord``). Each answer waits for its question.
///
/// It receives bytes in chunks of any size. Messages begin with the number of their line and a colon; those about several lines begin with
/// a space.
package struct AnswerList: Sendable {
  /// An answer that waits for its question.
  struct Answer: Sendable {
    var player: PlayerID
    var answer: GivenAnswer
    var time: MediaTime
    var arrival: Int64?
    /// The line of its record.
    var line: Int
  }

  private var answers: [QuestionReference: [Answer]] = [:]
  /// Messages about lines that are not records and nicknames that are taken, up to the limit.
  package private(set) var problems: [String] = []
  private var spellings: [String] = []
  private var respelt: Set<PlayerID> = []
  private var line: [UInt8] = []
  /// How many bytes of the line were skipped.
  private var skipped = 0
  private var lineNumber = 0
  private let limit: Int
  private var answerCount = 0

  /// The maximum length of a line in bytes. A longer one ends the reading: it is not text, and may have no end.
  private static let largestLine = 1 << 20
  /// The maximum number of messages of one kind; a last one counts the others.
  private static let largestMessageCount = 20
  /// The maximum number of answers, since all wait in memory for their questions: fifty answers of a million players each.
  package static let largestAnswerCount = 50_000_000

  /// A list without answers.
  package init(limit: Int = largestAnswerCount) { self.limit = limit }

  // MARK: Reading

  /// Reads a chunk of the lines. Their players join the game.
  ///
  /// - Returns: Whether to continue; `false` if there are too many mistakes or answers.
  package mutating func push(_ bytes: Span<UInt8>, joining game: inout ScoredGame) -> Bool {
    for index in bytes.indices {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n") {
        readLine(&game)
      } else if line.count <= AudienceRecord.largestLength {
        line.append(byte)
      } else {
        skipped += 1
        guard skipped < Self.largestLine else {
          readLine(&game)
          return false
        }
      }
    }
    return problems.count < Self.largestMessageCount && answerCount <= limit
  }

  /// Reads the last line, if no line feed ends it.
  ///
  /// - Returns: Remarks that are not mistakes: nicknames that are written in several ways.
  package mutating func finish(joining game: inout ScoredGame) -> [String] {
    if !line.isEmpty { readLine(&game) }
    let rest = respelt.count - spellings.count
    return spellings + (rest > 0 ? [" \(rest) more \(rest == 1 ? "player is" : "players are") written in several ways"] : [])
  }

  private mutating func readLine(_ game: inout ScoredGame) {
    lineNumber += 1
    defer {
      line.removeAll(keepingCapacity: true)
      skipped = 0
    }
    guard line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\t") }) else { return }
    do throws(AudienceRecordError) {
      add(try AudienceRecord(parsing: line.view), &game)
    } catch {
      report(error.description)
    }
  }

  private mutating func add(_ record: AudienceRecord, _ game: inout ScoredGame) {
    do throws(JoiningError) {
      switch record {
      case .join(let nickname, let time): _ = try game.join(nickname, at: time)
      case .answer(let nickname, let question, let answer, let time, let arrival):
        answerCount += 1
        guard answerCount <= limit else {
          if answerCount == limit + 1 { report("there are more than \(limit) answers; split the game") }
          return
        }
        let player = try game.entering(nickname)
        recordSpelling(nickname, of: player, game.roster)
        answers[question, default: []].append(Answer(player: player, answer: answer, time: time, arrival: arrival, line: lineNumber))
      }
    } catch {
      report(error.description)
    }
  }

  /// Records, once for each player, that the nickname is also written in another way.
  private mutating func recordSpelling(_ text: String, of player: PlayerID, _ roster: Roster) {
    let nickname = roster.nickname(of: player)
    guard !nickname.text.hasSameBytes(as: text), let other = try? Nickname(text), !nickname.text.hasSameBytes(as: other.text),
      respelt.insert(player).inserted, respelt.count <= Self.largestMessageCount
    else { return }
    spellings.append("\(lineNumber): \(other.text) is the same player as \(nickname.text)")
  }

  private mutating func report(_ problem: String) {
    if problems.count < Self.largestMessageCount { problems.append("\(lineNumber): \(problem)") }
  }

  // MARK: Answers

  /// Removes the answers to a question from the list.
  ///
  /// - Returns: The answers, and messages about answers that the question does not have.
  mutating func removeAnswers(to question: ScoredQuestion, isInFirstGame: Bool) -> (answers: [Answer], messages: [String]) {
    let byNumber = isInFirstGame ? answers.removeValue(forKey: .number(question.number)) ?? [] : []
    let list = byNumber + (answers.removeValue(forKey: .guid(question.guid)) ?? [])
    let unknown = list.filter { question.form.code(of: $0.answer) == nil }
    var messages = unknown.prefix(Self.largestMessageCount).map { answer in
      "\(answer.line): answer \(answer.answer.json.text) to question \(question.number), which \(Self.takes(question.form))"
    }
    let rest = unknown.count - Self.largestMessageCount
    if rest > 0 { messages.append(" \(rest) more of the answers to question \(question.number) are none of those that it has") }
    return (list, messages)
  }

  private static func takes(_ form: AnswerForm) -> String {
    switch form {
    case .none: "takes no answers"
    case .one(let count): "has answers 0 to \(count - 1)"
    case .several(let count): "takes a list of some of the answers 0 to \(count - 1)"
    case .order(let count): "takes a list of all answers from 0 to \(count - 1)"
    case .text: "takes texts"
    case .number(let scale): "takes numbers from \(scale.least.text) to \(scale.most.text) in steps of \(scale.step.text)"
    }
  }

  /// Messages about players with more answers to a question than are kept of one player.
  static func excess(_ summary: QuestionSummary, of roster: Roster) -> [String] {
    let players = summary.tooMany.sorted { $0.key.index < $1.key.index }
    var messages = players.prefix(largestMessageCount).map { player, count in
      let (answers, verb) = count == 1 ? ("1 answer", "is") : ("\(count) answers", "are")
      return " \(answers) of \(roster.nickname(of: player).text) to question \(summary.question.number) \(verb) beyond the "
        + "\(ScoredGame.largestAnswerCount) that are kept"
    }
    let rest = players.count - largestMessageCount
    if rest > 0 {
      messages.append(
        " \(rest) more \(rest == 1 ? "player" : "players") gave more answers to question \(summary.question.number) than are kept")
    }
    return messages
  }

  /// Messages about the answers that are left over, because the stream does not have their questions.
  package var leftover: [String] {
    answers.map { (name: Self.name($0.key), count: $0.value.count) }.sorted { $0.name < $1.name }.map { name, count in
      " \(count == 1 ? "1 answer" : "\(count) answers") to \(name), which the stream does not have"
    }
  }

  private static func name(_ question: QuestionReference) -> String {
    switch question {
    case .number(let number): "question \(number)"
    case .guid(let guid): "the question \(guid.text)"
    }
  }
}

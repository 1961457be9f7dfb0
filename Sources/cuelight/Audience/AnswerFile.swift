import Terminal
import Basics
import Files
import GameEvents
import Scoring

/// What an audience answered, read from a file.
struct AnswerFile {
  /// An answer that waits for its question.
  struct Answer {
    var player: PlayerID
    var answer: Int
    var time: MediaTime
    /// The line of the file.
    var line: Int
  }

  /// The answers, by question.
  private(set) var answers: [QuestionReference: [Answer]] = [:]
  private let path: String
  private var problems: [String] = []
  /// What is no mistake and still to be told.
  private var notes: [String] = []
  private var respelt: Set<PlayerID> = []
  private var lineNumber = 0

  private let limit: Int
  private var answerCount = 0

  /// More problems than this are not told.
  private static let largestProblemCount = 20
  /// More answers are refused, since all wait in memory for their questions: these are fifty of each of a million players.
  static let largestAnswerCount = 50_000_000

  /// Reads a file or standard input. Its players join the game.
  ///
  /// - Throws: every line that is no record and every nickname that is taken, with the line's number; or why the file cannot be read.
  init(path: String, joining game: inout ScoredGame, limit: Int = largestAnswerCount) throws(CommandFailure) {
    self.limit = limit
    self.path = path == "-" ? "standard input" : path
    var line: [UInt8] = []
    do throws(FileInputError) {
      var file = try FileInput(path: path) { Interruption.isRequested }
      while try file.fill() {
        for index in file.bytes.indices {
          let byte = file.bytes[index]
          if byte == UInt8(ascii: "\n") {
            take(line, &game)
            line.removeAll(keepingCapacity: true)
          } else if line.count <= AudienceRecord.largestLength {
            line.append(byte)
          }
        }
        guard problems.count < Self.largestProblemCount, answerCount <= limit else { break }
      }
    } catch {
      throw CommandFailure(error)
    }
    if !line.isEmpty { take(line, &game) }
    guard problems.isEmpty else { throw CommandFailure(problems.joined(separator: "\ncuelight: "), status: CommandFailure.invalidInput) }
    notes.forEach(say)
    let rest = respelt.count - notes.count
    if rest > 0 { say(" \(rest) more \(rest == 1 ? "player is" : "players are") written in several ways") }
  }

  private mutating func take(_ line: [UInt8], _ game: inout ScoredGame) {
    lineNumber += 1
    guard line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\t") }) else { return }
    do throws(AudienceRecordError) {
      take(try AudienceRecord(parsing: line.span), &game)
    } catch {
      report("\(error)")
    }
  }

  private mutating func take(_ record: AudienceRecord, _ game: inout ScoredGame) {
    do throws(JoiningError) {
      switch record {
      case .join(let nickname, let time): _ = try game.join(nickname, at: time)
      case .answer(let nickname, let question, let answer, let time):
        answerCount += 1
        guard answerCount <= limit else {
          if answerCount == limit + 1 { report("there are more than \(limit) answers; split the game") }
          return
        }
        let player = try game.entering(nickname)
        noteSpelling(nickname, of: player, game.roster)
        answers[question, default: []].append(Answer(player: player, answer: answer, time: time, line: lineNumber))
      }
    } catch {
      report("\(error)")
    }
  }

  /// Says, once for each player, that the nickname is also written in another way.
  private mutating func noteSpelling(_ text: String, of player: PlayerID, _ roster: Roster) {
    let nickname = roster.nickname(of: player)
    guard !nickname.text.utf8.elementsEqual(text.utf8), let other = try? Nickname(text), !nickname.text.utf8.elementsEqual(other.text.utf8),
      respelt.insert(player).inserted, respelt.count <= Self.largestProblemCount
    else { return }
    notes.append("\(lineNumber): \(other) is the same player as \(nickname)")
  }

  private mutating func report(_ problem: String) {
    guard problems.count < Self.largestProblemCount else { return }
    problems.append(TransitionPrinter.printable("\(path):\(lineNumber): \(problem)"))
  }

  /// Takes out the answers to a question, and says which ones it does not have.
  mutating func takeAnswers(to question: ScoredQuestion, isInFirstGame: Bool) -> [Answer] {
    let byNumber = isInFirstGame ? answers.removeValue(forKey: .number(question.number)) ?? [] : []
    let list = byNumber + (answers.removeValue(forKey: .guid(question.guid)) ?? [])
    let unknown = list.filter { !(0..<question.answerCount).contains($0.answer) }
    for answer in unknown.prefix(Self.largestProblemCount) {
      say("\(answer.line): answer \(answer.answer) to question \(question.number), which has answers 0 to \(question.answerCount - 1)")
    }
    let rest = unknown.count - Self.largestProblemCount
    if rest > 0 { say(" \(rest) more of the answers to question \(question.number) are none of those that it has") }
    return list
  }

  /// Says whose answers to a question are beyond what is kept of one player.
  func reportExcess(_ summary: QuestionSummary, of roster: Roster) {
    let players = summary.tooMany.sorted { $0.key.index < $1.key.index }
    for (player, count) in players.prefix(Self.largestProblemCount) {
      let (answers, verb) = count == 1 ? ("1 answer", "is") : ("\(count) answers", "are")
      say(
        " \(answers) of \(roster.nickname(of: player)) to question \(summary.question.number) \(verb) beyond the "
          + "\(ScoredGame.largestAnswerCount) that are kept")
    }
    let rest = players.count - Self.largestProblemCount
    if rest > 0 {
      say(" \(rest) more \(rest == 1 ? "player" : "players") gave more answers to question \(summary.question.number) than are kept")
    }
  }

  private func say(_ message: String) { StandardError.write(TransitionPrinter.printable("\(path):\(message)")) }

  /// Says which answers are left over, because the stream does not have their questions.
  func reportRest() {
    for (question, list) in answers.sorted(by: { Self.name($0.key) < Self.name($1.key) }) {
      let count = list.count == 1 ? "1 answer" : "\(list.count) answers"
      StandardError.write(TransitionPrinter.printable("\(path): \(count) to \(Self.name(question)), which the stream does not have"))
    }
  }

  private static func name(_ question: QuestionReference) -> String {
    switch question {
    case .number(let number): "question \(number)"
    case .guid(let guid): "the question \(guid.text)"
    }
  }
}

import CommandSupport
import Files
import Scoring
import Terminal

/// The file or standard input with an audience's answers.
struct AnswerFile {
  private let path: String
  private let name: String

  init(path: String) { (self.path, name) = (path, path == "-" ? "standard input" : path) }

  /// Reads the answers. Their players join the game.
  ///
  /// - Throws: Every line that is not a record and every nickname that is taken, with the line's number, or why the file cannot be read.
  func read(joining game: inout ScoredGame, limit: Int = AnswerList.largestAnswerCount) throws(CommandFailure) -> AnswerList {
    var list = AnswerList(limit: limit)
    do throws(FileInputError) {
      var file = try FileInput(path: path) { Interruption.isRequested }
      while try file.fill(), list.push(file.bytes, joining: &game) {}
    } catch {
      throw CommandFailure(error)
    }
    let messages = list.finish(joining: &game)
    guard list.problems.isEmpty else { throw CommandFailure(invalid: list.problems.map(line).joined(separator: "\n")) }
    messages.forEach(say)
    return list
  }

  /// Reports a message about the answers.
  func say(_ message: String) { StandardError.write(line(message)) }

  private func line(_ message: String) -> String { "\(name):\(message)" }
}

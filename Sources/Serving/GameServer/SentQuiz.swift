import Basics
package import GameEvents
import LiveInterface
import Questions
import Sheets
import WebPages
import WebSupport

/// A quiz that a client has sent.
struct SentQuiz {
  var bank: QuestionBank
  /// What was guessed, or left out, and why.
  var notices: [SheetProblem]

  /// The maximum number of questions of a game.
  static let mostQuestions = 500
  /// The maximum number of mistakes and notices that an answer lists.
  static let mostNotices = 100

  /// Reads a quiz and checks it.
  ///
  /// - Parameters:
  ///   - pointer: Where the quiz is in the body.
  ///   - hasMedia: Whether the server has the picture or the sound of an address.
  /// - Throws: `Problem` with the mistakes.
  init(
    _ bytes: [UInt8], _ format: BankFormat?, _ pointer: String, hasMedia: (String) -> Bool
  ) throws(Problem) {
    let reading = QuizFile.read(bytes, format: format)
    guard reading.problems.isEmpty else {
      var problem = Problem.invalid(pointer, reading.problems.first.map { "\($0)" } ?? "")
      problem.members.append("errors", Self.list(reading.problems))
      throw problem
    }
    guard (1...Self.mostQuestions).contains(reading.bank.questions.count) else {
      throw .invalid(pointer, "a quiz for a game has 1 to \(Self.mostQuestions) questions, not \(reading.bank.questions.count)")
    }
    (bank, notices) = (reading.bank, reading.notices)
    // A file that lies beside the quiz has stayed with the sender.
    for index in bank.questions.indices {
      let place = bank.questions[index].place
      func isAbsent(_ address: MediaAddress?) -> Bool { address.map { $0.isRelative && !hasMedia($0.text) } ?? false }
      if let address = bank.questions[index].value.media.picture?.address, isAbsent(address) {
        bank.questions[index].value.media.picture = nil
        notices.report(at: place, "the picture \(address.text) was not sent, and is left out; write an address that begins with https://")
      }
      if let address = bank.questions[index].value.media.sound?.address, isAbsent(address) {
        bank.questions[index].value.media.sound = nil
        notices.report(at: place, "the sound \(address.text) was not sent, and is left out; write an address that begins with https://")
      }
    }
    notices = notices.inOrder
  }

  /// The notices for the sender; `nil` if there are none.
  var noticeList: [JSONObject]? { notices.isEmpty ? nil : Self.list(notices) }

  private static func list(_ problems: [SheetProblem]) -> [JSONObject] {
    problems.prefix(mostNotices).map { JSONObject(fields: ["detail": "\($0)"]) }
  }
}

extension MediaAddress {
  /// Whether it names a file beside the quiz, and not one that the server has already.
  package var isBesideQuiz: Bool { isRelative && !text.hasPrefix(MediaFiles.folder) }
}

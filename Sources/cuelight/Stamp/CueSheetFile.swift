import Basics
import CommandSupport
import CueSheet
import EventSchedule
import Foundation
import GameEvents
import Questions
import Seals
import Sheets

/// Reads a cue sheet from a file.
struct CueSheetFile {
  let path: String

  /// Its name in messages.
  var name: String { path == "-" ? "standard input" : path }

  /// The cue sheet in the file.
  ///
  /// - Parameters:
  ///   - offset: How much later each cue happens than the sheet says.
  ///   - programmeDuration: Called only if the sheet has mistakes, so that events outside the programme are reported with them.
  /// - Throws: The cue sheet's mistakes, or why the file cannot be read.
  func read(
    _ policy: CopyPolicy, answers: CueSheet.AnswerMode, offset: MediaTime = .zero, programmeDuration: () -> MediaTime? = { nil },
    sign: EventSigner? = nil
  ) throws(CommandFailure) -> CueSheet {
    let bytes = try SmallFile(path: path).bytes()
    return try orFail(
      CueSheet.parse(
        bytes, policy: policy, answers: answers, offset: offset, programmeDuration: programmeDuration, sign: sign, readTag: readTag)
    ) { (error: SheetError) in CommandFailure(explained(error.problems, of: bytes).counted("line"), cues: name) }
  }

  /// The mistakes of a file. One that is no cue sheet at all is named for what it is instead.
  func explained(_ mistakes: [SheetProblem], of bytes: [UInt8]) -> [SheetProblem] {
    // A quiz file of ours is known as one already.
    guard !mistakes.isEmpty, !mistakes.contains(where: { $0.message.hasSuffix("with cuelight plan") }) else { return mistakes }
    if !QuizFile.read(bytes, format: BankFormat(path: path), checksSizes: false).bank.questions.isEmpty {
      return [SheetProblem(at: .start, "these are questions: make a cue sheet of them with cuelight plan")]
    }
    return QuizFile.otherKind(of: bytes).map { [$0.sheetProblem] } ?? mistakes
  }

  /// Reads ID3 tags from files that the sheet names relative to its folder.
  var readTag: TagFileReader {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    return { (name) throws(TagFileError) in
      let file = name.hasPrefix("/") ? name : folder + name
      do throws(CommandFailure) {
        return try SmallFile(path: file).bytes(limit: CopyPolicy.largestPESPayload)
      } catch { throw TagFileError(error.message ?? "\(file) cannot be read") }
    }
  }
}

extension CueSheet {
  /// Reports the warnings about the sheet on standard error, or refuses the sheet because of them.
  ///
  /// - Throws: The warnings, if `isStrict`.
  func tellWarnings(path: String, isStrict: Bool) throws(CommandFailure) {
    let lines = warnings.map { SheetProblem(at: $0.place, "warning: \($0.message)") }
    guard isStrict, !lines.isEmpty else {
      for line in lines.prefix(CommandFailure.mostProblems) { StandardError.write("\(path):\(line)") }
      if lines.count > CommandFailure.mostProblems {
        StandardError.write("\(path): \(lines.count - CommandFailure.mostProblems) more warnings; cuelight lint lists them")
      }
      return
    }
    throw CommandFailure(lines, cues: path)
  }
}

/// The source of the key that seals answers: a file, the environment, or random numbers.
struct SealKeySource {
  let path: String?
  /// Whether the same key makes the same seals in every run.
  let isReproducible: Bool

  private static let variable = "CUELIGHT_SEAL_KEY"

  /// The key for this run. Warns on standard error if a given key is not secret.
  func key() throws(CommandFailure) -> SealKey {
    let key: SealKey
    if let path {
      key = try SealKeyFile(path: path).key()
    } else if let text = ProcessInfo.processInfo.environment[Self.variable] {
      key = try SealKeyFile.key(Array(text.utf8), name: Self.variable)
    } else {
      guard !isReproducible else {
        throw CommandFailure("--reproducible takes a seal key: give --seal-key, or \(Self.variable)", status: CommandFailure.wrongUsage)
      }
      return .random()
    }
    return isReproducible ? key : key.forOneStamping()
  }
}

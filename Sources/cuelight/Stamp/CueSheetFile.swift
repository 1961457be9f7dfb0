import Basics
import CueSheet
import EventSchedule
import Files
import Foundation
import GameEvents
import Seals
import Sheets
import Terminal

/// Reads a cue sheet from a file.
struct CueSheetFile {
  let path: String

  /// - Parameter programmeDuration: Asked where the sheet has mistakes, so that events outside the programme are among them.
  /// - Throws: the cue sheet's mistakes, or why the file cannot be read.
  func read(
    _ policy: CopyPolicy, answers: CueSheet.AnswerMode, programmeDuration: () -> MediaTime? = { nil }, sign: EventSigner? = nil
  ) throws(CommandFailure) -> CueSheet {
    let bytes = try SmallFile(path: path).bytes()
    do throws(CueSheetError) {
      return try CueSheet.parse(bytes, policy: policy, answers: answers, programmeDuration: programmeDuration, sign: sign)
    } catch {
      throw CommandFailure(error.problems, cues: path)
    }
  }
}

/// Where the key that seals answers comes from: a file, the environment, or chance.
struct SealKeySource {
  let path: String?
  /// Whether the same key makes the same seals in every run.
  let isReproducible: Bool

  private static let variable = "CUELIGHT_SEAL_KEY"
  private static let largest = 4_096

  /// The key for this run. Says on standard error where a key that is given is no secret.
  func key() throws(CommandFailure) -> SealKey {
    let name: String
    let bytes: [UInt8]
    var isReadableByOthers = false
    if let path {
      name = path
      (bytes, isReadableByOthers) = try SmallFile(path: path).contents(limit: Self.largest)
    } else if let text = ProcessInfo.processInfo.environment[Self.variable] {
      (name, bytes) = (Self.variable, Array(text.utf8))
    } else {
      guard !isReproducible else {
        throw CommandFailure("--reproducible takes a seal key: give --seal-key, or \(Self.variable)", status: CommandFailure.wrongUsage)
      }
      return .random()
    }
    let key: SealKey
    do throws(SealKeyError) {
      key = try SealKey(fileContents: bytes)
    } catch {
      throw CommandFailure("\(name): \(error)", status: CommandFailure.invalidInput)
    }
    if isReadableByOthers { StandardError.write("\(name): others may read this seal key; keep it to yourself with chmod 600") }
    if key.isWeak {
      StandardError.write("\(name): this seal key is easy to guess; take 32 random bytes, such as those of openssl rand -hex 32")
    }
    return isReproducible ? key : key.forOneStamping()
  }
}

/// A file that is read whole.
struct SmallFile {
  let path: String

  /// The most bytes that are read.
  static let largest = 16 << 20

  /// - Throws: where the file cannot be read or has more bytes than `limit`.
  func bytes(limit: Int = largest) throws(CommandFailure) -> [UInt8] { try contents(limit: limit).bytes }

  /// The bytes, and whether others may read them too.
  ///
  /// - Throws: as ``bytes(limit:)``.
  func contents(limit: Int) throws(CommandFailure) -> (bytes: [UInt8], isReadableByOthers: Bool) {
    do throws(FileInputError) {
      var file = try FileInput(path: path) { Interruption.isRequested }
      var bytes: [UInt8] = []
      while try file.fill() {
        bytes.append(copying: file.bytes)
        guard bytes.count <= limit else { break }
      }
      guard bytes.count <= limit else {
        throw FileInputError.system(path: path, code: EFBIG)
      }
      return (bytes, file.isReadableByOthers)
    } catch {
      throw CommandFailure(error)
    }
  }
}

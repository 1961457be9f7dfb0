import Basics
import CueSheet
import EventSchedule
import Files
import Foundation
import Seals
import Sheets
import Terminal

/// Reads a cue sheet from a file.
struct CueSheetFile {
  let path: String

  /// - Parameter programmeDuration: Asked where the sheet has mistakes, so that events outside the programme are among them.
  /// - Throws: the cue sheet's mistakes, or why the file cannot be read.
  func read(
    _ policy: CopyPolicy, answers: CueSheet.AnswerMode, programmeDuration: () -> MediaTime? = { nil }
  ) throws(CommandFailure) -> CueSheet {
    let bytes = try SmallFile(path: path).bytes()
    do throws(CueSheetError) {
      return try CueSheet.parse(bytes, policy: policy, answers: answers, programmeDuration: programmeDuration)
    } catch {
      throw CommandFailure(error.problems, cues: path)
    }
  }
}

/// Where the key that seals answers comes from: a file, the environment, or chance.
struct SealKeySource {
  let path: String?

  func key() throws(CommandFailure) -> SealKey {
    let (name, bytes): (String, [UInt8])
    if let path {
      (name, bytes) = (path, try SmallFile(path: path).bytes(limit: 4_096))
    } else if let text = ProcessInfo.processInfo.environment["CUELIGHT_SEAL_KEY"] {
      (name, bytes) = ("CUELIGHT_SEAL_KEY", Array(text.utf8))
    } else {
      return .random()
    }
    do throws(SealKeyError) {
      return try SealKey(fileContents: bytes)
    } catch {
      throw CommandFailure("\(name): \(error)", status: CommandFailure.invalidInput)
    }
  }
}

/// A file that is read whole.
struct SmallFile {
  let path: String

  /// The most bytes that are read.
  static let largest = 16 << 20

  /// - Throws: where the file cannot be read or has more bytes than `limit`.
  func bytes(limit: Int = largest) throws(CommandFailure) -> [UInt8] {
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
      return bytes
    } catch {
      throw CommandFailure(error)
    }
  }
}

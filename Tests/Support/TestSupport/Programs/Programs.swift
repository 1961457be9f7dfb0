import Foundation
import Synchronization

/// Third-party programs that tests run, and folders for their files.
package enum Programs {
  /// Whether FFmpeg and its prober are there.
  package static let hasFFmpeg = run("ffmpeg", ["-version"]) != nil && run("ffprobe", ["-version"]) != nil

  /// Runs a program; gives what it writes to standard output, or `nil` where it fails or is not there.
  package static func run(_ name: String, _ arguments: [String]) -> String? {
    guard let process = try? ChildProcess(name, arguments, output: .pipe) else { return nil }
    let data = process.output?.readDataToEndOfFile() ?? Data()
    return process.wait() == 0 ? String(decoding: data, as: UTF8.self) : nil
  }

  /// Makes a file with FFmpeg; returns whether it could.
  @discardableResult
  package static func ffmpeg(_ arguments: [String]) -> Bool { run("ffmpeg", ["-nostdin", "-v", "error", "-y"] + arguments) != nil }

  private static let folders = Mutex<[String]>([])

  /// A new temporary folder, removed when the tests end.
  package static func makeFolder(_ name: String) -> String {
    let process = ProcessInfo.processInfo.processIdentifier
    let folder = FileManager.default.temporaryDirectory.appending(path: "cuelight-\(name)-\(process)").path
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    folders.withLock { folders in
      if folders.isEmpty { atexit { Programs.removeFolders() } }
      folders.append(folder)
    }
    return folder
  }

  private static func removeFolders() {
    for folder in folders.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: folder) }
  }
}

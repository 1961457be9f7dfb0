import Basics
import Foundation
import TestSupport
import Testing

/// A process of `cuelight-server`, which lies beside the tests. It ends with its owner.
final class LiveServerProcess {
  // A class, as the process is.
  private let process: ChildProcess
  /// The server's URL.
  let url: String

  /// Why a server is of no use.
  enum Failure: Error {
    /// It says no address; these are its messages.
    case noAddress(String)
  }

  static let executable = Command.executable.deletingLastPathComponent().appendingPathComponent("cuelight-server")

  /// Whether servers can be started: they are part of the package's trait `Server`, and their input is made by FFmpeg.
  static let isAvailable = Broadcast.isAvailable && FileManager.default.isExecutableFile(atPath: executable.path)

  /// Six seconds of video without events.
  static var input: String {
    Workshop.file("live.ts", "-f lavfi -i testsrc2=size=160x90:rate=25 -t 6 -c:v libx264 -g 25 -pix_fmt yuv420p -f mpegts")
  }

  /// Starts a server that plays the input again and again, and waits until it listens and its input is there.
  ///
  /// - Parameters:
  ///   - log: Where its messages go.
  init(_ arguments: String..., log: URL, input: String = LiveServerProcess.input) throws {
    try Data().write(to: log)
    process = try ChildProcess(
      Self.executable.path, ["live", input, "--loop", "--listen", "127.0.0.1:0", "--json"] + arguments, errors: .file(log.path))
    var listening: String?
    let end = ContinuousClock.now + .seconds(60)
    while listening == nil, process.isRunning, ContinuousClock.now < end {
      let lines = String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self).split(separator: "\n")
      listening = lines.lazy.compactMap { (try? JSONValue(parsing: String($0)))?.object?["listening"]?.string }.first
      if listening == nil { usleep(20_000) }
    }
    guard let listening else {
      throw Failure.noAddress(String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self))
    }
    url = listening
  }

  /// Ends it as an operator does; returns its exit status.
  func stop() -> Int32 {
    process.signal(SIGTERM)
    return process.wait()
  }

  /// Runs such a server that cannot begin.
  static func outcome(_ arguments: String...) throws -> Command.Outcome {
    try Command.run(executable, ["live", input, "--listen", "127.0.0.1:0"] + arguments)
  }
}

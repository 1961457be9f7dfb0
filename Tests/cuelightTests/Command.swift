import Foundation
import TestSupport
import Testing

/// Runs the command line as its users do: as a process.
struct Command {
  struct Outcome: Equatable {
    var status: Int32
    var output: String
    var errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// The executable lies beside the tests.
  static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("cuelight")

  /// Runs `cuelight` with these arguments.
  ///
  /// - Parameters:
  ///   - input: What comes on standard input.
  ///   - folder: Where it runs.
  static func cuelight(_ arguments: String..., input: Data = Data(), in folder: URL? = nil) throws -> Outcome {
    try run(executable, arguments, input: input, in: folder)
  }

  /// Runs a line of shell in which `cuelight` is the executable.
  static func shell(_ line: String, in folder: URL) throws -> Outcome {
    try run(URL(fileURLWithPath: "/bin/bash"), ["-c", "cuelight() { '\(executable.path)' \"$@\"; }\n\(line)"], in: folder)
  }

  static func run(_ executable: URL, _ arguments: [String], input: Data = Data(), in folder: URL? = nil) throws -> Outcome {
    // Files, not pipes: nothing can fill up, whatever the process prints.
    let files = try Scratch()
    try input.write(to: files["in"])
    for name in ["out", "err"] { try Data().write(to: files[name]) }
    let process = try ChildProcess(
      executable.path, arguments, input: .file(files["in"].path), output: .file(files["out"].path), errors: .file(files["err"].path),
      in: folder?.path)
    let status = process.wait()
    let text = try ["out", "err"].map { String(decoding: try Data(contentsOf: files[$0]), as: UTF8.self) }
    return Outcome(status: status, output: text[0], errors: text[1])
  }
}

/// A folder that goes away with its owner.
final class Scratch {
  // A class: the folder is removed when nobody uses it any more.
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("cuelight-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A folder with the broadcast's cue sheet, `cues.yaml`, and the broadcast stamped with it, `out.ts`.
  static func withStampedBroadcast() throws -> Scratch {
    let scratch = try Scratch()
    _ = try scratch.write(Broadcast.cues, to: "cues.yaml")
    try FileManager.default.copyItem(at: URL(filePath: Broadcast.stamped), to: scratch["out.ts"])
    return scratch
  }

  subscript(name: String) -> URL { folder.appendingPathComponent(name) }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted() }

  func write(_ text: String, to name: String, permissions: Int? = nil) throws -> String {
    try Data(text.utf8).write(to: self[name])
    if let permissions { try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: self[name].path) }
    return self[name].path
  }
}

/// A short broadcast, made and stamped once.
enum Broadcast {
  static let isAvailable = Programs.hasFFmpeg

  /// Six seconds of video with B-frames, and audio.
  static var path: String {
    Workshop.file(
      "broadcast.mp4",
      "-f lavfi -i testsrc2=size=160x90:rate=25 -f lavfi -i sine=sample_rate=48000 -t 6 -c:v libx264 -bf 2 -g 25 -pix_fmt yuv420p -c:a aac")
  }

  /// The broadcast, stamped with its cue sheet.
  static let stamped: String = {
    let (sheet, output) = (Workshop.path("broadcast.yaml"), Workshop.path("broadcast.ts"))
    _ = try? Workshop.write(Array(cues.utf8), to: sheet)
    _ = try? Command.cuelight("stamp", path, "--cues", sheet, "-o", output)
    return output
  }()

  static let cues = """
    game: test
    title: Test
    cues:
      - { at: 0.5, event: startGame }
      - { at: 1s, event: askQuestion, question: One or two?, answers: [One, Two], correct: Two, allottedTime: 2 }
      - { at: 00:04, event: showResults, counts: [1, 2] }
      - { at: 4.5, event: poll, options: [a, b], currentFor: 1 }
      - { at: 00:00:05.000, event: endGame, winners: [Ada] }
    """
}

import ArgumentParser
import CommandSupport
import Files
import Foundation
import Terminal

/// The command line.
struct Cuelight: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cuelight",
    abstract: "Game events inside video streams: stamp them in, read them out, play them back, prove them right.",
    discussion: """
      A show is planned from questions:
        cuelight plan quiz.yaml --fit show.mp4 -o show.yaml
      A producer stamps the events of a cue sheet onto a broadcast file:
        cuelight stamp show.mp4 --cues show.yaml -o show.ts
      An operator puts events into a stream that runs:
        cuelight live udp://0.0.0.0:9000
        cuelight post startGame --title "Friday Night"
      Anyone reads them back, and drives the game with them:
        cuelight replay show.ts
      or looks at the video with the game over it:
        cuelight preview show.ts

      Exit status: 0 done, 1 the check failed, 64 wrong usage, 65 input invalid,
      66 input missing, 69 a library is missing, 73 output cannot be created,
      74 input or output error, 130 interrupted.
      """,
    version: Version.number,
    subcommands: [
      Questions.self, Plan.self, Lint.self, Shift.self, Captions.self, Stamp.self, Extract.self, Strip.self, Repair.self, Live.self,
      Serve.self, Post.self, JournalCommand.self, Inspect.self, Replay.self, Play.self, Verify.self, Watch.self, Doctor.self, Preview.self,
      Schema.self, WebhookCommand.self,
    ])
}

@main
enum Main {
  static func main() {
    Interruption.install()
    do {
      try run()
    } catch {
      error.report(by: "cuelight")
      exit(error.status)
    }
  }

  private static func run() throws(CommandFailure) {
    do {
      let arguments = CommandLine.arguments.dropFirst()
      try ArgumentCheck.require(arguments, of: Cuelight.self)
      var command = try Cuelight.parseAsRoot()
      try ArgumentCheck.requireSingleOptions(arguments, of: type(of: command))
      try command.run()
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw try CommandFailure.parsing(error, of: Cuelight.self)
    }
  }
}

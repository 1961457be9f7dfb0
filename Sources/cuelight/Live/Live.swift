import ArgumentParser
import CommandSupport
import Files

struct Live: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "live",
    abstract: "Put events into a running stream.",
    discussion: """
      This is cuelight-server, a program of its own: who reads and stamps files needs no web server. Both take the same options; \
      cuelight live --help lists them.

      Example:
        cuelight live show.mp4 --loop
        cuelight live "udp://0.0.0.0:9000" -o www/index.m3u8 \\
          --journal show.journal --game friday
      """)

  @Argument(parsing: .captureForPassthrough, help: "The stream and the options of cuelight-server.")
  var arguments: [String] = []

  func run() throws { try ServerProgram.run(["live"] + arguments) }
}

struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Play a game over a stream: answers in over HTTP, results out in the video.",
    discussion: """
      This is cuelight-server, a program of its own. Both take the same options; cuelight serve --help lists them.

      Example:
        cuelight serve --data show --input show.mp4 --quiz quiz.yaml
      """)

  @Argument(parsing: .captureForPassthrough, help: "The options of cuelight-server serve.")
  var arguments: [String] = []

  func run() throws { try ServerProgram.run(["serve"] + arguments) }
}

struct Preview: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Look at a stamped stream in a browser: the video with the game over it, and all events on a timeline.",
    discussion: """
      This is cuelight-server, a program of its own. Both take the same options; cuelight preview --help lists them.

      Example:
        cuelight preview show.ts --web .build/web/cuelight-client \
          --player-library hls.mjs
      """)

  @Argument(parsing: .captureForPassthrough, help: "The stream and the options of cuelight-server preview.")
  var arguments: [String] = []

  func run() throws { try ServerProgram.run(["preview"] + arguments) }
}

/// The web server's program, which replaces this one.
private enum ServerProgram {
  static func run(_ arguments: [String]) throws {
    guard let path = OtherProgram.path(of: "cuelight-server") else {
      throw CommandFailure(
        "cuelight-server is missing: build it with swift build -c release --product cuelight-server", status: CommandFailure.libraryMissing)
    }
    let code = OtherProgram.replace(path, arguments)
    throw CommandFailure("\(path) cannot be started (error \(code))", status: CommandFailure.libraryMissing)
  }
}

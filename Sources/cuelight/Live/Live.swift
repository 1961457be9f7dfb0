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

  func run() throws {
    guard let path = OtherProgram.path(of: "cuelight-server") else {
      throw CommandFailure(
        "cuelight-server is missing: build it with swift build -c release --product cuelight-server", status: CommandFailure.libraryMissing)
    }
    let code = OtherProgram.replace(path, ["live"] + arguments)
    throw CommandFailure("\(path) cannot be started (error \(code))", status: CommandFailure.libraryMissing)
  }
}

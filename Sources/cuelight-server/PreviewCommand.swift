import ArgumentParser
import CommandSupport

/// The options of `cuelight preview`.
struct PreviewCommand: ParsableCommand, ListeningCommand {
  static let configuration = CommandConfiguration(
    commandName: "cuelight preview",
    abstract: "Look at a stamped stream in a browser: the video with the game over it, and all events on a timeline.",
    discussion: """
      The page is served to this machine only, unless --listen says otherwise. It plays the file as it lies on the disk, or the playlist, as \
      viewers see it; nothing is stamped, sent or kept.

      Example:
        cuelight preview show.ts --web .build/web/cuelight-client \\
          --player-library hls.mjs
        cuelight preview hls/index.m3u8 --web .build/web/cuelight-client
      """)

  @Argument(help: "The stream: MPEG-TS, fragmented MP4 or an HLS playlist; a path or a URL.")
  var input: String

  @Option(help: "The address and port of the web server; port 0 is any that is free.")
  var listen = "127.0.0.1:0"

  @OptionGroup var connection: ConnectionOptions

  @OptionGroup var pages: PageOptions

  @Flag(help: "Write the address as a line of JSON.")
  var json = false

  func validate() throws {
    try requirePlace()
    try require(input != "-", "The page plays the stream again and again, and standard input comes once: give a file or a URL.")
    guard !["udp", "srt"].contains(where: { input.hasPrefix("\($0)://") }) else {
      throw ValidationError("A preview takes a file or a playlist: of a running stream, the playlist of its cuelight live.")
    }
  }
}

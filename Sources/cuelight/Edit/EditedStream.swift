import ArgumentParser
import Basics
import CommandSupport
import PacketStamping
import Stamping
import StreamInput
import Terminal

/// A stream or a presentation that is edited, and its output. Reports go to standard output, unless the stream itself goes there.
struct EditedStream {
  let input: String
  let output: String
  /// Whether an existing output is replaced.
  let overwrites: Bool

  /// Checks the combination of input and output, and refuses a terminal, which the bytes of a stream would confuse.
  ///
  /// - Returns: Whether it is a presentation.
  static func validate(_ input: String, _ output: String) throws -> Bool {
    try requireFile(input)
    let isPresentation = input.hasSuffix(".m3u8")
    try require(
      isPresentation == output.hasSuffix(".m3u8"),
      "A presentation becomes a presentation: either both the input and the output end in .m3u8, or none.")
    try validate(output: output)
    return isPresentation
  }

  /// Refuses what is no file, and says how it becomes one.
  static func requireFile(_ input: String) throws {
    let name = input.lowercased().prefix { $0 != "?" && $0 != "#" }
    if StreamInput.isURL(input) {
      let isPresentation = name.hasSuffix(".m3u8") || name.hasSuffix(".mpd")
      let command = isPresentation ? "ffmpeg -i \(input.shellWord) -map 0 -c copy video.ts" : "curl -o video \(input.shellWord)"
      throw ValidationError("\(input) is an address, and this command reads files: load it first with \(command)")
    }
    try require(
      !name.hasSuffix(".mpd"),
      "\(input) is an MPD, and this command reads videos and HLS: name the .m3u8 that lists the same segments, or the video it was made of."
    )
  }

  /// Refuses a terminal.
  static func validate(output: String) throws {
    try require(output != "-" || !Terminal.isOutput, "Standard output is a terminal: let it be a pipe or a file, or give --output a name.")
  }

  /// Does the work. Nothing is reported if the stream goes to a pipe.
  func edit(_ options: PacketEditor.Options) throws(CommandFailure) -> PacketEditor.Report {
    try InputFiles([input]).requireOther([output])
    let progress = ProgressBar()
    defer { progress.clear() }
    do throws(StampingError) {
      guard !input.hasSuffix(".m3u8") else {
        var editor = PresentationEditor(input: input, output: output, options.edit)
        editor.overwrite = overwrites
        editor.isInterrupted = { Interruption.isRequested }
        editor.progress = { progress.show($0) }
        let input = input
        editor.notice = { StandardError.write("\(input): \($0)") }
        return try editor.edit()
      }
      var editor = StreamEditor(input: input, output: output, options)
      editor.overwrite = overwrites
      editor.isInterrupted = { Interruption.isRequested }
      if output != "-" { editor.progress = { progress.show($0) } }
      return try editor.edit()
    } catch {
      throw CommandFailure(error, input: input)
    }
  }

  /// Reports what was done.
  func write(_ report: PacketEditor.Report, _ text: (PacketEditor.Report) -> String) throws(CommandFailure) {
    try write(text(report))
    guard report.skippedBytes > 0 else { return }
    StandardError.write("\(input): \(report.skippedBytes.of("byte belongs", "bytes belong")) to no packet")
  }

  /// Writes what became of the output.
  func write(_ text: String) throws(CommandFailure) {
    if output == "-" {
      StandardError.write("standard output: \(text)")
    } else {
      try StandardOutput.write(["\(output): \(text)"])
    }
  }
}

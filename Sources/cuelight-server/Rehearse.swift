import ArgumentParser
import CommandSupport
import Files
import Foundation
import GameServer
import Questions

/// Runs a rehearsal: a game server in a temporary folder, with a picture of its own, and bots.
enum Rehearse {
  static func run(_ command: RehearseCommand) async throws(CommandFailure) {
    // Mistakes in the quiz are reported before anything begins.
    let bank = try Serve.bank(command.quiz, try QuizMedia(keptIn: nil) { _ in }, skipsMistakes: false) { _ in }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cuelight-rehearsal-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    do throws(FileSinkError) {
      FileMode.keepPrivate()
      try NewFolder.make(folder)
      var picture = try FileSink(path: "\(folder)/picture.ts", isPrivate: true)
      let bytes = Rehearsal.picture
      picture.write(bytes.span)
      try picture.commit()
    } catch {
      throw CommandFailure(error)
    }
    let title = String((Rehearsal.mark + (bank.title ?? PathParts(command.quiz).name)).unicodeScalars.prefix(60).map(Character.init))
    let words = [
      "--data", "\(folder)/data", "--input", "\(folder)/picture.ts", "--loop", "--quiz", command.quiz, "--hosted", "--title", title,
      "--time", command.time, "--listen", command.listen,
    ]
    var serve: ServeCommand
    do { serve = try ServeCommand.parse(words + (command.json ? ["--json"] : [])) } catch {
      throw try CommandFailure.parsing(error, of: ServeCommand.self)
    }
    (serve.host.pages, serve.host.connection) = (command.pages, command.connection)
    try await Serve.run(serve) { [bots = command.bots] games, game in await games.rehearse(bots: bots, in: game) }
  }
}

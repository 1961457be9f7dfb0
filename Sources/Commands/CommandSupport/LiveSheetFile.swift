package import LiveGame
import Sheets

extension LiveSheet {
  /// Reads a sheet of cues for a live stream from a file, and finds the mistakes that can be found without the running game.
  package init(file path: String) throws(CommandFailure) {
    let bytes = try SmallFile(path: path).bytes()
    do throws(SheetError) {
      self = try LiveSheet(try String(sheet: bytes, name: "the cue sheet"))
      try check()
    } catch {
      throw CommandFailure(error.problems, cues: path)
    }
  }
}

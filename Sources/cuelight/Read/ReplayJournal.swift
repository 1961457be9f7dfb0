import Files
import Basics
import GameState
import LibAV
import Verification

/// The transitions of a replay on their way into a journal, or compared with one.
struct ReplayJournal {
  private let path: String
  private let overwrites: Bool
  private var recorded: [UInt8]?
  private var expected: Journal?

  /// Records into a file, which must not exist unless it is to be replaced.
  init(recording path: String, overwrite: Bool) throws(CommandFailure) {
    self.path = path
    overwrites = overwrite
    recorded = []
    // Before anything is replayed it must be clear that the file can be made.
    _ = try FileSink.output(path, overwrite: overwrite)
  }

  /// Compares with a file.
  init(comparing path: String) throws(CommandFailure) {
    self.path = path
    overwrites = false
    let bytes = try SmallFile(path: path).bytes()
    do throws(Journal.ParsingError) {
      expected = try Journal(bytes)
    } catch {
      throw CommandFailure("\(path):\(error.line): no journal: \(error.reason)", status: CommandFailure.invalidInput)
    }
  }

  mutating func take(_ transition: Transition) throws(CommandFailure) {
    let line = transition.line
    recorded?.append(contentsOf: Array((line.text + "\n").utf8))
    expected?.take(line)
  }

  /// Writes the file, or says where the run differs.
  ///
  /// - Returns: Whether the run does not differ.
  mutating func finish() throws(CommandFailure) -> Bool {
    if let recorded {
      var sink = try FileSink.output(path, overwrite: overwrites)
      do throws(FileSinkError) {
        sink.write(recorded.span)
        try sink.commit()
      } catch {
        throw CommandFailure("\(error)", status: CommandFailure.ioError)
      }
    }
    expected?.finish()
    guard let expected, expected.differingLines > 0 else { return true }
    for difference in expected.differences { StandardError.write(TransitionPrinter.printable("\(path): \(difference)")) }
    let more = expected.differingLines - expected.differences.count
    if more > 0 { StandardError.write("\(path): \(more) more lines differ") }
    return false
  }
}

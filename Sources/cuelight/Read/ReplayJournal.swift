import Basics
import CommandSupport
import Files
import GameJSON
import StateMachine

/// Writes the transitions of a replay to a journal, or compares them with one.
struct ReplayJournal {
  private let path: String
  private var file: OutputFile?
  private var recorded: [UInt8] = []
  private var expected: Journal?

  /// Records into a file, which must not exist unless it may be replaced.
  init(recording path: String, overwrites: Bool) throws(CommandFailure) {
    self.path = path
    file = try OutputFile(path: path, overwrites: overwrites)
  }

  /// Compares with a file.
  init(comparing path: String) throws(CommandFailure) {
    self.path = path
    let bytes = try SmallFile(path: path).bytes()
    expected = try orFail(Journal(bytes)) { (error: Journal.ParsingError) in
      CommandFailure(invalid: "\(path):\(error.line): no journal: \(error.reason)")
    }
  }

  mutating func add(_ transition: GameTransition) {
    let line = transition.object
    if file != nil { recorded += (line.text + "\n").utf8 }
    expected?.compare(line)
  }

  /// Writes the file, or reports where the run differs.
  ///
  /// - Returns: Whether there is no difference.
  mutating func finish() throws(CommandFailure) -> Bool {
    try file?.write(recorded)
    expected?.finish()
    guard let expected, expected.differingLines > 0 else { return true }
    for difference in expected.differences { StandardError.write("\(path): \(difference)") }
    let more = expected.differingLines - expected.differences.count
    if more > 0 { StandardError.write("\(path): \(more) more lines differ") }
    return false
  }
}

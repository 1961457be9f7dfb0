import CommandSupport
import Files
import Verification

/// The file into which a command writes its report for continuous integration.
struct JUnitFile {
  private let output: OutputFile
  private let empty: JUnitReport

  /// The exit statuses for which nothing could be checked.
  private static let reported = [CommandFailure.invalidInput, CommandFailure.missingInput, CommandFailure.ioError]

  /// - Parameters:
  ///   - command: The command, for example `verify`.
  ///   - name: The name of the input.
  init(path: String, command: String, name: String, overwrites: Bool) throws(CommandFailure) {
    output = try OutputFile(path: path, overwrites: overwrites)
    empty = JUnitReport(command: command, name: name)
  }

  /// Writes a report.
  func write(_ report: JUnitReport) throws(CommandFailure) { try output.write(Array(report.xml.utf8)) }

  /// Writes that nothing could be checked, if that is the failure. Otherwise an old report without failures would stay.
  func write(_ failure: CommandFailure) {
    guard let message = failure.message, Self.reported.contains(failure.status) else { return }
    var report = empty
    report.error = .init(kind: "status \(failure.status)", message: message)
    // The failure itself decides the status.
    do throws(CommandFailure) { try write(report) } catch { if let message = error.message { StandardError.write(message) } }
  }
}

import Basics
import Foundation

/// What is said on standard output: lines for people, or one object for programs.
struct Console: Sendable {
  let isJSON: Bool

  /// Says how it goes, at once.
  func line(_ text: String) {
    if !isJSON { Self.write(text) }
  }

  func show(_ report: CrowdReport) {
    if isJSON {
      Self.write(report.object.text)
    } else {
      for line in report.lines { Self.write(line) }
    }
  }

  /// Says on standard error what went wrong.
  func complain(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data("cuelight-crowd: \(text)\n".utf8)) }

  /// The seconds of a duration with one decimal.
  static func tenths(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return "\(seconds).\(attoseconds / 100_000_000_000_000_000)"
  }

  static func seconds(_ duration: Duration) -> String { "\(tenths(duration)) s" }

  private static func write(_ text: String) {
    // Where nobody reads, the work goes on.
    try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
  }
}

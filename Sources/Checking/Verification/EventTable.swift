import Basics
import GameEvents

extension Verifier.Report {
  private static let columns = ["event", "at", "copies", "refreshes", "known after", "off", ""]

  /// The outcome of each event of the cue sheet, as an aligned table with headings.
  package var table: [String] { ([Self.columns] + results.map { $0.cells }).aligned(textColumns: [0, Self.columns.count - 1]) }
}

extension Verifier.EventResult {
  fileprivate var cells: [String] {
    let sequence = event.sequence.map { " \($0)" } ?? ""
    let isMissing = burst + refreshes == 0
    let verdict = differences.isEmpty ? "ok" : isMissing ? "missing" : differences.map { $0.kind }.firstOfEach.joined(separator: ", ")
    return [
      "\(event.type)\(sequence)", event.at?.clockText ?? "-", "\(burst)", "\(refreshes)", delay.map { "\($0.text(decimals: 3)) s" } ?? "-",
      isMissing ? "-" : "\(offset.text(decimals: 3)) s", verdict,
    ]
  }
}

extension [String] {
  /// The texts without repetitions.
  fileprivate var firstOfEach: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

import Basics
import GameEvents

extension Verifier.Report {
  private static let columns = ["event", "at", "copies", "refreshes", "known after", "off", ""]

  /// What became of each event of the cue sheet, as a table to read: a line each, below their headings.
  package var table: [String] {
    let rows = [Self.columns] + results.map { $0.cells }
    let widths = Self.columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.indices.map { column in
        let padding = String(repeating: " ", count: max(0, widths[column] - row[column].count))
        // Names are aligned to the left, numbers to the right.
        return column == 0 ? row[column] + padding : column == row.count - 1 ? row[column] : padding + row[column]
      }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
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

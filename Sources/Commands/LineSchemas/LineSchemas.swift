import Basics
import EmbeddedFiles

/// The JSON Schemas (2020-12) of the lines that `--json` prints. `scripts/make-schemas` makes them of the tables of a page of the documentation, and
/// a test compares the two.
package struct LineSchema: Equatable, Sendable {
  /// The command whose lines it describes, for example `questions lint`.
  package let command: String
  /// The schema of each of its lines, as JSON in one line.
  package let text: String

  /// All schemas, in the order of the page.
  package static let all: [LineSchema] = EmbeddedFiles.lineSchemas.split(separator: UInt8(ascii: "\n")).compactMap { line in
    let text = String(decoding: line, as: UTF8.self)
    guard let title = (try? JSONValue(parsing: text))?.object?["title"]?.string else { return nil }
    return LineSchema(command: String(title.dropFirst("cuelight ".count)), text: text)
  }
}

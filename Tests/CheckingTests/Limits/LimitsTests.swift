import Foundation
import Testing

/// The page `Limits.md` says what the sources say. They are compared as text, so that constants of all modules can stay private.
@Suite struct LimitsTests {
  private struct Row: Equatable {
    /// The types that the constant lies in, and its name.
    var path: [String]
    var value: Int
  }

  private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources").standardized
  private static let article = sources.appending(path: "Reading/CuelightReader/CuelightReader.docc/Limits.md")

  /// A file's text, and those of its lines that may give something a number.
  private struct File {
    var text: String
    var lines: [Substring]
  }

  private static func files() throws -> [File] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
    return try paths.map { path in
      let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
      return File(text: text, lines: text.split(separator: "\n").filter { $0.contains(" = ") })
    }
  }

  private static func rows() throws -> [Row] {
    let cells = try String(contentsOf: article, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }
      .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    let rows = cells.filter { $0.first != "what" && $0.first != "---" }
    #expect(rows.allSatisfy { $0.count == 4 && !$0[3].isEmpty }, "every row has four cells, the last with the reason")
    return try rows.map { row in
      let path = row[2].trimmingCharacters(in: ["`"]).split(separator: ".").map(String.init)
      return Row(path: path, value: try #require(number(row[1]), "\(row[1])"))
    }
  }

  /// The number of a cell such as `16 MiB`, `65,541 bytes`, `10 s` or `32`.
  private static func number(_ cell: String) -> Int? {
    let words = cell.split(separator: " ")
    let units = ["KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30]
    guard words.count <= 2, let value = words.first.flatMap({ Int($0.replacing(",", with: "")) }) else { return nil }
    return value * (words.dropFirst().first.flatMap { units[String($0)] } ?? 1)
  }

  /// The value of an expression as constants have them: integers, shifts, products, times.
  private static func value(_ expression: String) -> Int? {
    let text = expression.replacing("_", with: "")
    if let ticks = text.wholeMatch(of: #/MediaTime\(ticks: (\d+)\)/#) { return Int(ticks.1).map { $0 / 90_000 } }
    if let seconds = text.wholeMatch(of: #/(?:MediaTime\(seconds: |\.seconds\()(\d+)\)/#) { return Int(seconds.1) }
    if let shift = text.wholeMatch(of: #/(\d+) << (\d+)/#), let value = Int(shift.1), let places = Int(shift.2) { return value << places }
    if let product = text.wholeMatch(of: #/(\d+) \* (\d+)/#), let left = Int(product.1), let right = Int(product.2) { return left * right }
    return text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
  }

  /// The values that the sources give to a constant, a property or a parameter's default.
  private static func values(of path: [String], in files: [File]) throws -> Set<Int> {
    let name = try #require(path.last)
    let types = path.dropLast().flatMap { type in ["struct", "enum", "class", "extension"].map { "\($0) \(type)" } }
    let definition = try Regex(
      "\\b\(name)(?:: [A-Za-z0-9]+)? = ((?:[A-Za-z.]+\\([a-z]*:? ?)?(?:0x[0-9A-F_]+|[0-9_]+)\\)?(?: (?:<<|\\*) [0-9_]+)?)")
    let found = files.flatMap { file -> [Int] in
      let lines = file.lines.filter { $0.contains(name) }
      guard !lines.isEmpty, types.filter({ file.text.contains($0) }).count >= path.count - 1 else { return [] }
      return lines.flatMap { $0.matches(of: definition) }.compactMap { value(String($0.output[1].substring ?? "")) }
    }
    return Set(found)
  }

  @Test func everyRowSaysWhatTheSourcesSay() throws {
    let files = try Self.files()
    let rows = try Self.rows()
    #expect(rows.count > 80)
    for row in rows { #expect(try Self.values(of: row.path, in: files) == [row.value], "\(row.path.joined(separator: "."))") }
    #expect(Set(rows.map(\.path)).count == rows.count)
  }

  /// Constants with such names that limit nothing that comes from outside, or have a row under another one's name.
  private static let others: Set<String> = [
    // Numbers of calculations, of the command line's own arguments, and of libav's packets, which are our own.
    "mostPowers", "mostAttempts", "longestBurst", "mostRuns", "largestCopied", "largestByteCount", "longestWait", "largestStepBack",
    "largestReorderDepth",
    // Parts of what has a row: a group of packets of one section, a PES header, an `ftyp` that is passed over.
    "largestGroup", "largestBeginning", "largestBrands", "mostTagsInASecond",
    // From so many on another way is faster; names of HTML's own table.
    "largestChangeCount", "longestName", "longestShortName",
  ]

  @Test func everyLimitHasARow() throws {
    let names = Set(try Self.rows().compactMap(\.path.last))
    let lines = try Self.files().flatMap(\.lines).filter { $0.contains("static let ") }
    let constants = lines.compactMap { $0.firstMatch(of: #/static let ((?:most|largest|longest|deepest)\w*)\b/#).map { String($0.1) } }
    #expect(constants.count > 50)
    #expect(Set(constants).subtracting(names).subtracting(Self.others) == [])
  }
}

import Basics
public import Sheets

/// A list of markers that an editor wrote: a table (Premiere Pro, DaVinci Resolve and others), an edit decision list (CMX 3600), or labels of Audacity.
public enum MarkerList {
  /// A marker: when it is, as it was written, and what it is called.
  public struct Marker: Equatable, Sendable {
    /// The time: seconds, `mm:ss`, `hh:mm:ss` or a timecode, in drop frame with a semicolon.
    public var time: String
    /// The name, or empty.
    public var name: String

    /// A marker.
    public init(time: String, name: String) { (self.time, self.name) = (time, name) }
  }

  /// Reads a list in any of the formats, in UTF-8, UTF-16 or Windows-1252.
  ///
  /// - Throws: If it is none of them, or has no marker.
  public static func read(_ bytes: [UInt8]) throws(SheetError) -> [Marker] {
    let text = try String(sheet: TextEncoding(of: bytes).utf8(bytes).bytes, name: "the list of markers")
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { String($0) }
    let known = EditDecisionList.isLikely(lines) ? EditDecisionList.markers(lines) : labels(lines)
    let markers: [Marker] = if let known { known } else { try table(text) }
    guard !markers.isEmpty else { throw SheetError(at: .start, "there is no marker in this list; export one with markers") }
    return markers
  }

  /// Labels of Audacity: begin, end and name with tabs between them; `nil` if a line is none.
  private static func labels(_ lines: [String]) -> [Marker]? {
    var markers: [Marker] = []
    // Lines with a backslash have the frequencies of the label before them.
    for line in lines where !line.trimmed.isEmpty && line.utf8.first != UInt8(ascii: "\\") {
      let cells = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false).map { String($0).trimmed }
      guard cells.count > 1 else { return nil }
      let times = cells.prefix(2).map { $0.replacing(",", with: ".") }
      guard times.allSatisfy({ time in !time.isEmpty && time.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") } }) else {
        return nil
      }
      // Nine digits are finer than any frame.
      markers.append(Marker(time: String(times[0].prefix(20)), name: cells.count > 2 ? cells[2] : ""))
    }
    return markers
  }

  private static let timeNames = ["in", "record in", "start", "start time", "time", "timecode", "position", "marker in", "source in"]
  private static let nameNames = ["marker name", "name", "notes", "marker", "label", "title", "comments", "comment", "description", "text"]

  /// A table with the names of its columns in a row.
  private static func table(_ text: String) throws(SheetError) -> [Marker] {
    let tables = CSVDialect.separators.map { CSVText(text.unicodeScalars, separator: $0).rows }
    for rows in tables {
      for (index, row) in rows.prefix(20).enumerated() {
        let names = row.map { ColumnName.reduced($0.value) }
        guard row.count > 1, let time = timeNames.lazy.compactMap({ names.firstIndex(of: $0) }).first else { continue }
        let name = nameNames.compactMap { names.firstIndex(of: $0) }
        return rows[(index + 1)...].compactMap { cells in
          guard time < cells.count, !cells[time].value.trimmed.isEmpty else { return nil }
          let text = name.lazy.filter { $0 < cells.count }.map { cells[$0].value.trimmed }.first { !$0.isEmpty }
          return Marker(time: cells[time].value.trimmed, name: text ?? "")
        }
      }
    }
    throw SheetError(
      at: .start,
      "this is no list of markers; export them as CSV (Premiere Pro, DaVinci Resolve), as an EDL, or as labels (Audacity), "
        + "or write a table with the columns name and time")
  }
}

/// An edit decision list (CMX 3600), with markers as DaVinci Resolve, Avid and others write them.
enum EditDecisionList {
  /// Whether lines are those of an edit decision list: a title, or a line with four timecodes.
  static func isLikely(_ lines: [String]) -> Bool {
    lines.prefix(50).contains { $0.hasPrefix("TITLE:") || $0.hasPrefix("FCM:") || recordIn($0) != nil }
  }

  /// The markers: names of Resolve (`|M:`) and locators (`* LOC:`), or if there are none, each event with its comment.
  static func markers(_ lines: [String]) -> [MarkerList.Marker] {
    var isDrop = false
    var named: [MarkerList.Marker] = []
    var events: [MarkerList.Marker] = []
    for line in lines.map({ $0.trimmed }) {
      if line.hasPrefix("FCM:") {
        isDrop = line.contains("DROP") && !line.contains("NON")
      } else if let time = recordIn(line) {
        events.append(MarkerList.Marker(time: isDrop ? dropped(time) : time, name: ""))
      } else if let start = line.firstRange(of: "|M:"), let event = events.last {
        let rest = line[start.upperBound...]
        let end = rest.firstRange(of: "|D:")?.lowerBound ?? rest.endIndex
        named.append(MarkerList.Marker(time: event.time, name: String(rest[..<end]).trimmed))
      } else if line.hasPrefix("*"), let last = events.indices.last {
        comment(String(line.dropFirst()).trimmed, isDrop, &events[last], &named)
      }
    }
    return named.isEmpty ? events : named
  }

  /// Reads what follows the star of a comment: a locator is a marker, and anything else may name the event.
  private static func comment(
    _ text: String, _ isDrop: Bool, _ event: inout MarkerList.Marker, _ named: inout [MarkerList.Marker]
  ) {
    let parts = text.split(separator: ":", maxSplits: 1).map { String($0).trimmed }
    guard parts.count == 2 else { return }
    switch parts[0].uppercased() {
    case "LOC":
      // The timecode, the colour, the name.
      let words = parts[1].split(separator: " ", maxSplits: 2).map { String($0) }
      guard let time = words.first, isTimecode(time) else { return }
      named.append(MarkerList.Marker(time: isDrop ? dropped(time) : time, name: words.count > 2 ? words[2].trimmed : ""))
    case "COMMENT", "COMMENTS", "MARKER": event.name = parts[1]
    case "FROM CLIP NAME", "CLIP NAME": if event.name.isEmpty { event.name = parts[1] }
    default: break
    }
  }

  /// The third of four timecodes at the end of a line, which is where the event begins in the programme.
  private static func recordIn(_ line: String) -> String? {
    let words = line.split { $0 == " " || $0 == "\t" }.map { String($0) }
    guard words.count >= 7, words.suffix(4).allSatisfy({ isTimecode($0) }) else { return nil }
    return words[words.count - 2]
  }

  private static func isTimecode(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 11 && bytes.enumerated().allSatisfy { $0 % 3 == 2 ? ":;.".utf8.contains($1) : $1.isASCIIDigit }
  }

  /// A timecode in drop frame, with a semicolon before the frames.
  private static func dropped(_ time: String) -> String { "\(time.prefix(8));\(time.suffix(2))" }
}

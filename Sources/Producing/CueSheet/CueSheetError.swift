/// A place in a cue sheet's text.
public struct CuePlace: Hashable, Sendable {
  /// The line, from 1.
  public var line: Int
  /// The column, from 1, in Unicode code points.
  public var column: Int

  /// A place.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The beginning of the text.
  public static let start = CuePlace(line: 1, column: 1)
}

extension CuePlace: Comparable {
  /// Whether `left` comes first in the text.
  public static func < (left: CuePlace, right: CuePlace) -> Bool { (left.line, left.column) < (right.line, right.column) }
}

/// Why a text is no cue sheet: every mistake that was found, in the order of the text.
public struct CueSheetError: Error, Equatable, Sendable {
  /// The mistakes, at least one.
  public var problems: [Problem]

  /// An error with its mistakes, which are put into the order of the text.
  public init(_ problems: [Problem]) {
    // The position keeps the order of mistakes at one place.
    self.problems = problems.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }.map(\.element)
  }

  /// One mistake in a cue sheet.
  public struct Problem: Equatable, Sendable, CustomStringConvertible {
    /// Where it is.
    public var place: CuePlace
    /// What was found and what to do about it: one line without a full stop.
    public var message: String

    /// A mistake at a place.
    public init(at place: CuePlace, _ message: String) {
      self.place = place
      self.message = message
    }

    /// The line, from 1.
    public var line: Int { place.line }
    /// The column, from 1, in Unicode code points.
    public var column: Int { place.column }
    /// The place and the message, for example `4:7: unknown key "answer"; did you mean "answers"?`.
    public var description: String { "\(line):\(column): \(message)" }
  }
}

extension CueSheetError: CustomStringConvertible {
  /// The mistakes, one a line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// The mistakes found so far.
typealias Problems = [CueSheetError.Problem]

extension Problems {
  mutating func report(at place: CuePlace, _ message: String) { append(CueSheetError.Problem(at: place, message)) }
}

extension String {
  /// The text as a message shows it: in quotation marks, on one line and not too long.
  var quoted: String {
    let limit = 60
    var shown = ""
    for scalar in unicodeScalars.prefix(limit) {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value)
      if isControl { shown += "\\u{\(String(scalar.value, radix: 16))}" } else { shown.unicodeScalars.append(scalar) }
    }
    return "\"\(shown)\(unicodeScalars.count > limit ? "…" : "")\""
  }
}

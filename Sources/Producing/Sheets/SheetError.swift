import Basics

/// A place in a text.
public struct SheetPlace: Hashable, Sendable {
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
  public static let start = SheetPlace(line: 1, column: 1)
}

extension SheetPlace: Comparable {
  /// Whether `left` comes first in the text.
  public static func < (left: SheetPlace, right: SheetPlace) -> Bool { (left.line, left.column) < (right.line, right.column) }
}

/// One mistake in a text.
public struct SheetProblem: Equatable, Sendable, CustomStringConvertible {
  /// Where it is.
  public var place: SheetPlace
  /// What was found and what to do about it: one line without a full stop.
  public var message: String

  /// A mistake at a place.
  public init(at place: SheetPlace, _ message: String) {
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

/// Why a text is invalid: every mistake that was found, in the order of the text.
public struct SheetError: Error, Equatable, Sendable {
  /// The mistakes, at least one.
  public var problems: [SheetProblem]

  /// An error with its mistakes, which are put into the order of the text.
  public init(_ problems: [SheetProblem]) { self.problems = problems.inOrder }

  /// An error with one mistake.
  public init(at place: SheetPlace, _ message: String) { self.init([SheetProblem(at: place, message)]) }
}

extension SheetError: CustomStringConvertible {
  /// The mistakes, one a line.
  public var description: String { problems.map { $0.description }.joined(separator: "\n") }
}

extension [SheetProblem] {
  /// Adds a mistake.
  package mutating func report(at place: SheetPlace, _ message: String) { append(SheetProblem(at: place, message)) }

  /// Adds a mistake in a value, and returns no value.
  package mutating func refuse<Value>(at place: SheetPlace, _ message: String) -> Value? {
    report(at: place, message)
    return nil
  }

  /// The mistakes in the order of the text, those of one place in the order in which they were found.
  package var inOrder: [SheetProblem] {
    enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }.map { $0.element }
  }
}

extension String {
  /// The text as a message shows it: in quotation marks, on one line and not too long.
  package var quoted: String {
    let limit = 60
    var shown = ""
    for scalar in unicodeScalars.prefix(limit) {
      let isNamed = HiddenCharacters.isUnprintable(scalar.value)
      if isNamed { shown += "\\u{\(String(scalar.value, radix: 16))}" } else { shown.unicodeScalars.append(scalar) }
    }
    return "\"\(shown)\(unicodeScalars.count > limit ? "…" : "")\""
  }
}

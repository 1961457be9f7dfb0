public import Basics

/// The recorded transitions of a game, one JSON object a line. Later runs are compared with them.
public struct Journal: Sendable {
  /// A difference between a run and its journal.
  public struct Difference: Equatable, Sendable {
    /// The journal's line, from 1.
    public var line: Int
    /// Which value differs, for example `state.question.number`; empty if a whole line is missing or added.
    public var path: String
    /// The run's value; `nil` if it has none.
    public var found: JSONValue?
    /// The journal's value; `nil` if it has none.
    public var expected: JSONValue?
  }

  /// Why a journal cannot be read.
  public struct ParsingError: Error, Equatable, Sendable {
    /// The line, from 1.
    public var line: Int
    /// Why it is no JSON object.
    public var reason: String
  }

  private let expected: [JSONObject]
  private var lineCount = 0
  /// The first differences, in the order of the lines.
  public private(set) var differences: [Difference] = []
  /// How many lines differ in all.
  public private(set) var differingLines = 0

  /// The maximum number of differences that are kept.
  public static let mostDifferences = 10

  /// Reads a journal.
  ///
  /// - Throws: ``ParsingError`` with the first line that is no JSON object.
  public init(_ text: [UInt8]) throws(ParsingError) {
    var lines: [JSONObject] = []
    for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() where !line.isEmpty {
      do throws(ParseError) {
        guard let object = try JSONValue(parsing: String(decoding: line, as: UTF8.self)).object else {
          throw ParseError(.invalid("no JSON object"), at: 0)
        }
        lines.append(object)
      } catch {
        throw ParsingError(line: index + 1, reason: "\(error)")
      }
    }
    expected = lines
  }

  /// Compares the run's next line.
  public mutating func compare(_ line: JSONObject) {
    let index = lineCount
    lineCount += 1
    guard index < expected.count else {
      return record(Difference(line: index + 1, path: "", found: .object(line), expected: nil))
    }
    if let difference = Self.difference(line, expected[index], line: index + 1, path: "") { record(difference) }
  }

  /// Ends the run. Lines that it lacks are differences, too.
  public mutating func finish() {
    for index in min(lineCount, expected.count)..<expected.count {
      record(Difference(line: index + 1, path: "", found: nil, expected: .object(expected[index])))
    }
  }

  private mutating func record(_ difference: Difference) {
    differingLines += 1
    if differences.count < Self.mostDifferences { differences.append(difference) }
  }

  /// The first value in which two objects differ.
  private static func difference(_ found: JSONObject, _ expected: JSONObject, line: Int, path: String) -> Difference? {
    for member in expected.members {
      let place = path.isEmpty ? member.key : "\(path).\(member.key)"
      guard let value = found[member.key] else { return Difference(line: line, path: place, found: nil, expected: member.value) }
      if let difference = difference(value, member.value, line: line, path: place) { return difference }
    }
    for member in found.members where expected[member.key] == nil {
      return Difference(line: line, path: path.isEmpty ? member.key : "\(path).\(member.key)", found: member.value, expected: nil)
    }
    return nil
  }

  private static func difference(_ found: JSONValue, _ expected: JSONValue, line: Int, path: String) -> Difference? {
    if case .object(let found) = found, case .object(let expected) = expected {
      return difference(found, expected, line: line, path: path)
    }
    return found == expected ? nil : Difference(line: line, path: path, found: found, expected: expected)
  }
}

extension Journal.Difference: CustomStringConvertible {
  /// The difference in words, for example `line 3: state.phase is "asking" instead of "results"`.
  public var description: String {
    switch (found, expected) {
    case (let found?, nil) where path.isEmpty: "line \(line): is \(found.text), and the journal has ended"
    case (nil, let expected?) where path.isEmpty: "line \(line): is missing: \(expected.text)"
    default: "line \(line): \(path) is \(found?.text ?? "missing") instead of \(expected?.text ?? "missing")"
    }
  }
}

extension Journal.ParsingError: CustomStringConvertible {
  /// The line and the reason in words.
  public var description: String { "line \(line): \(reason)" }
}

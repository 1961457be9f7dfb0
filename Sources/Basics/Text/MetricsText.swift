/// Numbers in the text format of Prometheus (version 0.0.4).
package struct MetricsText: Sendable {
  /// How a number behaves.
  package enum Kind: String, Sendable {
    /// It only grows, until the process ends.
    case counter
    /// It goes up and down.
    case gauge
  }

  /// The prefix of all names.
  private let prefix: String
  /// The text so far.
  package private(set) var text = ""

  /// No numbers.
  package init(prefix: String = "cuelight_") { self.prefix = prefix }

  /// Adds a number.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) { add(name, kind, help, orUnknown: "\(value)") }

  /// Adds a number that is already text; `nil` if it is not known.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, orUnknown value: String?) {
    begin(name, kind.rawValue, help)
    text += "\(prefix)\(name) \(value ?? "NaN")\n"
  }

  /// Adds a truth value, as 1 or 0.
  package mutating func add(_ name: String, _ help: String, isTrue: Bool) { add(name, .gauge, help, isTrue ? 1 : 0) }

  /// Adds a number for each value of a label; nothing if there is none.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [(of: String, value: String)]) {
    guard !values.isEmpty else { return }
    begin(name, kind.rawValue, help)
    for (of, value) in values { text += "\(prefix)\(name){\(label)=\"\(Self.escaped(of))\"} \(value)\n" }
  }

  /// Adds a histogram.
  ///
  /// - Parameters:
  ///   - buckets: The upper bound of each bucket, and how many values are not above it.
  ///   - count: The number of values.
  ///   - sum: Their sum, as text.
  package mutating func addHistogram(
    _ name: String, _ help: String, buckets: [(bound: String, count: Int)], count: Int, sum: String
  ) {
    begin(name, "histogram", help)
    for (bound, count) in buckets + [("+Inf", count)] { text += "\(prefix)\(name)_bucket{le=\"\(bound)\"} \(count)\n" }
    text += "\(prefix)\(name)_sum \(sum)\n\(prefix)\(name)_count \(count)\n"
  }

  private mutating func begin(_ name: String, _ kind: String, _ help: String) {
    text += "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(kind)\n"
  }

  /// The value of a label.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.append(character)
      }
    }
  }
}

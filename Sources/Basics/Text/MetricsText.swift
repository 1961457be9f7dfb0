/// Numbers in the text format of Prometheus (version 0.0.4).
package struct MetricsText: Sendable {
  /// How a number behaves.
  package enum Kind: String, Sendable {
    /// It only grows, until the process ends.
    case counter
    /// It goes up and down.
    case gauge
  }

  /// The numbers of one name. Prometheus wants them next to each other.
  private struct Family {
    var name: String
    var head: String
    var lines: String
  }

  /// The prefix of all names.
  private let prefix: String
  private var families: [Family] = []
  /// The labels of what is added next, such as the stream that it is about.
  package var labels: [(name: String, value: String)] = []

  /// No numbers.
  package init(prefix: String = "cuelight_") { self.prefix = prefix }

  /// The text so far.
  package var text: String { families.map { $0.head + $0.lines }.joined() }

  /// Adds a number.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) { add(name, kind, help, orUnknown: "\(value)") }

  /// Adds a number that is already text; `nil` if it is not known.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, orUnknown value: String?) {
    add(name, kind.rawValue, help, [line(name, [], value ?? "NaN")])
  }

  /// Adds a truth value, as 1 or 0.
  package mutating func add(_ name: String, _ help: String, isTrue: Bool) { add(name, .gauge, help, isTrue ? 1 : 0) }

  /// Adds a number for each value of a label; nothing if there is none.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [(of: String, value: String)]) {
    guard !values.isEmpty else { return }
    add(name, kind.rawValue, help, values.map { line(name, [(label, $0.of)], $0.value) })
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
    let lines = (buckets + [("+Inf", count)]).map { line("\(name)_bucket", [("le", $0.bound)], "\($0.count)") }
    add(name, "histogram", help, lines + [line("\(name)_sum", [], sum), line("\(name)_count", [], "\(count)")])
  }

  private mutating func add(_ name: String, _ kind: String, _ help: String, _ lines: [String]) {
    let text = lines.joined()
    if let known = families.firstIndex(where: { $0.name == name }) {
      families[known].lines += text
    } else {
      families.append(Family(name: name, head: "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(kind)\n", lines: text))
    }
  }

  private func line(_ name: String, _ further: [(name: String, value: String)], _ value: String) -> String {
    let texts = (labels + further).map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
    return "\(prefix)\(name)\(texts.isEmpty ? "" : "{\(texts.joined(separator: ","))}") \(value)\n"
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

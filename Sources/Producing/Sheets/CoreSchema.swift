package import Basics

// The meaning of an unquoted scalar where any JSON value is allowed: the core schema of YAML 1.2 (section 10.3.2).

extension SheetScalar {
  /// The scalar as JSON: unquoted integers, decimals, `true`, `false` and `null` are that, everything else is a string.
  var json: JSONValue {
    guard isPlain else { return .string(text) }
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .bool(true)
    case "false", "False", "FALSE": return .bool(false)
    default: return number.map { .number($0) } ?? .string(text)
    }
  }

  private var number: JSONNumber? {
    if let number = JSONNumber(text) { return number }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] where text.hasPrefix(prefix) {
      let digits = text.dropFirst(2)
      // Int would take a sign here.
      return digits.first?.isHexDigit == true ? Int(digits, radix: radix).map { JSONNumber($0) } : nil
    }
    return Self.jsonSpelling(of: text).flatMap { JSONNumber($0) }
  }

  /// `+1`, `010`, `.5` and `1.` the way JSON writes them: `1`, `10`, `0.5` and `1.0`. Other texts stay as they are.
  private static func jsonSpelling(of text: String) -> String? {
    var rest = text[...]
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest = rest.dropFirst() }
    let whole = rest.prefix { ("0"..."9").contains($0) }
    rest = rest.dropFirst(whole.count)
    var fraction: Substring?
    if rest.first == "." {
      fraction = rest.dropFirst().prefix { ("0"..."9").contains($0) }
      rest = rest.dropFirst(1 + (fraction?.count ?? 0))
    }
    guard !whole.isEmpty || fraction?.isEmpty == false else { return nil }
    let significant = whole.drop { $0 == "0" }
    let decimals = fraction.map { ".\($0.isEmpty ? "0" : $0)" } ?? ""
    return "\(isNegative ? "-" : "")\(significant.isEmpty ? "0" : significant)\(decimals)\(rest)"
  }
}

extension SheetNode {
  /// The node as JSON; lists and mappings with all that is in them.
  package func json(_ problems: inout [SheetProblem]) -> JSONValue {
    switch self {
    case .scalar(let scalar): return scalar.json
    case .list(let elements, let place):
      reportLength(elements.count, at: place, &problems)
      return .array(elements.prefix(SheetLimits.elements).map { $0.json(&problems) })
    case .mapping(let members, let place):
      reportLength(members.count, at: place, &problems)
      return .object(
        JSONObject(members.prefix(SheetLimits.elements).map { JSONObject.Member(key: $0.key, value: $0.value.json(&problems)) }))
    }
  }

  private func reportLength(_ count: Int, at place: SheetPlace, _ problems: inout [SheetProblem]) {
    guard count > SheetLimits.elements else { return }
    problems.report(at: place, "\(kind) of \(count) elements is above the limit of \(SheetLimits.elements); shorten it")
  }
}

import Basics

extension [SheetProblem] {
  /// The number of alike mistakes that are listed one by one. More are counted.
  private static var mostAlike: Int { 5 }

  /// The mistakes in their order, those that are alike counted at the place of the first one: `548 rows: … (first: row 12)`. Mistakes are alike if
  /// their messages differ only in numbers and in what they quote. Control characters in messages are named.
  ///
  /// - Parameter unit: What the first number of a place counts, such as `row`.
  package func counted(_ unit: String) -> [SheetProblem] {
    var counts: [String: Int] = [:]
    let kinds = map { Self.kind(of: $0.message) }
    for kind in kinds { counts[kind, default: 0] += 1 }
    var told: Set<String> = []
    var output: [SheetProblem] = []
    for (problem, kind) in zip(self, kinds) {
      let count = counts[kind] ?? 1
      var problem = problem
      problem.message = problem.message.withNamedControls
      guard count > Self.mostAlike else {
        output.append(problem)
        continue
      }
      guard told.insert(kind).inserted else { continue }
      problem.message = "\(count) \(unit)s: \(problem.message) (first: \(unit) \(problem.line))"
      output.append(problem)
    }
    return output
  }

  /// A message without what it quotes and without its numbers.
  private static func kind(of message: String) -> String {
    var kind: [UInt8] = []
    var (isQuoted, isNumber) = (false, false)
    for byte in message.utf8 {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard !isQuoted else { continue }
      if byte.isASCIIDigit, isNumber { continue }
      isNumber = byte.isASCIIDigit
      kind.append(isNumber ? UInt8(ascii: "0") : byte)
    }
    return String(decoding: kind, as: UTF8.self)
  }
}

extension String {
  /// The text with the code points of characters that cannot be printed in place of them.
  fileprivate var withNamedControls: String {
    guard unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) else { return self }
    var output = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
        output += "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars
      } else {
        output.append(scalar)
      }
    }
    return String(output)
  }
}

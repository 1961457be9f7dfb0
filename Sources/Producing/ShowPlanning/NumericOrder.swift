import Basics

/// Answers that are all numbers, years or the same measure, which players expect in their order.
enum NumericOrder {
  /// The indices of the answers from the smallest number to the largest; `nil` if not all are different numbers of the same measure.
  static func order(of answers: [String]) -> [Int]? {
    var numbers: [Number] = []
    for answer in answers {
      guard let number = Number(answer), number.hasSameMeasure(as: numbers.first ?? number) else { return nil }
      numbers.append(number)
    }
    let order = numbers.indices.sorted { (numbers[$0].value, $0) < (numbers[$1].value, $1) }
    let areDifferent = zip(order, order.dropFirst()).allSatisfy { numbers[$0].value < numbers[$1].value }
    return areDifferent ? order : nil
  }

  /// A number with the text before and after it, such as `$ 1,500`, `-3 °C` or `12 km`.
  private struct Number {
    var value: Double
    private var before: String
    private var behind: String

    /// The maximum length of a number, which is more than any answer needs.
    private static let longest = 60
    private static let currencies: Set<Unicode.Scalar> = ["$", "€", "£", "¥", "₩", "₹", "₽", "₺"]

    init?(_ text: String) {
      let scalars = Array(text.unicodeScalars.prefix(Self.longest + 1))
      guard scalars.count <= Self.longest, let first = scalars.firstIndex(where: { Self.isDigit($0) }) else { return nil }
      guard let last = scalars.lastIndex(where: { Self.isDigit($0) }) else { return nil }
      var sign = 1.0
      before = ""
      for scalar in scalars[..<first] {
        switch scalar {
        case "-", "\u{2212}": sign = -1
        case "+", " ", "\u{A0}", "\u{202F}": break
        case _ where Self.currencies.contains(scalar): before.unicodeScalars.append(scalar)
        default: return nil
        }
      }
      // Letters directly after a number are not a unit: 3D, 2nd.
      let rest = scalars[(last + 1)...]
      guard rest.first.map({ !$0.properties.isAlphabetic }) ?? true else { return nil }
      behind = String(String.UnicodeScalarView(rest)).filter { !$0.isWhitespace }
      guard let value = Self.value(Array(scalars[first...last])) else { return nil }
      self.value = sign * value
    }

    func hasSameMeasure(as other: Number) -> Bool { before.hasSameBytes(as: other.before) && behind.hasSameBytes(as: other.behind) }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { (0x30...0x39).contains(scalar.value) }

    /// The value of digits with separators. A separator that occurs once and is not followed by three digits is the decimal separator.
    private static func value(_ scalars: [Unicode.Scalar]) -> Double? {
      let separators: Set<Unicode.Scalar> = [",", ".", "'", "\u{2019}", " ", "\u{A0}", "\u{202F}"]
      let parts = scalars.split(omittingEmptySubsequences: false) { separators.contains($0) }
      guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { isDigit($0) } }), let tail = parts.last else { return nil }
      let signs = scalars.filter { separators.contains($0) }
      let hasDecimals = signs.last.map { sign in
        [",", "."].contains(sign) && (tail.count != 3 || parts[0].count > 3 || parts[0].elementsEqual(["0"]))
          && signs.count { $0 == sign } == 1
      }
      let groups = hasDecimals == true ? parts.dropLast() : parts[...]
      guard groups.count < 2 || groups[0].count <= 3 && groups.dropFirst().allSatisfy({ $0.count == 3 }) else { return nil }
      let whole = groups.joined().map { String($0) }.joined()
      return Double(hasDecimals == true ? "\(whole).\(tail.map { String($0) }.joined())" : whole)
    }
  }
}

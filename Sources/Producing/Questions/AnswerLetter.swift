import Basics

/// A line with an answer in Aiken's format: a letter, a sign after it, and the answer's text.
struct AnswerLetter {
  /// The letter, as a capital.
  let letter: UInt8
  let text: String
  /// Whether it is the letter that the next answer has.
  let isExpected: Bool
  /// Whether a star before the letter marks the right answer, as in lists of word processors.
  let isMarked: Bool
  /// Whether a space follows the letter and its sign.
  let hasSpace: Bool

  /// Reads `A. Mars`, `a) Mars`, `A: Mars`, `(a) Mars` or `*a) Mars`; without a space after the sign, the letter must be the expected one.
  init?(_ line: String, expected: UInt8) {
    var bytes = line.utf8[...]
    isMarked = bytes.first == UInt8(ascii: "*")
    if isMarked { bytes = bytes.dropFirst() }
    let hasBracket = bytes.first == UInt8(ascii: "(")
    if hasBracket { bytes = bytes.dropFirst() }
    guard let first = bytes.first, first.isASCIILetter, let sign = bytes.dropFirst().first else { return nil }
    letter = first & 0xDF
    isExpected = letter == expected
    guard sign == UInt8(ascii: ")") || !hasBracket && ".:".utf8.contains(sign) else { return nil }
    let rest = bytes.dropFirst(2)
    hasSpace = rest.first.map { $0 == 0x20 || $0 == 0x09 } ?? true
    // Initials such as U.S. and I. Newton, and marks such as Q: and M., are no letters of answers.
    guard hasSpace || isExpected && rest.dropFirst().first != UInt8(ascii: ".") else { return nil }
    guard isExpected || letter <= UInt8(ascii: "I") else { return nil }
    text = String(decoding: rest, as: UTF8.self).trimmed
  }

  /// Whether a line has a question and its answers: two letters with signs one after the other, the first one A.
  static func isInline(_ line: String) -> Bool {
    let bytes = Array(line.utf8)
    func place(of letter: UInt8, from start: Int) -> Int? {
      (start..<max(start, bytes.count - 1)).first { index in
        guard bytes[index] | 0x20 == letter, [UInt8(ascii: ")"), UInt8(ascii: ".")].contains(bytes[index + 1]) else { return false }
        guard index > 0 else { return false }
        return [0x20, 0x09, UInt8(ascii: "("), UInt8(ascii: "*")].contains(bytes[index - 1])
      }
    }
    guard let first = place(of: UInt8(ascii: "a"), from: 1) else { return false }
    guard let second = place(of: UInt8(ascii: "b"), from: first + 2) else { return false }
    // A question comes before the answers, or there are three of them.
    return first > 6 || place(of: UInt8(ascii: "c"), from: second + 2) != nil
  }

  /// The value of a line that names the right answer: `ANSWER: A`, `Answer : b`, `answer b`, `Antwort: C`.
  static func key(_ line: String, hasAnswers: Bool) -> String? {
    let start = line.utf8.prefix(40)
    let sign = start.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }
    if let sign {
      let name = ColumnName.reduced(String(line[..<sign]))
      guard name.utf8.count > 1, name == "ans" || [.answer, .correct].contains(ColumnName(name)) else { return nil }
      let value = String(line[line.utf8.index(after: sign)...]).trimmed
      // A line of a question may begin with the same word.
      return hasAnswers || index(value) != nil ? value : nil
    }
    let words = line.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "answer", index(String(words[1])) != nil else { return nil }
    return String(words[1])
  }

  /// The index of the answer that a letter names: `B`, `b)`, `(b)`, `B. Paris`.
  static func index(_ key: String) -> Int? {
    var bytes = key.utf8[...]
    if bytes.first == UInt8(ascii: "(") { bytes = bytes.dropFirst() }
    guard let first = bytes.first, first.isASCIILetter else { return nil }
    let rest = bytes.dropFirst()
    guard rest.isEmpty || ").:".utf8.contains(rest.first ?? 0) else { return nil }
    return Int((first & 0xDF) - UInt8(ascii: "A"))
  }
}

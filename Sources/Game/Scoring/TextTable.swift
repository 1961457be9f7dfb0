import Basics
import GameEvents

/// The different texts that were given as answers to one question, and their codes.
///
/// A code is made of the text alone, so that it does not depend on the order in which texts arrive, except where two texts would have the same one.
struct TextTable: Sendable {
  private struct Entry: Sendable {
    /// What counts as the same text.
    var key: String
    /// The spelling that is shown: a right one, or the first one in the order of bytes.
    var text: AnswerText
    var isRight = false
  }

  private var entries: [UInt32: Entry] = [:]
  /// The codes of spellings, so that most texts are found without their keys.
  private var spellings: [AnswerText: UInt32] = [:]
  private var right: [(text: AnswerText, letters: [Unicode.Scalar])] = []
  private var tolerance = 0

  /// The maximum number of different texts, apart from right ones. Further ones have one code: they count as other texts that are not right.
  static let mostTexts = 65_536
  /// The code of further texts.
  static let other = AnswerForm.textCodes.upperBound - 1
  /// Keys are compared up to this length: a character may stand for many letters.
  private static let longestKey = 256

  /// The code of a text, which is added if there is room.
  mutating func code(of text: AnswerText, _ comparison: TextComparison) -> UInt32 {
    if let code = spellings[text] { return code }
    let code = add(text, comparison, isReserved: false)
    if spellings.count < Self.mostTexts { spellings[text] = code }
    return code
  }

  /// Whether a code is that of a right text.
  func isRight(_ code: UInt32) -> Bool { entries[code]?.isRight ?? false }

  /// Whether a text is right.
  func isRight(_ text: AnswerText, _ comparison: TextComparison) -> Bool { isRight(key: Self.key(of: text, comparison)) }

  /// The text of a code; `nil` for further texts.
  func text(_ code: UInt32) -> AnswerText? { entries[code]?.text }

  /// Makes texts right: those that count as the same as one of them, or differ in at most `tolerance` letters.
  mutating func accept(_ texts: [AnswerText], tolerance: Int, _ comparison: TextComparison) {
    guard self.tolerance != tolerance || !right.lazy.map({ $0.text }).elementsEqual(texts) else { return }
    self.tolerance = tolerance
    right = texts.map { ($0, Self.letters(of: Self.key(of: $0, comparison))) }
    for (code, entry) in entries {
      let isRight = isRight(key: entry.key)
      if isRight != entry.isRight { entries[code]?.isRight = isRight }
    }
    for text in texts.reversed() {
      let code = add(text, comparison, isReserved: true)
      entries[code]?.text = text
    }
  }

  /// The texts that most players gave.
  ///
  /// - Parameter counts: How many players gave the text of each code.
  func counts(_ counts: [UInt32: Int], _ comparison: TextComparison) -> TextCounts {
    var others = 0
    var list: [TextCounts.Entry] = []
    for (code, count) in counts {
      if let entry = entries[code] {
        list.append(TextCounts.Entry(entry.text, count: count, isRight: entry.isRight))
      } else {
        others += count
      }
    }
    list.sort { $0.count != $1.count ? $0.count > $1.count : $0.text.text.hasSmallerBytes(than: $1.text.text) }
    var most: [TextCounts.Entry] = []
    for entry in list {
      if most.count < TextCounts.mostTexts, comparison.isShown(entry.text.text) { most.append(entry) } else { others += entry.count }
    }
    return TextCounts(most, others: others)
  }

  private mutating func add(_ text: AnswerText, _ comparison: TextComparison, isReserved: Bool) -> UInt32 {
    let key = Self.key(of: text, comparison)
    var code = AnswerForm.textCodes.lowerBound | UInt32(truncatingIfNeeded: key.bytesHash) & (AnswerForm.textCodes.lowerBound - 1)
    while let entry = entries[code] {
      if entry.key.hasSameBytes(as: key) {
        let isShownAlready = right.contains { $0.text == entry.text }
        if !isShownAlready, text.text.hasSmallerBytes(than: entry.text.text) { entries[code]?.text = text }
        return code
      }
      code = code + 1 < Self.other ? code + 1 : AnswerForm.textCodes.lowerBound
    }
    guard isReserved || entries.count < Self.mostTexts else { return Self.other }
    entries[code] = Entry(key: key, text: text, isRight: isRight(key: key))
    return code
  }

  /// The key of a text. A text that consists of signs alone has no letters: it is its own key.
  private static func key(of text: AnswerText, _ comparison: TextComparison) -> String {
    let key = comparison.key(text.text)
    return key.isEmpty ? text.text : key
  }

  private static func letters(of key: String) -> [Unicode.Scalar] { Array(key.unicodeScalars.prefix(longestKey)) }

  private func isRight(key: String) -> Bool {
    guard !right.isEmpty else { return false }
    let letters = Self.letters(of: key)
    return right.contains { $0.letters == letters || EditDistance.isAtMost(tolerance, letters, $0.letters) }
  }
}

/// How many letters must be added, removed or replaced to make one text from another (Levenshtein).
enum EditDistance {
  /// Whether the distance is at most a limit.
  static func isAtMost<Element: Equatable>(_ limit: Int, _ left: [Element], _ right: [Element]) -> Bool {
    guard limit > 0, abs(left.count - right.count) <= limit else { return left == right }
    // Only distances near the diagonal can be within the limit.
    let far = limit + 1
    var row = (0...right.count).map { min($0, far) }
    for (index, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = min(index + 1, far)
      let (first, last) = (max(1, index + 1 - limit), min(right.count, index + 1 + limit))
      if first > 1 { (diagonal, row[first - 1]) = (row[first - 1], far) }
      var least = row[first - 1]
      for column in first..<max(last + 1, first) {
        let above = column < index + 1 + limit ? row[column] : far
        let distance = min(diagonal + (letter == right[column - 1] ? 0 : 1), above + 1, row[column - 1] + 1, far)
        (diagonal, row[column]) = (row[column], distance)
        least = min(least, distance)
      }
      guard least <= limit else { return false }
    }
    return row[right.count] <= limit
  }
}

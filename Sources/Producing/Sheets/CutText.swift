/// Texts of YAML that are cut off at a comment: `Who was #1?` without quotation marks is the text `Who was`.
package enum CutText {
  /// Finds the places where a comment seems to be the rest of a text.
  ///
  /// An intended comment has a space after its `#`. After a question it must not end in a question mark, unless the question does.
  ///
  /// - Parameters:
  ///   - root: The tree of the text.
  ///   - keys: Keys whose values are not texts.
  package static func warnings(in root: SheetNode, of text: String, skipping keys: Set<String>) -> [SheetProblem] {
    guard text.utf8.contains(UInt8(ascii: "#")) else { return [] }
    var values: [Value] = []
    collect(root, key: "", skipping: keys, &values)
    // An alias has the place of the node that it names.
    values.sort { $0.scalar.place < $1.scalar.place }
    return warnings(after: values, of: text)
  }

  private struct Value {
    var scalar: SheetScalar
    var isQuestion: Bool
  }

  private static func collect(_ node: SheetNode, key: String, skipping keys: Set<String>, _ values: inout [Value]) {
    switch node {
    case .scalar(let scalar):
      // A comment after a number is always intended.
      guard scalar.isPlain, scalar.text.unicodeScalars.contains(where: { $0.properties.isAlphabetic }) else { return }
      values.append(Value(scalar: scalar, isQuestion: key == "question"))
    case .list(let elements, _): for element in elements { collect(element, key: key, skipping: keys, &values) }
    case .mapping(let members, _):
      for member in members where !keys.contains(member.key) { collect(member.value, key: member.key, skipping: keys, &values) }
    }
  }

  /// Scans the text once: finds each value, skips its characters, and reads the comment after it.
  private static func warnings(after values: [Value], of text: String) -> [SheetProblem] {
    var warnings: [SheetProblem] = []
    var counter = PlaceCounter()
    var next = values.startIndex
    var current: Value?
    var expected = String.UnicodeScalarView().makeIterator()
    var awaited: Unicode.Scalar?
    var hasBlank = false
    // An anchor or a tag precedes the text.
    var isProperty = false
    var comment: (place: SheetPlace, text: String.UnicodeScalarView)?
    func finish() {
      guard let value = current, let found = comment, let warning = warning(found.place, String(found.text), after: value) else { return }
      warnings.append(warning)
    }
    for scalar in text.unicodeScalars {
      let place = counter.place
      counter.advance(past: scalar)
      if comment != nil {
        guard isBreak(scalar) else {
          if comment?.text.count ?? 0 < longestShown { comment?.text.append(scalar) }
          continue
        }
        finish()
        (current, comment) = (nil, nil)
      }
      while next < values.endIndex, values[next].scalar.place < place { next += 1 }
      if current == nil, next < values.endIndex, values[next].scalar.place == place {
        current = values[next]
        expected = values[next].scalar.text.unicodeScalars.makeIterator()
        awaited = nextInk(&expected)
        hasBlank = false
        isProperty = scalar == "&" || scalar == "!"
      }
      guard current != nil else { continue }
      let isBlank = scalar == " " || scalar == "\t"
      if let wanted = awaited {
        if isBlank || isBreak(scalar) {
          isProperty = false
          continue
        }
        if isProperty { continue }
        if scalar == wanted { awaited = nextInk(&expected) } else { current = nil }
      } else if isBlank {
        hasBlank = true
      } else if scalar == "#", hasBlank {
        comment = (place, String.UnicodeScalarView())
      } else {
        current = nil
      }
    }
    finish()
    return warnings
  }

  private static let longestShown = 200

  private static func isBreak(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\r" }

  /// Returns the next character of a text that is not blank. Blanks are skipped, because a text of several lines has other blanks than its source.
  private static func nextInk(_ iterator: inout String.UnicodeScalarView.Iterator) -> Unicode.Scalar? {
    while let scalar = iterator.next() {
      if scalar != " ", scalar != "\t", !isBreak(scalar) { return scalar }
    }
    return nil
  }

  private static func warning(_ place: SheetPlace, _ comment: String, after value: Value) -> SheetProblem? {
    guard let first = comment.unicodeScalars.first else { return nil }
    let words = comment.split(separator: " ").joined(separator: " ")
    let isGlued = first != " " && first != "\t" && first != "#" && first != "!"
    let isRest = value.isQuestion && words.hasSuffix("?") && ![".", "!", "?"].contains(value.scalar.text.suffix(1))
    guard isGlued || isRest else { return nil }
    return SheetProblem(
      at: place,
      "the text ends before this sign, so that it is \(value.scalar.text.quoted): after a blank, # begins a comment; write the text in quotation marks"
    )
  }
}

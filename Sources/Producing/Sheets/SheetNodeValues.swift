extension SheetScalar {
  /// Reports what is wrong with the value of a key, in words that follow the value, and returns no value.
  package func refuse<Value>(_ key: String, _ fault: String, _ problems: inout [SheetProblem]) -> Value? {
    return problems.refuse(at: place, "\(key.quoted) is \(text.quoted)\(fault)")
  }
}

// These read the value that a key expects from a node. If the node is something else, a problem is reported and the value is `nil`.

extension SheetNode {
  /// A text, as it was written and not empty.
  package func text(_ key: String, _ problems: inout [SheetProblem]) -> String? {
    guard let scalar = scalar(key, "a single text", &problems) else { return nil }
    guard !scalar.text.isEmpty else {
      return problems.refuse(at: scalar.place, "\(key.quoted) is empty; write a text or leave the key out")
    }
    return scalar.text
  }

  /// An integer within a range.
  package func integer(_ key: String, in range: ClosedRange<Int>, _ problems: inout [SheetProblem]) -> Int? {
    let expected =
      range.upperBound == Int.max ? "an integer from \(range.lowerBound)" : "an integer from \(range.lowerBound) to \(range.upperBound)"
    return integer(key, in: range, expected: range.lowerBound == Int.min ? "an integer" : expected, &problems)
  }

  private func integer(_ key: String, in range: ClosedRange<Int>, expected: String, _ problems: inout [SheetProblem]) -> Int? {
    guard let scalar = scalar(key, expected, &problems) else { return nil }
    return Int(scalar.text).flatMap { range.contains($0) ? $0 : nil } ?? scalar.refuse(key, "; write \(expected)", &problems)
  }

  /// A list, whose elements `read` converts.
  package func list<Value>(
    _ key: String, _ problems: inout [SheetProblem], _ read: (SheetNode, inout [SheetProblem]) -> Value?
  ) -> [Value]? {
    guard case .list(let elements, _) = self else {
      return problems.refuse(at: place, "\(key.quoted) is \(kind) where a list is expected; write \(key): [A, B]")
    }
    let values = elements.compactMap { read($0, &problems) }
    return values.count == elements.count ? values : nil
  }

  /// The keys of a mapping, which `name` names in messages; for anything else, `message` is reported.
  package func fields(_ name: String, _ problems: inout [SheetProblem], else message: String) -> SheetFields? {
    if case .mapping(let members, let place) = self { return SheetFields(members, at: place, name: name) }
    return problems.refuse(at: place, message)
  }

  /// A single value; `expected` says what it should be.
  package func scalar(_ key: String, _ expected: String, _ problems: inout [SheetProblem]) -> SheetScalar? {
    if case .scalar(let scalar) = self { return scalar }
    return problems.refuse(at: place, "\(key.quoted) is \(kind); write \(expected)")
  }
}

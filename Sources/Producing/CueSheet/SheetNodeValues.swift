import MediaTime

// What a key expects, taken out of a node. Where the node is something else, a problem is reported and the value is `nil`.

extension SheetNode {
  /// A text, as it was written and not empty.
  func text(_ key: String, _ problems: inout Problems) -> String? {
    guard let scalar = scalar(key, "a single text", &problems) else { return nil }
    guard !scalar.text.isEmpty else {
      problems.report(at: scalar.place, "\(key.quoted) is empty; write a text or leave the key out")
      return nil
    }
    return scalar.text
  }

  /// An integer within a range.
  func integer(_ key: String, in range: ClosedRange<Int>, _ problems: inout Problems) -> Int? {
    let expected =
      range.upperBound == Int.max ? "an integer from \(range.lowerBound)" : "an integer from \(range.lowerBound) to \(range.upperBound)"
    return integer(key, in: range, expected: range.lowerBound == Int.min ? "an integer" : expected, &problems)
  }

  private func integer(_ key: String, in range: ClosedRange<Int>, expected: String, _ problems: inout Problems) -> Int? {
    guard let scalar = scalar(key, expected, &problems) else { return nil }
    guard let value = Int(scalar.text), range.contains(value) else {
      problems.report(at: scalar.place, "\(key.quoted) is \(scalar.text.quoted); write \(expected)")
      return nil
    }
    return value
  }

  /// A time or a duration from 0.
  func time(_ key: String, _ problems: inout Problems) -> MediaTime? {
    guard let scalar = scalar(key, "a time", &problems) else { return nil }
    do throws(CueTimeError) {
      return try MediaTime(cueTime: scalar.text)
    } catch {
      let fault =
        switch error {
        case .negative: "is below zero; write a time from 0 on"
        case .notATime: "is no time; write seconds (12.5), mm:ss or hh:mm:ss.mmm"
        }
      problems.report(at: scalar.place, "\(key.quoted) is \(scalar.text.quoted), which \(fault)")
      return nil
    }
  }

  /// A duration above 0.
  func duration(_ key: String, _ problems: inout Problems) -> MediaTime? {
    guard let duration = time(key, &problems) else { return nil }
    guard duration > .zero else {
      problems.report(at: place, "\(key.quoted) is no time at all; write a duration above 0")
      return nil
    }
    return duration
  }

  /// A list, each element of which `read` takes.
  func list<Value>(
    _ key: String, _ problems: inout Problems, _ read: (SheetNode, inout Problems) -> Value?
  ) -> [Value]? {
    guard case .list(let elements, _) = self else {
      problems.report(at: place, "\(key.quoted) is \(kind) where a list is expected; write \(key): [A, B]")
      return nil
    }
    let values = elements.compactMap { read($0, &problems) }
    return values.count == elements.count ? values : nil
  }

  private func scalar(_ key: String, _ expected: String, _ problems: inout Problems) -> SheetScalar? {
    if case .scalar(let scalar) = self { return scalar }
    problems.report(at: place, "\(key.quoted) is \(kind); write \(expected)")
    return nil
  }
}

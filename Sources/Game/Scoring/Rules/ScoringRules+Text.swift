import Basics

// The rules as they are named on a command line: `right`, `speed:1000:500+streak:50`, `elimination:2`.

extension ScoringRules: CustomStringConvertible {
  /// Reads rules, joined with `+`.
  ///
  /// | text | rule |
  /// | --- | --- |
  /// | `right[:POINTS]` | ``RightAnswerRule`` |
  /// | `first[:POINTS]` | ``FirstAnswerRule`` |
  /// | `points` | ``PointsPerAnswerRule`` |
  /// | `speed:MOST[:LEAST[:exact]]` | ``SpeedRule``; with `exact` fractions of seconds count |
  /// | `streak:POINTS[:LENGTH]` | ``StreakRule`` |
  /// | `elimination[:CHANCES[:answered]]` | ``EliminationRule``; with `answered` missed questions are forgiven |
  ///
  /// - Throws: ``ScoringRulesError`` for the first part that is not a rule.
  public init(parsing text: String) throws(ScoringRulesError) {
    self.init()
    for part in text.utf8.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false) {
      try add(String(decoding: part, as: UTF8.self))
    }
  }

  private enum Rule: String, CaseIterable {
    case right, first, points, speed, streak, elimination
  }

  private mutating func add(_ text: String) throws(ScoringRulesError) {
    var fields = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    let name = fields.removeFirst()
    guard let rule = Rule.allCases.first(where: { $0.rawValue.hasSameBytes(as: name) }) else { throw .unknown(text) }
    let (isRepeated, most): (Bool, Int)
    switch rule {
    case .right:
      (isRepeated, most) = (right != nil, 1)
      right = RightAnswerRule(points: try Self.number(fields, 0, in: text) ?? 1)
    case .first:
      (isRepeated, most) = (first != nil, 1)
      first = FirstAnswerRule(points: try Self.number(fields, 0, in: text) ?? 1)
    case .points:
      (isRepeated, most) = (points != nil, 0)
      points = PointsPerAnswerRule()
    case .speed:
      (isRepeated, most) = (speed != nil, 3)
      guard let most = try Self.number(fields, 0, in: text) else { throw .missingNumber(text) }
      let least = try Self.number(fields, 1, in: text) ?? 0
      guard least <= most else { throw .wrongNumber(text) }
      guard fields.count < 3 || fields[2].hasSameBytes(as: "exact") else { throw .unknown(text) }
      speed = SpeedRule(most: most, least: least, isExact: fields.count > 2)
    case .streak:
      (isRepeated, most) = (streak != nil, 2)
      guard let points = try Self.number(fields, 0, in: text) else { throw .missingNumber(text) }
      let length = try Self.number(fields, 1, in: text) ?? 2
      guard length > 0 else { throw .wrongNumber(text) }
      streak = StreakRule(points: points, length: length)
    case .elimination:
      (isRepeated, most) = (elimination != nil, 2)
      let forgivesMissed = fields.count > 1
      guard !forgivesMissed || fields[1].hasSameBytes(as: "answered") else { throw .unknown(text) }
      elimination = EliminationRule(secondChances: try Self.number(fields, 0, in: text) ?? 0, countsMissed: !forgivesMissed)
    }
    guard fields.count <= most else { throw .unknown(text) }
    guard !isRepeated else { throw .repeated(name) }
  }

  /// The number at a place; `nil` if there is none.
  private static func number(_ fields: [String], _ index: Int, in text: String) throws(ScoringRulesError) -> Int? {
    guard index < fields.count else { return nil }
    let isDecimal = fields[index].utf8.allSatisfy { $0.isASCIIDigit }
    guard isDecimal, let number = Int(fields[index]), number <= SpeedRule.largestPoints else { throw .wrongNumber(text) }
    return number
  }

  /// The rules as text that can be read again.
  public var description: String {
    var parts: [String] = []
    if let right { parts.append(right.points == 1 ? "right" : "right:\(right.points)") }
    if let first { parts.append(first.points == 1 ? "first" : "first:\(first.points)") }
    if points != nil { parts.append("points") }
    if let speed {
      parts.append(
        speed.isExact
          ? "speed:\(speed.most):\(speed.least):exact" : speed.least == 0 ? "speed:\(speed.most)" : "speed:\(speed.most):\(speed.least)")
    }
    if let streak { parts.append("streak:\(streak.points)\(streak.length == 2 ? "" : ":\(streak.length)")") }
    if let elimination {
      let chances = elimination.secondChances
      parts.append(
        !elimination.countsMissed ? "elimination:\(chances):answered" : chances == 0 ? "elimination" : "elimination:\(chances)")
    }
    var text = parts.first ?? "right"
    for part in parts.dropFirst() { text += "+" + part }
    return text
  }
}

/// Why a text does not name rules.
public enum ScoringRulesError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is no such rule.
  case unknown(String)
  /// A rule lacks its number of points.
  case missingNumber(String)
  /// A field is not a number, is out of range, or does not fit the rule's other number.
  case wrongNumber(String)
  /// A rule occurs twice.
  case repeated(String)

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .unknown(let text):
      "\"\(text)\" is no rule; write right, first, points, speed:MOST[:LEAST[:exact]], streak:POINTS[:LENGTH] or elimination[:CHANCES[:answered]]"
    case .missingNumber(let text): "\"\(text)\" lacks its points; write for example \(text):100"
    case .wrongNumber(let text):
      "\"\(text)\" has a number that does not fit; write whole numbers from 0 to \(SpeedRule.largestPoints), the larger one first"
    case .repeated(let name): "\(name) occurs twice; write it once"
    }
  }
}

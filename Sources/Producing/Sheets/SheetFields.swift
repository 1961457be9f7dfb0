import Basics

/// Takes the keys of a mapping one by one, reports what is wrong with them, and in the end those that nobody has taken.
public struct SheetFields {
  /// Where the mapping begins.
  public let place: SheetPlace
  /// What the mapping is, for messages.
  public var name: String
  /// What was wrong so far.
  public var problems = [SheetProblem]()
  /// What nobody has taken yet, in order.
  public private(set) var rest: [SheetMember]
  /// The keys that were asked for.
  private var known: [String] = []

  /// The keys and values of a mapping; `name` says in messages what it is.
  public init(_ members: [SheetMember], at place: SheetPlace, name: String) {
    rest = members
    self.place = place
    self.name = name
  }

  /// Takes the value of a key; where a required one is missing, that is a problem.
  public mutating func take(_ key: String, isRequired: Bool = false) -> SheetNode? {
    known.append(key)
    guard let index = rest.firstIndex(where: { $0.key.hasSameBytes(as: key) }) else {
      if isRequired { problems.report(at: place, "\(key.quoted) is missing in \(name); add it") }
      return nil
    }
    return rest.remove(at: index).value
  }

  /// A text, not empty.
  public mutating func text(_ key: String, isRequired: Bool = false) -> String? {
    take(key, isRequired: isRequired)?.text(key, &problems)
  }

  /// An integer within a range.
  public mutating func integer(_ key: String, in range: ClosedRange<Int>, isRequired: Bool = false) -> Int? {
    take(key, isRequired: isRequired)?.integer(key, in: range, &problems)
  }

  /// An integer with its place.
  public mutating func placedInteger(_ key: String, in range: ClosedRange<Int>) -> Placed<Int>? {
    guard let node = take(key) else { return nil }
    return node.integer(key, in: range, &problems).map { Placed($0, at: node.place) }
  }

  /// A list of texts.
  public mutating func texts(_ key: String) -> [String]? {
    take(key)?.list(key, &problems) { element, problems in element.text(key, &problems) }
  }

  /// A list of integers with its place.
  public mutating func integers(_ key: String, in range: ClosedRange<Int>) -> Placed<[Int]>? {
    guard let node = take(key) else { return nil }
    let values = node.list(key, &problems) { element, problems in element.integer(key, in: range, &problems) }
    return values.map { Placed($0, at: node.place) }
  }

  /// Takes everything that is left, in order.
  public mutating func takeRemaining() -> [SheetMember] {
    defer { rest = [] }
    return rest
  }

  /// Reports every key in `keys` that is there, because cuelight writes it: `why` says where it comes from.
  public mutating func refuse(_ keys: [String], _ why: String) {
    for key in keys {
      guard let index = rest.firstIndex(where: { $0.key.hasSameBytes(as: key) }) else { continue }
      problems.report(at: rest[index].keyPlace, "\(key.quoted) is \(why); remove it")
      rest.remove(at: index)
    }
  }

  /// Reports every key that nobody has taken, with the nearest that is known here.
  public mutating func refuseRest() {
    for member in rest {
      // Half of a short key is already something else.
      let nearest = member.key.nearest(of: known, limit: max(2, min(member.key.utf8.count, 32) / 2))
      let help = nearest.map { "did you mean \($0.quoted)?" } ?? "\(name) has \(known.joined(separator: ", "))"
      problems.report(at: member.keyPlace, "unknown key \(member.key.quoted); \(help)")
    }
    rest = []
  }
}

/// A value with its place.
public struct Placed<Value> {
  /// The value.
  public var value: Value
  /// Where it begins.
  public var place: SheetPlace

  /// A value with its place.
  public init(_ value: Value, at place: SheetPlace) {
    self.value = value
    self.place = place
  }
}

extension Placed: Equatable where Value: Equatable {}
extension Placed: Sendable where Value: Sendable {}

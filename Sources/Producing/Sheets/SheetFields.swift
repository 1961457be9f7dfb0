import Basics

/// Reads the keys of a mapping one by one, and reports what is wrong with them. At the end it also reports the keys that were not asked for.
package struct SheetFields {
  /// Where the mapping begins.
  package let place: SheetPlace
  /// The name of the mapping in messages.
  package var name: String
  /// The problems found so far.
  package var problems = [SheetProblem]()
  /// The members that were not asked for yet, in order.
  package private(set) var rest: [SheetMember]
  /// The keys that were asked for.
  private var known: [String] = []

  /// The keys and values of a mapping; `name` is its name in messages.
  package init(_ members: [SheetMember], at place: SheetPlace, name: String) {
    rest = members
    self.place = place
    self.name = name
  }

  /// Removes a key and gives its value; a missing key that is required is a problem.
  package mutating func take(_ key: String, isRequired: Bool = false) -> SheetNode? {
    known.append(key)
    guard let index = rest.firstIndex(where: { $0.key.hasSameBytes(as: key) }) else {
      if isRequired { problems.report(at: place, "\(key.quoted) is missing in \(name); add it") }
      return nil
    }
    return rest.remove(at: index).value
  }

  /// Where the value of a key begins that was not asked for yet.
  package func place(of key: String) -> SheetPlace? { rest.first { $0.key.hasSameBytes(as: key) }?.value.place }

  /// A text, not empty.
  package mutating func text(_ key: String, isRequired: Bool = false) -> String? { take(key, isRequired: isRequired)?.text(key, &problems) }

  /// An integer within a range.
  package mutating func integer(_ key: String, in range: ClosedRange<Int>, isRequired: Bool = false) -> Int? {
    take(key, isRequired: isRequired)?.integer(key, in: range, &problems)
  }

  /// An integer with its place.
  package mutating func placedInteger(_ key: String, in range: ClosedRange<Int>) -> Placed<Int>? {
    guard let node = take(key) else { return nil }
    return node.integer(key, in: range, &problems).map { Placed($0, at: node.place) }
  }

  /// A list of texts.
  package mutating func texts(_ key: String) -> [String]? {
    take(key)?.list(key, &problems) { element, problems in element.text(key, &problems) }
  }

  /// A list of integers with its place.
  package mutating func integers(_ key: String, in range: ClosedRange<Int>) -> Placed<[Int]>? {
    guard let node = take(key) else { return nil }
    let values = node.list(key, &problems) { element, problems in element.integer(key, in: range, &problems) }
    return values.map { Placed($0, at: node.place) }
  }

  /// Removes the members that are left and gives them, in order.
  package mutating func takeRemaining() -> [SheetMember] {
    defer { rest = [] }
    return rest
  }

  /// Reports and removes each of `keys` that exists. The cue sheet must not have it; `why` says where its value comes from instead.
  package mutating func refuse(_ keys: [String], _ why: String) {
    for key in keys {
      guard let index = rest.firstIndex(where: { $0.key.hasSameBytes(as: key) }) else { continue }
      problems.report(at: rest[index].keyPlace, "\(key.quoted) is \(why); remove it")
      rest.remove(at: index)
    }
  }

  /// Reports each key that was not asked for, with the nearest key that is known here.
  package mutating func refuseRest() {
    for member in rest {
      // In a short key, changing half of the characters makes another word.
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

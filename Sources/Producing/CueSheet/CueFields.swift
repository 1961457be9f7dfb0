import ByteCursor
import JSONText
import MediaTime

/// Takes the keys of a mapping one by one, reports what is wrong with them, and in the end those that nobody has taken.
struct CueFields {
  /// Where the mapping begins.
  let place: CuePlace
  /// What the mapping is, for messages.
  var name: String
  /// What was wrong so far.
  var problems = Problems()
  /// What nobody has taken yet, in order.
  private(set) var rest: [SheetMember]
  /// The keys that were asked for.
  private var known: [String] = []

  init(_ members: [SheetMember], at place: CuePlace, name: String) {
    rest = members
    self.place = place
    self.name = name
  }

  /// Takes the value of a key; where a required one is missing, that is a problem.
  mutating func take(_ key: String, isRequired: Bool = false) -> SheetNode? {
    known.append(key)
    guard let index = rest.firstIndex(where: { $0.key.hasSameBytes(as: key) }) else {
      if isRequired { problems.report(at: place, "\(key.quoted) is missing in \(name); add it") }
      return nil
    }
    return rest.remove(at: index).value
  }

  mutating func text(_ key: String, isRequired: Bool = false) -> String? {
    take(key, isRequired: isRequired)?.text(key, &problems)
  }

  mutating func integer(_ key: String, in range: ClosedRange<Int>, isRequired: Bool = false) -> Int? {
    take(key, isRequired: isRequired)?.integer(key, in: range, &problems)
  }

  /// An integer with its place.
  mutating func placedInteger(_ key: String, in range: ClosedRange<Int>) -> Placed<Int>? {
    guard let node = take(key) else { return nil }
    return node.integer(key, in: range, &problems).map { Placed($0, at: node.place) }
  }

  mutating func time(_ key: String, isRequired: Bool = false) -> MediaTime? {
    take(key, isRequired: isRequired)?.time(key, &problems)
  }

  mutating func duration(_ key: String) -> MediaTime? { take(key)?.duration(key, &problems) }

  mutating func texts(_ key: String) -> [String]? {
    take(key)?.list(key, &problems) { element, problems in element.text(key, &problems) }
  }

  /// A list of integers with its place.
  mutating func integers(_ key: String, in range: ClosedRange<Int>) -> Placed<[Int]>? {
    guard let node = take(key) else { return nil }
    let values = node.list(key, &problems) { element, problems in element.integer(key, in: range, &problems) }
    return values.map { Placed($0, at: node.place) }
  }

  /// Takes everything that is left, as JSON.
  mutating func takeRest() -> JSONObject {
    let object = JSONObject(rest.prefix(CueSheetLimits.elements).map { JSONObject.Member(key: $0.key, value: $0.value.json(&problems)) })
    if rest.count > CueSheetLimits.elements {
      problems.report(at: place, "\(name) has \(rest.count) keys, above the limit of \(CueSheetLimits.elements); use fewer")
    }
    rest = []
    return object
  }

  /// Reports every key in `keys` that is there, because cuelight writes it: `why` says where it comes from.
  mutating func refuse(_ keys: [String], _ why: String) {
    for key in keys {
      guard let index = rest.firstIndex(where: { $0.key.hasSameBytes(as: key) }) else { continue }
      problems.report(at: rest[index].keyPlace, "\(key.quoted) is \(why); remove it")
      rest.remove(at: index)
    }
  }

  /// Reports every key that nobody has taken, with the nearest that is known here.
  mutating func refuseRest() {
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
struct Placed<Value> {
  var value: Value
  var place: CuePlace

  init(_ value: Value, at place: CuePlace) {
    self.value = value
    self.place = place
  }
}

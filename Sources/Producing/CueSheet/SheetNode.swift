/// A cue sheet as text in lists and mappings, each with its place: what YAML and JSON have in common.
indirect enum SheetNode: Equatable {
  case scalar(SheetScalar)
  case list([SheetNode], CuePlace)
  case mapping([SheetMember], CuePlace)

  /// Where it begins.
  var place: CuePlace {
    switch self {
    case .scalar(let scalar): scalar.place
    case .list(_, let place), .mapping(_, let place): place
    }
  }

  /// What it is, in words.
  var kind: String {
    switch self {
    case .scalar: "a single value"
    case .list: "a list"
    case .mapping: "a mapping"
    }
  }
}

/// A single value, as it was written.
struct SheetScalar: Equatable {
  var text: String
  /// Whether it stands without quotation marks, so that it may mean a number, a truth value or nothing.
  var isPlain: Bool
  var place: CuePlace
}

/// A key of a mapping with its value.
struct SheetMember: Equatable {
  var key: String
  var keyPlace: CuePlace
  var value: SheetNode
}

extension [SheetMember] {
  /// The members without those whose key came before, which are reported.
  func withoutRepeatedKeys(_ problems: inout Problems) -> [SheetMember] {
    var firsts: [[UInt8]: CuePlace] = [:]
    return filter { member in
      let bytes = Array<UInt8>(member.key.utf8)
      guard let first = firsts[bytes] else {
        firsts[bytes] = member.keyPlace
        return true
      }
      problems.report(
        at: member.keyPlace, "the key \(member.key.quoted) is already in line \(first.line), column \(first.column); remove one of them")
      return false
    }
  }
}

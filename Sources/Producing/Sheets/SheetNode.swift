import Basics

/// A text in lists and mappings, each with its place: what YAML and JSON have in common.
public indirect enum SheetNode: Equatable, Sendable {
  /// A single value.
  case scalar(SheetScalar)
  /// Values in order.
  case list([SheetNode], SheetPlace)
  /// Values by key, in order.
  case mapping([SheetMember], SheetPlace)

  /// Where it begins.
  public var place: SheetPlace {
    switch self {
    case .scalar(let scalar): scalar.place
    case .list(_, let place), .mapping(_, let place): place
    }
  }

  /// What it is, in words.
  public var kind: String {
    switch self {
    case .scalar: "a single value"
    case .list: "a list"
    case .mapping: "a mapping"
    }
  }
}

/// A single value, as it was written.
public struct SheetScalar: Equatable, Sendable {
  /// The value as text.
  public var text: String
  /// Whether it stands without quotation marks, so that it may mean a number, a truth value or nothing.
  public var isPlain: Bool
  /// Where it begins.
  public var place: SheetPlace

  /// A single value.
  public init(text: String, isPlain: Bool, place: SheetPlace) {
    self.text = text
    self.isPlain = isPlain
    self.place = place
  }

  /// Whether both have the same bytes and stand in the same way at the same place.
  public static func == (left: SheetScalar, right: SheetScalar) -> Bool {
    left.text.hasSameBytes(as: right.text) && left.isPlain == right.isPlain && left.place == right.place
  }
}

/// A key of a mapping with its value.
public struct SheetMember: Equatable, Sendable {
  /// The key.
  public var key: String
  /// Where the key begins.
  public var keyPlace: SheetPlace
  /// The value.
  public var value: SheetNode

  /// A key with its value.
  public init(key: String, keyPlace: SheetPlace, value: SheetNode) {
    self.key = key
    self.keyPlace = keyPlace
    self.value = value
  }

  /// Whether both have the same key, byte by byte, at the same place and equal values.
  public static func == (left: SheetMember, right: SheetMember) -> Bool {
    left.key.hasSameBytes(as: right.key) && left.keyPlace == right.keyPlace && left.value == right.value
  }
}

extension [SheetMember] {
  /// The members without those whose key came before, which are reported.
  public func withoutRepeatedKeys(_ problems: inout [SheetProblem]) -> [SheetMember] {
    var firsts: [[UInt8]: SheetPlace] = [:]
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

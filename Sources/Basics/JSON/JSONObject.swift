/// A JSON object (RFC 8259, section 4): members in the order in which they were written, no key twice.
public struct JSONObject: Equatable, Sendable {
  /// A key and its value.
  public struct Member: Equatable, Sendable {
    /// The key, which is compared byte by byte in UTF-8.
    public var key: String
    /// The value.
    public var value: JSONValue

    /// A key and its value.
    public init(key: String, value: JSONValue) { (self.key, self.value) = (key, value) }

    /// Whether both have the same key, byte by byte, and equal values.
    public static func == (left: Member, right: Member) -> Bool {
      left.key.hasSameBytes(as: right.key) && left.value == right.value
    }
  }

  /// The members, in order.
  public private(set) var members: [Member]

  /// An object without members.
  public init() { members = [] }

  /// An object of `members`, in order. Of several with one key, the first gives the place and the last the value.
  public init(_ members: [Member]) {
    if JSONObject.indexOfRepeatedKey(in: members) == nil {
      self.members = members
    } else {
      self.members = []
      for member in members { append(member.key, member.value) }
    }
  }

  /// An object of members whose keys are known to be different.
  init(distinct members: [Member]) { self.members = members }

  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The number of members.
  public var count: Int { members.count }

  /// The value under a key that has the same UTF-8 bytes as `key`. Takes time proportional to the number of members.
  public subscript(key: String) -> JSONValue? { index(of: key).map { members[$0].value } }

  /// Appends a member. If the key exists already, its member gets the new value and stays in its place.
  public mutating func append(_ key: String, _ value: JSONValue) {
    if let index = index(of: key) {
      members[index].value = value
    } else {
      members.append(Member(key: key, value: value))
    }
  }

  /// Removes the member under `key` and returns its value, or nil if there is none.
  @discardableResult
  public mutating func removeValue(for key: String) -> JSONValue? {
    index(of: key).map { members.remove(at: $0).value }
  }

  /// The object without the members under `keys`, the others in their order.
  public func removing(_ keys: [String]) -> JSONObject {
    JSONObject(distinct: members.filter { member in !keys.contains { member.key.hasSameBytes(as: $0) } })
  }

  /// Whether both have equal values under the same keys, in any order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    guard left.count == right.count else { return false }
    // Most equal objects have the same order, and then nothing has to be sorted.
    if zip(left.members, right.members).allSatisfy({ $0.key.hasSameBytes(as: $1.key) }) { return left.members == right.members }
    return left.membersByKey == right.membersByKey
  }

  private var membersByKey: [Member] { members.ordered { $0.key.hasSmallerBytes(than: $1.key) } }

  private func index(of key: String) -> Int? {
    // By index, because a closure would copy the member and everything that its value refers to.
    var index = 0
    while index < members.count {
      if members[index].key.hasSameBytes(as: key) { return index }
      index += 1
    }
    return nil
  }

  /// The first member whose key an earlier member has as well, found without comparing all pairs.
  static func indexOfRepeatedKey(in members: [Member]) -> Int? {
    // Comparing a few keys is faster than sorting them, and comparing hashes is faster than comparing texts.
    if members.count <= 24 {
      var marks: [UInt64] = []
      marks.reserveCapacity(members.count)
      for index in members.indices {
        let mark = members[index].key.bytesHash
        for earlier in marks.indices where marks[earlier] == mark {
          if members[earlier].key.hasSameBytes(as: members[index].key) { return index }
        }
        marks.append(mark)
      }
      return nil
    }
    let sorted = placesInOrder(count: members.count) { left, right in
      let (leftKey, rightKey) = (members[left].key, members[right].key)
      if leftKey.hasSmallerBytes(than: rightKey) { return true }
      return left < right && leftKey.hasSameBytes(as: rightKey)
    }
    var first: Int?
    for (earlier, later) in zip(sorted, sorted.dropFirst()) where members[earlier].key.hasSameBytes(as: members[later].key) {
      first = min(first ?? later, later)
    }
    return first
  }
}

extension JSONObject {
  /// The object as compact JSON: no whitespace, keys in order, numbers as written.
  public var text: String {
    var writer = JSONWriter()
    writer.object(self)
    return writer.text
  }
}

import Basics

/// A hash tree over a list of leaves, as RFC 9162 (section 2.1) defines it: with its root one cannot change, add or leave out a leaf.
package struct MerkleTree: Equatable, Sendable {
  /// The bytes of a hash.
  package static let hashSize = 32

  /// The hashes of each level one after another: first those of the leaves, last the root. A hash without a neighbour goes up as it is.
  private let levels: [[UInt8]]

  /// A tree over leaves of which only the hashes are known, in their order.
  ///
  /// - Parameter hashes: The hashes one after another, each of ``hashSize`` bytes.
  package init(leafHashes hashes: [UInt8]) {
    var (levels, level) = ([hashes], hashes)
    while level.count > Self.hashSize {
      var next: [UInt8] = []
      next.reserveCapacity(level.count / 2 + Self.hashSize)
      for place in stride(from: 0, to: level.count, by: 2 * Self.hashSize) {
        let pair = level[place..<min(place + 2 * Self.hashSize, level.count)]
        next += pair.count > Self.hashSize ? SHA256.hash([1] + pair) : Array(pair)
      }
      levels.append(next)
      level = next
    }
    self.levels = levels
  }

  /// How many leaves there are.
  package var count: Int { levels[0].count / Self.hashSize }

  /// The root; for no leaves, the hash of no bytes.
  package var root: [UInt8] { count == 0 ? SHA256.hash([]) : levels[levels.count - 1] }

  /// The hash of a leaf.
  package static func leafHash(_ leaf: String) -> [UInt8] { SHA256.hash([0] + Array(leaf.utf8)) }

  /// The place of the leaf with this hash, from 0; `nil` if it is not there.
  package func place(of hash: [UInt8]) -> Int? {
    (0..<count).first { place in levels[0][(place * Self.hashSize)..<((place + 1) * Self.hashSize)].elementsEqual(hash) }
  }

  /// The hashes with which the root follows from the leaf at a place, from the bottom up (RFC 9162, 2.1.3); `nil` if there is no such leaf.
  package func path(from place: Int) -> [[UInt8]]? {
    guard place >= 0, place < count else { return nil }
    var (path, place) = ([[UInt8]](), place)
    for level in levels.dropLast() {
      let start = (place ^ 1) * Self.hashSize
      if start < level.count { path.append(Array(level[start..<start + Self.hashSize])) }
      place /= 2
    }
    return path
  }

  /// The root of a tree of `count` leaves that follows from the hash of the leaf at a place and its path; `nil` if the path has another length.
  package static func root(from hash: [UInt8], at place: Int, of count: Int, path: [[UInt8]]) -> [UInt8]? {
    guard place >= 0, place < count else { return nil }
    var (hash, place, last, rest) = (hash, place, count - 1, path[...])
    while last > 0 {
      if place % 2 == 1 || place < last {
        guard let other = rest.popFirst() else { return nil }
        hash = SHA256.hash([1] + (place % 2 == 1 ? other + hash : hash + other))
      }
      (place, last) = (place / 2, last / 2)
    }
    return rest.isEmpty ? hash : nil
  }
}

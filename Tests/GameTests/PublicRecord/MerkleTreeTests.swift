import Basics
import GameEvents
import Testing

@testable import PublicRecord

@Suite struct MerkleTreeTests {
  private static func tree(_ leaves: some Collection<String>) -> MerkleTree {
    MerkleTree(leafHashes: leaves.flatMap { MerkleTree.leafHash($0) })
  }

  /// The definition of RFC 9162, 2.1.1, as it is written there.
  private static func root(_ leaves: ArraySlice<String>) -> [UInt8] {
    guard leaves.count > 1 else { return leaves.first.map { SHA256.hash([0] + Array($0.utf8)) } ?? SHA256.hash([]) }
    var half = 1
    while half * 2 < leaves.count { half *= 2 }
    return SHA256.hash([1] + root(leaves.prefix(half)) + root(leaves.dropFirst(half)))
  }

  private static let leaves = (0..<33).map { "leaf \($0)" }

  @Test(arguments: 0...33) func rootIsThatOfTheRFC(count: Int) {
    #expect(Self.tree(Self.leaves.prefix(count)).root == Self.root(Self.leaves.prefix(count)))
  }

  @Test(arguments: 1...33) func everyPathLeadsToTheRoot(count: Int) throws {
    let tree = Self.tree(Self.leaves.prefix(count))
    for (place, leaf) in Self.leaves.prefix(count).enumerated() {
      let hash = MerkleTree.leafHash(leaf)
      let path = try #require(tree.path(from: place))
      #expect(tree.place(of: hash) == place)
      #expect(MerkleTree.root(from: hash, at: place, of: count, path: path) == tree.root)
      // Neither another leaf, nor another place, nor another path.
      #expect(MerkleTree.root(from: MerkleTree.leafHash("other"), at: place, of: count, path: path) != tree.root)
      if count > 1 {
        #expect(MerkleTree.root(from: hash, at: place ^ 1, of: count, path: path) != tree.root)
        #expect(MerkleTree.root(from: hash, at: place, of: count, path: path.dropLast()) == nil)
      }
      #expect(MerkleTree.root(from: hash, at: place, of: count, path: path + [hash]) == nil)
    }
    #expect(tree.path(from: count) == nil && tree.path(from: -1) == nil)
    #expect(MerkleTree.root(from: [], at: count, of: count, path: []) == nil)
  }

  @Test func everyLeafMatters() {
    for place in 0..<7 {
      var (changed, dropped, swapped) = (Array(Self.leaves.prefix(7)), Array(Self.leaves.prefix(7)), Array(Self.leaves.prefix(7)))
      changed[place] += "!"
      dropped.remove(at: place)
      swapped.swapAt(place, (place + 1) % 7)
      let root = Self.tree(Self.leaves.prefix(7)).root
      for others in [changed, dropped, swapped] { #expect(Self.tree(others).root != root) }
    }
    #expect(Self.tree([]).place(of: MerkleTree.leafHash("a")) == nil)
  }
}

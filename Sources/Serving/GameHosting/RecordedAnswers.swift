import AnswerIntake
import Basics
import GameEvents
import PublicRecord

/// The public record of a game, and the answers that belong to it in the order in which they arrived.
struct RecordedAnswers: Sendable {
  /// An answer that was acknowledged.
  struct Entry: Equatable, Sendable {
    var player: Int
    var code: UInt32
    /// The text of an answer that is one.
    var text: AnswerText?
    var time: MediaTime
    /// Its place in the order of arrival.
    var arrival: Int64
  }

  /// A leaf of a question's tree.
  enum Leaf: Equatable, Sendable {
    case answer(Entry)
    /// The answer was deleted with its player.
    case hash([UInt8])
  }

  /// The lines of the record.
  var chain = RecordChain()
  /// The numbers of questions that lines of a kind are about.
  private var written: [RecordChain.Kind: Set<Int>] = [:]
  /// By questions: the answers.
  private var entries: [Int: [Entry]] = [:]
  /// By questions and places: the hashes of answers that were deleted.
  private var hashes: [Int: [Int: [UInt8]]] = [:]
  /// By questions: the trees that were made.
  private var trees: [Int: MerkleTree] = [:]

  /// Whether nothing is appended any more, or nothing was begun.
  var isOver: Bool { chain.lines.isEmpty || has(.end) }

  /// Whether there is a line of a kind, about a question if one is given.
  func has(_ kind: RecordChain.Kind, _ question: Int? = nil) -> Bool {
    written[kind].map { numbers in question.map { numbers.contains($0 + 1) } ?? true } ?? false
  }

  mutating func append(_ line: String) {
    chain.append(line)
    if let (kind, question) = RecordChain.subject(of: line) { written[kind, default: []].insert(question ?? 0) }
  }

  mutating func add(_ entry: Entry, to question: Int) { entries[question, default: []].append(entry) }

  /// Drops the answers of a player who has deleted the stored data.
  mutating func forget(_ player: Int) { for question in entries.keys { entries[question]?.removeAll { $0.player == player } } }

  mutating func erase(_ question: Int, _ places: [Int: [UInt8]]) { hashes[question, default: [:]].merge(places) { $1 } }

  /// The leaves of a question in their order. An answer that was delivered twice is there once.
  ///
  /// - Parameter removed: The players who have deleted the stored data.
  mutating func leaves(_ question: Int, without removed: Set<Int>) -> [Leaf] {
    var sorted = entries[question] ?? []
    let isSorted = zip(sorted, sorted.dropFirst()).allSatisfy { $0.arrival < $1.arrival }
    if !isSorted {
      sorted.sort { $0.arrival < $1.arrival }
      var last: Int64?
      sorted.removeAll { entry in
        defer { last = entry.arrival }
        return entry.arrival == last
      }
      entries[question] = sorted
    }
    let deleted = hashes[question] ?? [:]
    var rest = sorted.lazy.filter { !removed.contains($0.player) }.makeIterator()
    var leaves: [Leaf] = []
    while true {
      if let hash = deleted[leaves.count] {
        leaves.append(.hash(hash))
      } else if let next = rest.next() {
        leaves.append(.answer(next))
      } else {
        return leaves
      }
    }
  }

  /// The tree of a question, which is made once its answers are complete.
  mutating func tree(_ question: Int, _ make: (inout RecordedAnswers) -> MerkleTree) -> MerkleTree {
    if let tree = trees[question] { return tree }
    let tree = make(&self)
    trees[question] = tree
    return tree
  }
}

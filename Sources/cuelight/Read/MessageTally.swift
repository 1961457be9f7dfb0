import Basics

/// Counts messages by kind, so that only the first few of each kind are reported one by one.
struct MessageTally {
  /// The kinds found so far, in the order of their first messages.
  private var kinds: [(kind: String, example: String, count: Int)] = []
  /// The number of messages of a kind that are reported.
  private let said: Int
  /// The noun for one of them.
  private let noun: String

  /// The maximum number of kinds that are distinguished; further ones count as one kind.
  private static let mostKinds = 32

  /// Nothing counted so far.
  init(said: Int, of noun: String) { (self.said, self.noun) = (said, noun) }

  /// Counts a message. Returns whether it is one of the first of its kind.
  mutating func add(_ kind: String, example: @autoclosure () -> String) -> Bool {
    let kind = kinds.count < Self.mostKinds ? kind : ""
    let index = kinds.firstIndex { $0.kind == kind } ?? kinds.count
    if index == kinds.count { kinds.append((kind, example(), 0)) }
    kinds[index].count += 1
    return kinds[index].count <= said
  }

  /// The numbers of messages of each kind that were not reported, in words.
  var others: [String] { kinds.filter { $0.count > said }.map { "\(($0.count - said).of("more \(noun)")) like this: \($0.example)" } }
}

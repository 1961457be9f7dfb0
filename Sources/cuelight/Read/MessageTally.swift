import Basics

/// Counts messages of which many may be alike, so that of each kind only the first few are said one by one.
struct MessageTally {
  /// The kinds found so far, in the order in which they came.
  private var kinds: [(kind: String, example: String, count: Int)] = []
  /// The number of messages of a kind that are said.
  private let said: Int
  /// What one of them is called.
  private let noun: String

  /// The maximum number of kinds that are distinguished; further ones count as one kind.
  private static let mostKinds = 32

  /// Nothing counted so far.
  init(said: Int, of noun: String) { (self.said, self.noun) = (said, noun) }

  /// Counts a message; returns whether it is one of the first of its kind.
  mutating func add(_ kind: String, example: @autoclosure () -> String) -> Bool {
    let kind = kinds.count < Self.mostKinds ? kind : ""
    let index = kinds.firstIndex { $0.kind == kind } ?? kinds.count
    if index == kinds.count { kinds.append((kind, example(), 0)) }
    kinds[index].count += 1
    return kinds[index].count <= said
  }

  /// How many messages of each kind were not said, in words.
  var others: [String] { kinds.filter { $0.count > said }.map { "\(($0.count - said).of("more \(noun)")) like this: \($0.example)" } }
}

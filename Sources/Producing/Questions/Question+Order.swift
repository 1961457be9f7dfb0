import Basics
import GameEvents

extension Question {
  /// The question with its items in an order that does not reveal the right one; other questions as they are. The order depends only on the texts, so
  /// that it may be the right one: an order that never is would say something of it.
  func hidingOrder() -> Question {
    guard case .order = right else { return self }
    let sorted = answers.indices.sorted { answers[$0].hasSmallerBytes(than: answers[$1]) }
    var numbers = SeededNumbers(seed: UInt64(CRC32MPEG2.checksum(text)), purpose: Self.itemsPurpose)
    return reordered(numbers.shuffled(sorted))
  }

  /// Keeps these numbers apart from others of one seed.
  private static let itemsPurpose: UInt64 = 3
}

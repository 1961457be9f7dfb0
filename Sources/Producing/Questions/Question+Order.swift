import Basics
import GameEvents

extension Question {
  /// The question with its items in an order that does not reveal the right one; other questions as they are. The order depends only on the texts.
  func hidingOrder() -> Question {
    guard case .order(let right) = right else { return self }
    let sorted = answers.indices.sorted { answers[$0].hasSmallerBytes(than: answers[$1]) }
    var numbers = SeededNumbers(seed: UInt64(CRC32MPEG2.checksum(text)), purpose: Self.itemsPurpose)
    let order = numbers.shuffled(sorted)
    return reordered(order == right ? Array(order.dropFirst() + order.prefix(1)) : order)
  }

  /// Keeps these numbers apart from others of one seed.
  private static let itemsPurpose: UInt64 = 3
}

import Testing

@testable import LiveSession

/// The order of packets by their sequence numbers.
@Suite struct RTPOrderTests {
  private let start = ContinuousClock.now

  private func packet(_ sequence: UInt16, _ source: UInt32 = 1) throws -> RTPPacket {
    try #require(
      RTPPacket([0x80, 33, UInt8(sequence >> 8), UInt8(sequence & 0xFF), 0, 0, 0, 0, 0, 0, 0, UInt8(source), UInt8(sequence & 0xFF)]))
  }

  /// Pushes packets a millisecond apart; returns the last bytes of their sequence numbers, and -1 for another run.
  private func pushed(_ sequences: [Int], _ order: inout RTPOrder, at first: Int = 0, source: UInt32 = 1) throws -> [Int] {
    try sequences.enumerated().flatMap { index, sequence in
      let packet = try packet(UInt16(truncatingIfNeeded: sequence), source)
      return found(order.push(packet, at: start + .milliseconds(first + index)))
    }
  }

  private func found(_ outputs: [RTPOrder.Output]) -> [Int] {
    outputs.map { output in if case .payload(let bytes) = output { bytes.first.map { Int($0) } ?? -2 } else { -1 } }
  }

  @Test func inOrder() throws {
    var order = RTPOrder()
    #expect(try pushed([7, 8, 9], &order) == [7, 8, 9])
    #expect(order.takeCounts() == RTPOrder.Counts() && order.nextMoment == nil && order.next == 10)
  }

  /// Packets that change places or come twice, also where the numbers begin anew.
  @Test(arguments: [100, 65_534, 65_535]) func reordered(first: Int) throws {
    var order = RTPOrder()
    let sequences = [0, 2, 1, 1, 4, 5, 3, 2, 6].map { first + $0 }
    #expect(try pushed(sequences, &order) == (0...6).map { (first + $0) & 0xFF })
    #expect(order.takeCounts() == RTPOrder.Counts(lost: 0, reordered: 2, dropped: 2))
  }

  /// A packet that does not come is lost after a while; then it is too late.
  @Test func lost() throws {
    var order = RTPOrder()
    #expect(try pushed([1, 2, 5, 6, 8], &order) == [1, 2])
    #expect(order.nextMoment == start + .milliseconds(202))
    #expect(found(order.release(at: start + .milliseconds(201))) == [])
    // Those after the second gap came later.
    #expect(found(order.release(at: start + .milliseconds(202))) == [5, 6])
    #expect(order.nextMoment == start + .milliseconds(204))
    #expect(try pushed([3, 7], &order, at: 203) == [7, 8])
    #expect(order.takeCounts() == RTPOrder.Counts(lost: 2, reordered: 1, dropped: 1))
  }

  /// No more than a certain number of packets wait.
  @Test func bounded() throws {
    var order = RTPOrder()
    order.patience = .seconds(1_000)
    #expect(try pushed([1], &order) == [1])
    let waiting = Array(3..<3 + RTPOrder.mostWaiting)
    #expect(try pushed(waiting, &order).isEmpty)
    #expect(try pushed([3 + RTPOrder.mostWaiting], &order).count == RTPOrder.mostWaiting + 1)
    #expect(order.takeCounts().lost == 1)
  }

  /// Another source, or another range of numbers, begins with two packets one after the other.
  @Test func otherRuns() throws {
    var order = RTPOrder()
    #expect(try pushed([1, 3], &order) == [1])
    // A stray one.
    #expect(try pushed([50], &order, at: 2, source: 9) == [])
    #expect(try pushed([4], &order, at: 3) == [])
    #expect(try pushed([51], &order, at: 4, source: 9) == [])
    #expect(try pushed([52], &order, at: 5, source: 9) == [3, 4, -1, 51, 52])
    #expect(order.takeCounts() == RTPOrder.Counts(lost: 1))
    #expect(try pushed([20_000, 20_001, 20_002], &order, at: 6, source: 9) == [-1, 20_000 & 0xFF, 20_001 & 0xFF, 20_002 & 0xFF])
    #expect(found(order.reset()) == [] && order.next == nil)
  }

  /// A packet that is computed closes a gap.
  @Test func recovered() throws {
    var order = RTPOrder()
    #expect(try pushed([1, 3], &order) == [1])
    #expect(found(order.push(recovered: 2, [42], at: start + .milliseconds(9))) == [42, 3])
    #expect(found(order.push(recovered: 2, [42], at: start + .milliseconds(9))) == [])
    #expect(order.takeCounts() == RTPOrder.Counts(recovered: 1))
  }

  @Test func headers() throws {
    let packet = try #require(
      RTPPacket([0xB2, 0xA1, 0xFF, 0xFE, 1, 2, 3, 4, 0, 0, 1, 2] + [UInt8](repeating: 9, count: 8) + [0xBE, 0xDE, 0, 0, 5, 6, 0, 0, 3]))
    #expect(packet.type == 33 && packet.sequence == 65_534 && packet.source == 258 && Array(packet.payload) == [5, 6])
    #expect(RTPPacket([0x47] + [UInt8](repeating: 0, count: 187)) == nil && RTPPacket([0x80, 33]) == nil && RTPPacket([]) == nil)
    // It claims more sources, or more padding, than there is room for.
    #expect(RTPPacket([0x8F] + [UInt8](repeating: 0, count: 20)) == nil && RTPPacket([0xA0] + [UInt8](repeating: 255, count: 20)) == nil)
  }
}

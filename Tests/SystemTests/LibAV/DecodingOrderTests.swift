import Basics
import Testing

@testable import LibAV

@Suite("Packets in decoding order")
struct DecodingOrderTests {
  /// What goes on after each packet that comes, as stream and decoding time; the last entry is what remains at the end.
  private static func order(_ packets: [(Int, Int64)], first: Int = 0) throws -> [[[Int64]]] {
    var order = DecodingOrder(streams: [0, 1], first: first)
    var packet = try MediaPacket()
    var result: [[[Int64]]] = []
    for (stream, ticks) in packets {
      let time = MediaTime(ticks: ticks)
      packet.setTimes(presentation: time, decoding: time)
      try order.append(&packet, PlacedPacket(stream: stream, presentation: time, decoding: time, duration: .zero, isKey: true))
      var ready: [[Int64]] = []
      while order.isReady, let placed = order.popFirst(into: &packet) {
        #expect(packet.times.decoding == placed.decoding)
        ready.append([Int64(placed.stream), placed.decoding.ticks])
      }
      result.append(ready)
    }
    var rest: [[Int64]] = []
    while let placed = order.popFirst(into: &packet) { rest.append([Int64(placed.stream), placed.decoding.ticks]) }
    return result + [rest]
  }

  @Test("A packet waits until no earlier one can come")
  func waits() throws {
    #expect(
      try Self.order([(0, 10), (0, 20), (1, 5), (1, 15), (1, 30)]) == [[], [], [[1, 5]], [[0, 10], [1, 15]], [[0, 20]], [[1, 30]]])
  }

  @Test("Of packets decoded at the same time, the program's goes first", arguments: [0, 1])
  func ties(first: Int) throws {
    let (program, other) = (Int64(first), Int64(1 - first))
    #expect(try Self.order([(0, 10), (1, 10)], first: first) == [[], [[program, 10]], [[other, 10]]])
    #expect(try Self.order([(1, 10), (0, 10)], first: first) == [[], [[program, 10]], [[other, 10]]])
  }

  @Test("A stream that has ended does not hold the other up for more than ten seconds")
  func endedStream() throws {
    #expect(try Self.order([(0, 0), (0, 900_000), (0, 900_001)]) == [[], [], [[0, 0]], [[0, 900_000], [0, 900_001]]])
  }
}

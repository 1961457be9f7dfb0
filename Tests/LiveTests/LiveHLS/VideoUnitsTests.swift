import Basics
import NALUnits
import Testing

@testable import LiveHLS

@Suite struct VideoUnitsTests {
  /// A unit that was given back is the next one's memory: it does not grow as long as no unit is larger.
  @Test func memoryIsUsedAgain() throws {
    var units = VideoUnits(.h264)
    let payload = [UInt8](repeating: 7, count: 200_000)
    var capacities: [Int] = []
    for number in 0..<50 {
      units.begin(decoding: MediaTime(ticks: Int64(number)), presentation: .zero, isSync: number == 0)
      units.push(payload.span)
      let taken = units.take()
      var unit = try #require(taken)
      #expect(unit.bytes == payload && unit.decoding == MediaTime(ticks: Int64(number)) && unit.isSync == (number == 0))
      capacities.append(unit.bytes.capacity)
      units.reuse(&unit.bytes)
    }
    #expect(Set(capacities).count == 1)
  }
}

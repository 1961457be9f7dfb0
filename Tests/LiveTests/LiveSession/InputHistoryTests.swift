import Basics
import Testing
import TransportStream

@testable import LiveSession

/// The kept packets of an input, and where a session begins that continues another one.
@Suite struct InputHistoryTests {
  private static let start = ContinuousClock.now

  /// A packet with a PID and a number; `true` if a unit starts in it.
  private static func packet(_ pid: UInt16, _ number: UInt8, _ starts: Bool = false) -> [UInt8] {
    [0x47, (starts ? 0x40 : 0) | UInt8(pid >> 8), UInt8(pid & 0xFF), 0x10] + [UInt8](repeating: number, count: 184)
  }

  /// Three portions, a second each: tables, an access unit, what belongs to it, and another table.
  private static func history(from timestamp: UInt64 = 900_000) -> InputHistory {
    var history = InputHistory()
    for second in 0..<3 {
      let number = UInt8(second)
      let bytes =
        packet(0, number, true) + packet(0x100, number, true) + packet(0x100, number) + packet(0x101, number, true) + packet(0x101, number)
      history.append(
        .init(
          item: .packets(bytes), instant: start + .seconds(second),
          marks: [.init(offset: 3 * 188, timestamp: (timestamp + UInt64(second) * 90_000) & ((1 << 33) - 1))]))
    }
    return history
  }

  @Test(arguments: [900_000, (1 << 33) - 100_000]) func places(timestamp: UInt64) {
    let history = Self.history(from: timestamp)
    func place(_ distance: Int64) -> InputHistory.Place? {
      history.place(at: UInt64(bitPattern: Int64(timestamp) + distance) & ((1 << 33) - 1))
    }
    #expect(place(90_000) == .init(index: 1, offset: 564, distance: .zero))
    #expect(place(90_001) == .init(index: 2, offset: 564, distance: MediaTime(ticks: 89_999)))
    #expect(place(-90_000) == .init(index: 0, offset: 564, distance: MediaTime(ticks: 90_000)))
    // It has not come, or is of another clock.
    #expect(place(180_001) == nil && place(-31 * 90_000) == nil)
  }

  @Test func placesByArrival() {
    let history = Self.history()
    #expect(history.place(since: Self.start + .milliseconds(1)) == .init(index: 1, offset: 564, distance: nil))
    #expect(history.place(since: Self.start + .seconds(9)) == .init(index: 2, offset: 564, distance: nil))
    #expect(InputHistory().place(since: Self.start) == nil)
  }

  /// The continued stream begins with the latest tables.
  @Test func beginning() {
    var history = Self.history()
    history.begin(at: .init(index: 1, offset: 564, distance: .zero), tables: [0, 0x100])
    let arrivals = history.takeAll()
    let first =
      Self.packet(0, 1, true) + Self.packet(0x100, 1, true) + Self.packet(0x100, 1) + Self.packet(0x101, 1, true) + Self.packet(0x101, 1)
    #expect(arrivals.map(\.item) == [.packets(first), Self.history().arrivals.last?.item])
    #expect(history.byteCount == 0 && history.arrivals.isEmpty)
  }

  /// Audio that arrives before the picture which something begins with is kept, the earlier picture and null packets are not.
  @Test func beginningWithAudio() {
    var history = Self.history()
    let audio = (0..<4).map { Self.packet(0x102, UInt8($0), true) }
    let null = Self.packet(0x1FFF, 0)
    for (index, second) in [3, 4, 6].enumerated() {
      history.append(
        .init(
          item: .packets(Self.packet(0x101, 9, true) + audio[index] + null + Self.packet(0x101, 8, true)),
          instant: Self.start + .seconds(second), marks: [.init(offset: 3 * 188, timestamp: 0)]))
    }
    history.begin(at: .init(index: 5, offset: 564, distance: .zero), tables: [0, 0x100], besides: 0x101)
    let tables = Self.packet(0, 2, true) + Self.packet(0x100, 2, true) + Self.packet(0x100, 2)
    #expect(history.takeAll().map(\.item) == [.packets(tables + audio[1] + audio[2] + Self.packet(0x101, 8, true))])
  }

  @Test func forgetting() {
    var history = Self.history()
    history.append(.init(item: .discontinuity, instant: Self.start + .seconds(3)))
    history.expire(before: Self.start + .seconds(1), limit: 1_000_000)
    #expect(history.arrivals.count == 3 && history.byteCount == 2 * 940)
    history.expire(before: Self.start, limit: 1_000)
    #expect(history.arrivals.count == 2 && history.byteCount == 940)
  }
}

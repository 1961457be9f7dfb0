/// What stands in front of a packet in a stride of 192 bytes, the TP_extra_header of Blu-ray and AVCHD: 2 bits of copy permission, and 30 bits
/// of a clock of 27 MHz that say when the packet arrives.
public struct ArrivalTimestamp: Equatable, Sendable {
  /// The copy_permission_indicator.
  public var copyPermission: UInt8
  /// The arrival time, in ticks of 27 MHz, modulo 2^30 (about 40 seconds).
  public var ticks: UInt32

  /// The size of the header in bytes.
  public static let size = 4
  /// After so many ticks the clock starts again from 0.
  private static let period: UInt32 = 1 << 30

  /// A timestamp; ticks beyond the clock's period wrap.
  public init(copyPermission: UInt8, ticks: UInt32) {
    self.copyPermission = copyPermission & 3
    self.ticks = ticks % Self.period
  }

  /// Reads the four bytes at the start of `unit`, which has as many.
  public init(_ unit: Span<UInt8>) {
    copyPermission = unit[0] >> 6
    ticks = UInt32(unit[0] & 0x3F) << 24 | UInt32(unit[1]) << 16 | UInt32(unit[2]) << 8 | UInt32(unit[3])
  }

  /// The four bytes.
  public var bytes: [UInt8] {
    [
      copyPermission << 6 | UInt8(ticks >> 24 & 0x3F), UInt8(ticks >> 16 & 0xFF), UInt8(ticks >> 8 & 0xFF), UInt8(ticks & 0xFF),
    ]
  }

  /// The timestamp of one of some packets that are put in between this one and the next, all of them the same way apart.
  ///
  /// Where the next one lies half a period or more ahead, its clock has started anew, and all have this timestamp.
  ///
  /// - Parameters:
  ///   - next: The timestamp of the packet that follows.
  ///   - number: Which of them it is, counted from 0.
  ///   - count: How many they are.
  public func interpolated(before next: ArrivalTimestamp, number: Int, of count: Int) -> ArrivalTimestamp {
    let step = (next.ticks &- ticks) % Self.period
    guard step < Self.period / 2, number < count else { return self }
    let part = UInt64(step) * UInt64(number + 1) / UInt64(count + 1)
    return ArrivalTimestamp(copyPermission: copyPermission, ticks: ticks &+ UInt32(part))
  }
}

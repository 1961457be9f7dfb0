/// The TP_extra_header of Blu-ray and AVCHD, the 4 bytes in front of a packet in a stride of 192 bytes: 2 bits of copy permission, and 30 bits of
/// a 27 MHz clock for the packet's arrival time.
public struct ArrivalTimestamp: Equatable, Sendable {
  /// The copy_permission_indicator.
  public var copyPermission: UInt8
  /// The arrival time, in ticks of 27 MHz, modulo 2^30 (about 40 seconds).
  public var ticks: UInt32

  /// The size of the header in bytes.
  public static let size = 4
  /// The number of ticks after which the clock starts again from 0.
  private static let period: UInt32 = 1 << 30

  /// A timestamp; ticks beyond the clock's period wrap.
  public init(copyPermission: UInt8, ticks: UInt32) {
    self.copyPermission = copyPermission & 3
    self.ticks = ticks % Self.period
  }

  /// Reads the first four bytes of `unit`, which has at least four.
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

  /// The timestamp of one of several packets that are inserted between this packet and the next, at equal distances.
  ///
  /// If the next timestamp is half a period or more ahead, the clock has restarted, and all inserted packets get this packet's timestamp.
  ///
  /// - Parameters:
  ///   - next: The timestamp of the packet that follows.
  ///   - number: The number of the inserted packet, counted from 0.
  ///   - count: The number of inserted packets.
  public func interpolated(before next: ArrivalTimestamp, number: Int, of count: Int) -> ArrivalTimestamp {
    let step = (next.ticks &- ticks) % Self.period
    guard step < Self.period / 2, number < count else { return self }
    let part = UInt64(step) * UInt64(number + 1) / UInt64(count + 1)
    return ArrivalTimestamp(copyPermission: copyPermission, ticks: ticks &+ UInt32(part))
  }
}

/// The packets of a transport stream that are wanted, by their PIDs. Four bytes of a packet tell whether it can be skipped.
public struct PacketFilter: Sendable {
  /// What is wanted of a PID.
  public enum Interest: UInt8, Sendable {
    /// Nothing.
    case none
    /// Packets that can change the time of the PID's access units: in which a PES packet starts, with an adaptation field, or marked as damaged.
    /// About one in a hundred packets of video is one of these.
    case unitStarts
    /// Every packet.
    case all
  }

  private var interests: [UInt8]

  /// A filter that wants the same of all PIDs.
  public init(_ interest: Interest) { interests = [UInt8](repeating: interest.rawValue, count: 8_192) }

  /// What is wanted of a PID.
  public subscript(pid: PID) -> Interest {
    get { Interest(rawValue: interests[Int(pid & 0x1FFF)]) ?? .none }
    set { interests[Int(pid & 0x1FFF)] = newValue.rawValue }
  }

  /// Whether a packet of 188 bytes is wanted.
  public func wants(_ packet: Span<UInt8>) -> Bool { wants(packet, at: 0) }

  /// Whether the packet is wanted whose sync byte is at `start`. Four bytes must be there.
  @inline(__always)
  func wants(_ bytes: Span<UInt8>, at start: Int) -> Bool {
    let flags = bytes[start &+ 1]
    let interest = interests[Int(flags & 0x1F) &<< 8 | Int(bytes[start &+ 2])]
    guard interest != Interest.none.rawValue else { return false }
    return interest == Interest.all.rawValue || flags & 0xC0 != 0 || bytes[start &+ 3] & 0x20 != 0
  }
}

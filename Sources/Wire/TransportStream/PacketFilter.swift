/// Which packets of a transport stream somebody wants to see, by their PIDs. Whoever passes over the others looks at four bytes of each.
public struct PacketFilter: Sendable {
  /// What is wanted of a PID.
  public enum Interest: UInt8, Sendable {
    /// Nothing.
    case none
    /// What can change the time that the PID's access units tell: packets in which a PES packet starts, that have an adaptation field, or that
    /// are marked as damaged. Of a picture these are one in a hundred.
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

  /// Whether the packet is wanted whose sync byte stands at `start`. Four bytes must be there.
  @inline(__always)
  func wants(_ bytes: Span<UInt8>, at start: Int) -> Bool {
    let flags = bytes[start &+ 1]
    let interest = interests[Int(flags & 0x1F) &<< 8 | Int(bytes[start &+ 2])]
    guard interest != Interest.none.rawValue else { return false }
    return interest == Interest.all.rawValue || flags & 0xC0 != 0 || bytes[start &+ 3] & 0x20 != 0
  }
}

import Basics

/// Selects packets of a transport stream by their PIDs. The first four bytes of a packet decide whether it can be skipped.
public struct PacketFilter: Sendable {
  /// What is wanted of a PID. The raw value is a mask: a packet is wanted if it has at least one of these marks.
  public enum Interest: UInt8, Sendable {
    /// Nothing.
    case none = 0
    /// Packets that can change the time of the PID's access units: in which a PES packet starts, with an adaptation field, or marked as damaged.
    /// About one in a hundred packets of video is one of these.
    case unitStarts = 0xE0
    /// Every packet.
    case all = 0xFF
  }

  /// The interest in each PID.
  private var interests: [UInt8]
  private static let pidCount = 8_192

  /// A filter that wants the same of all PIDs.
  public init(_ interest: Interest) { interests = [UInt8](repeating: interest.rawValue, count: Self.pidCount) }

  /// What is wanted of a PID.
  public subscript(pid: PID) -> Interest {
    get { Interest(rawValue: interests[Int(pid & 0x1FFF)]) ?? .none }
    set { interests[Int(pid & 0x1FFF)] = newValue.rawValue }
  }

  /// The marks of a packet: bit 0, which all have; the transport_error_indicator (bit 7) and the payload_unit_start_indicator (bit 6), as in the
  /// header; and bit 5 if there is an adaptation field.
  @inline(__always)
  private static func marks(_ flags: UInt8, _ control: UInt8) -> UInt8 { flags & 0xC0 | control & 0x20 | 1 }

  /// Whether a packet of 188 bytes is wanted.
  public func wants(_ packet: Span<UInt8>) -> Bool {
    interests[Int(TransportPacket.pid(of: packet))] & Self.marks(packet[1], packet[3]) != 0
  }

  /// The position, from `start` on, of the first packet that is wanted, has no sync byte or is not whole.
  func firstWanted(in bytes: Span<UInt8>, from start: Int, _ framing: PacketFramer.Framing) -> Int {
    // With constants the compiler knows that the bytes of a header are there. That halves the time for each packet.
    switch framing {
    case .plain: firstWanted(in: bytes, from: start, stride: 188, packetStart: 0)
    case .timestamped: firstWanted(in: bytes, from: start, stride: 192, packetStart: 4)
    case .withParity: firstWanted(in: bytes, from: start, stride: 204, packetStart: 0)
    }
  }

  @inline(__always)
  private func firstWanted(in bytes: Span<UInt8>, from start: Int, stride: Int, packetStart: Int) -> Int {
    let interests = interests.view
    // The compiler then knows the size, and does not check it for each packet.
    guard interests.count == Self.pidCount else { return start }
    var rest = bytes.extracting(start..<bytes.count)
    while rest.count >= stride {
      let flags = rest[packetStart &+ 1]
      let interest = interests[Int(flags & 0x1F) &<< 8 | Int(rest[packetStart &+ 2])]
      guard rest[packetStart] == TransportPacket.syncByte, interest & Self.marks(flags, rest[packetStart &+ 3]) == 0 else { break }
      rest = rest.extracting(droppingFirst: stride)
    }
    return bytes.count &- rest.count
  }
}

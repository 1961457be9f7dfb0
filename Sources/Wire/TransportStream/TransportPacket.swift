public import Basics

/// A packet identifier: 13 bits.
public typealias PID = UInt16

/// The header of a transport packet, with its adaptation field (ISO/IEC 13818-1, 2.4.3.2 and 2.4.3.4).
public struct TransportPacket: Equatable, Sendable {
  /// The size of a packet in bytes.
  public static let size = 188
  /// The first byte of every packet.
  public static let syncByte: UInt8 = 0x47
  /// The PID of packets that carry nothing.
  public static let nullPID: PID = 0x1FFF

  /// Whether a receiver found errors in the packet that it could not correct.
  public var hasError = false
  /// Whether a PES packet or the pointer to a section starts in the payload.
  public var startsUnit = false
  /// The transport_priority bit.
  public var hasPriority = false
  /// Which stream the packet belongs to.
  public var pid: PID
  /// The transport_scrambling_control bits; 0 if nothing is scrambled.
  public var scrambling: UInt8 = 0
  /// Counts the packets of a PID that have a payload, modulo 16.
  public var continuityCounter: UInt8
  /// The adaptation field, if there is one.
  public var adaptation: AdaptationField?
  /// The range of the payload in the packet; empty if there is none.
  public var payload: Range<Int>

  /// The part of an adaptation field that matters for timing.
  public struct AdaptationField: Equatable, Sendable {
    /// Whether the stream's clock or counter restarts here.
    public var isDiscontinuous = false
    /// Whether decoding can start with the access unit that begins here.
    public var isRandomAccess = false
    /// The program clock reference in 90 kHz ticks (33 bits), without its 27 MHz extension.
    public var pcr: UInt64?

    /// A field with these values.
    public init(isDiscontinuous: Bool = false, isRandomAccess: Bool = false, pcr: UInt64? = nil) {
      (self.isDiscontinuous, self.isRandomAccess, self.pcr) = (isDiscontinuous, isRandomAccess, pcr)
    }
  }
}

extension TransportPacket {
  /// The PID of a packet; nothing else is read. `packet` has 188 bytes.
  @inlinable @inline(__always)
  public static func pid(of packet: Span<UInt8>) -> PID { PID(packet[1] & 0x1F) << 8 | PID(packet[2]) }

  /// payload_unit_start_indicator of a packet of 188 bytes; nothing else is read.
  @inlinable @inline(__always)
  package static func startsUnit(_ packet: Span<UInt8>) -> Bool { packet[1] & 0x40 != 0 }

  /// Reads the header of a packet of 188 bytes.
  ///
  /// - Throws: `ParseError` if the packet is cut off, does not start with the sync byte, or its adaptation field does not fit.
  public init(_ packet: Span<UInt8>, baseOffset: Int = 0) throws(ParseError) {
    var reader = ByteReader(packet, baseOffset: baseOffset)
    try reader.require(Self.size)
    guard try reader.readUInt8() == Self.syncByte else { throw ParseError(.invalid("no sync byte"), at: baseOffset) }
    let flags = try reader.readUInt16()
    let control = try reader.readUInt8()
    hasError = flags & 0x8000 != 0
    startsUnit = flags & 0x4000 != 0
    hasPriority = flags & 0x2000 != 0
    pid = flags & 0x1FFF
    scrambling = control >> 6
    continuityCounter = control & 0x0F
    var payloadStart = 4
    if control & 0x20 != 0 {
      let length = Int(try reader.readUInt8())
      guard length <= (control & 0x10 != 0 ? 182 : 183) else {
        throw ParseError(.invalid("adaptation field is longer than its packet"), at: baseOffset + 4)
      }
      payloadStart = 5 + length
      var field = try reader.readPart(length)
      adaptation = try AdaptationField(&field)
    }
    payload = control & 0x10 != 0 ? payloadStart..<Self.size : Self.size..<Self.size
  }

  /// Whether the packet has a payload.
  public var hasPayload: Bool { !payload.isEmpty }

  /// Splits `unit`, a PES packet or a pointer field and sections, into packets. The last packet is filled up by an adaptation field.
  ///
  /// - Parameters:
  ///   - unit: The bytes that the packets carry.
  ///   - counter: The continuity counter of the first packet; afterwards that of the next.
  ///   - isDiscontinuous: Whether the first packet says that its counter does not continue the one before (discontinuity_indicator).
  public static func packets(carrying unit: [UInt8], pid: PID, counter: inout UInt8, isDiscontinuous: Bool = false) -> [UInt8] {
    packets(carrying: unit, pid: pid, counter: &counter, first: isDiscontinuous ? AdaptationField(isDiscontinuous: true) : nil)
  }

  /// Splits `unit` into packets as ``packets(carrying:pid:counter:isDiscontinuous:)`` does, the first of which has an adaptation field.
  ///
  /// - Parameter startsUnit: Whether the first packet starts a PES packet, or else they continue one.
  package static func packets(
    carrying unit: [UInt8], pid: PID, counter: inout UInt8, first: AdaptationField?, startsUnit: Bool = true
  ) -> [UInt8] {
    var writer = ByteWriter(capacity: (unit.count + 183) / 184 * size + size)
    var position = 0
    while position < unit.count {
      let field = position == 0 ? first?.encoded ?? [] : []
      // A field has its length in front.
      let length = min(field.isEmpty ? 184 : 183 - field.count, unit.count - position)
      let stuffing = 184 - length
      writer.writeUInt8(syncByte)
      writer.writeUInt16((position == 0 && startsUnit ? 0x4000 : 0) | pid & 0x1FFF)
      writer.writeUInt8((stuffing > 0 ? 0x30 : 0x10) | counter & 0x0F)
      if stuffing > 0 {
        writer.writeUInt8(UInt8(stuffing - 1))
        writer.write(field.isEmpty && stuffing > 1 ? [0] : field)
        writer.fill(0xFF, count: stuffing - 1 - max(field.count, 1))
      }
      writer.write(unit[position..<position + length])
      position += length
      counter = (counter + 1) & 0x0F
    }
    return writer.bytes
  }

  /// A packet with an adaptation field and no payload, which does not count.
  ///
  /// - Parameter counter: The continuity counter of the packet before.
  package static func packet(_ field: AdaptationField, pid: PID, counter: UInt8) -> [UInt8] {
    var writer = ByteWriter(capacity: size)
    writer.writeUInt8(syncByte)
    writer.writeUInt16(pid & 0x1FFF)
    writer.writeUInt8(0x20 | counter & 0x0F)
    writer.writeUInt8(183)
    writer.write(field.encoded)
    writer.fill(0xFF, count: size - writer.bytes.count)
    return writer.bytes
  }
}

extension TransportPacket.AdaptationField {
  fileprivate init(_ field: inout ByteReader) throws(ParseError) {
    guard field.remaining > 0 else { return }
    let flags = try field.readUInt8()
    isDiscontinuous = flags & 0x80 != 0
    isRandomAccess = flags & 0x40 != 0
    if flags & 0x10 != 0 { pcr = try field.readInteger(byteCount: 6) >> 15 }
  }

  /// The flags and the program clock reference, without the length before them and the stuffing after them.
  fileprivate var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 7)
    writer.writeUInt8((isDiscontinuous ? 0x80 : 0) | (isRandomAccess ? 0x40 : 0) | (pcr == nil ? 0 : 0x10))
    // Six bits are reserved, and the extension is 0.
    if let pcr { writer.writeInteger((pcr & 0x1_FFFF_FFFF) << 15 | 0x7E00, byteCount: 6) }
    return writer.bytes
  }
}

extension Span<UInt8> {
  /// Calls `body` with each packet of 188 bytes. Bytes that are left at the end are skipped.
  package func forEachPacket(_ body: (Span<UInt8>) -> Void) {
    var start = 0
    while start + TransportPacket.size <= count {
      body(extracting(start..<start + TransportPacket.size))
      start += TransportPacket.size
    }
  }
}

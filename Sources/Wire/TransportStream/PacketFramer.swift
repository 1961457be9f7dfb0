import Basics

/// Splits a stream of bytes into transport packets of 188 bytes: alone (188), after a 4-byte timestamp (192) or in front of 16 bytes of parity
/// (204). After damage it finds the next packets.
///
/// Chunks may have any size. At most a few packets are kept between them.
public struct PacketFramer: Sendable {
  /// How the packets lie in the stream.
  public enum Framing: Int, CaseIterable, Sendable {
    /// Nothing but packets.
    case plain = 188
    /// A 4-byte arrival timestamp in front of each packet (Blu-ray, M2TS).
    case timestamped = 192
    /// 16 bytes of Reed-Solomon parity after each packet (DVB).
    case withParity = 204

    /// The distance between packets in bytes.
    public var stride: Int { rawValue }
    /// Where in its stride the packet starts.
    public var packetStart: Int { self == .timestamped ? 4 : 0 }
    /// Where in its stride the packet lies.
    public var packetRange: Range<Int> { packetStart..<packetStart + TransportPacket.size }
  }

  /// Bytes that belong to no packet.
  public struct Skipped: Equatable, Sendable {
    /// Where they start, in bytes from the start of the stream.
    public var offset: Int
    /// The number of bytes.
    public var count: Int
    /// The bytes, unless there are more than ``PacketFramer/detectionLimit``. They are not compared.
    package var bytes: [UInt8] = []

    /// Skipped bytes from an offset on.
    public init(offset: Int, count: Int) { (self.offset, self.count) = (offset, count) }

    /// Whether as many bytes were skipped at the same place.
    public static func == (a: Skipped, b: Skipped) -> Bool { a.offset == b.offset && a.count == b.count }
  }

  /// How the packets lie; `nil` until the first ones were found.
  public private(set) var framing: Framing?
  /// The number of bytes that were pushed.
  public private(set) var byteCount = 0

  /// An input without packets in this number of bytes from its start is not a transport stream.
  public static let detectionLimit = 65_536

  /// Whether the input is a transport stream; `nil` until packets or too many other bytes have arrived.
  public var isTransportStream: Bool? { framing != nil ? true : byteCount > Self.detectionLimit ? false : nil }

  /// Whether the input is a transport stream if it ends here: a short one has fewer packets than are needed to be sure earlier.
  public var isTransportStreamAtEnd: Bool {
    // Bytes beyond the limit must not change the decision.
    if let isTransportStream { return isTransportStream }
    var framer = self
    framer.finish(packet: { _, _ in }, skip: { _ in })
    return framer.framing != nil
  }

  /// Bytes that are not assigned yet, and where they start.
  private var kept: [UInt8] = []
  private var keptOffset = 0
  private var isInSync = false
  private var skipped: Skipped?

  /// The number of sync bytes in a row that make a stream: at the start, and after damage.
  private static let syncsAtStart = 5
  private static let syncsAfterDamage = 3

  /// A filter that wants all packets, made once, because making its table would take longer than reading a small chunk.
  private static let everything = PacketFilter(.all)

  /// Starts at the beginning of a stream.
  public init() {}

  /// Receives the next bytes of the stream.
  ///
  /// - Parameters:
  ///   - packet: Called with each packet (188 bytes) and the offset of its sync byte.
  ///   - skip: Called with bytes that belong to no packet.
  public mutating func push<Failure: Error>(
    _ chunk: Span<UInt8>, packet: (Span<UInt8>, Int) throws(Failure) -> Void, skip: (Skipped) throws(Failure) -> Void
  ) throws(Failure) {
    var filter = Self.everything
    try push(chunk, filter: &filter) { (unit, offset, framing, _) throws(Failure) in
      try packet(unit.extracting(framing.packetRange), offset + framing.packetStart)
    } passed: { (_, _) throws(Failure) in
    } skip: { (skipped) throws(Failure) in
      try skip(skipped)
    }
  }

  /// Receives the next bytes of the stream, of which only some packets are wanted.
  ///
  /// - Parameters:
  ///   - filter: Which packets are wanted.
  ///   - packet: Called with each wanted packet, including its timestamp or parity, the offset of its first byte, the framing, and the filter, which
  ///     may be changed for the packets that follow. The parity of the stream's last packet may be missing.
  ///   - passed: Called with the other packets, as many as possible at once, and the offset of the first byte.
  ///   - skip: Called with bytes that belong to no packet.
  public mutating func push<Failure: Error>(
    _ chunk: Span<UInt8>, filter: inout PacketFilter,
    packet: (Span<UInt8>, Int, Framing, inout PacketFilter) throws(Failure) -> Void, passed: (Span<UInt8>, Int) throws(Failure) -> Void,
    skip: (Skipped) throws(Failure) -> Void
  ) throws(Failure) {
    var position = 0
    let chunkOffset = byteCount
    byteCount += chunk.count
    // The kept bytes are completed with as few bytes of the chunk as possible. The rest is read without a copy.
    while !kept.isEmpty && position < chunk.count {
      let count = min(chunk.count - position, max(neededWhenKept - kept.count, 1))
      kept.append(copying: chunk.extracting(position..<position + count))
      position += count
      let bytes = kept
      let consumed = try frame(bytes.view, offset: keptOffset, isLast: false, &filter, packet, passed, skip)
      kept.removeFirst(consumed)
      keptOffset += consumed
    }
    guard position < chunk.count else { return }
    let rest = chunk.extracting(position..<chunk.count)
    let consumed = try frame(rest, offset: chunkOffset + position, isLast: false, &filter, packet, passed, skip)
    keptOffset = chunkOffset + position + consumed
    kept.append(copying: rest.extracting(consumed..<rest.count))
  }

  /// Ends the stream: the kept bytes are read.
  public mutating func finish<Failure: Error>(
    packet: (Span<UInt8>, Int) throws(Failure) -> Void, skip: (Skipped) throws(Failure) -> Void
  ) throws(Failure) {
    var filter = Self.everything
    try finish(filter: &filter) { (unit, offset, framing, _) throws(Failure) in
      try packet(unit.extracting(framing.packetRange), offset + framing.packetStart)
    } passed: { (_, _) throws(Failure) in
    } skip: { (skipped) throws(Failure) in
      try skip(skipped)
    }
  }

  /// Ends the stream, of which only some packets are wanted: the kept bytes are read. The parameters are those of `push`.
  public mutating func finish<Failure: Error>(
    filter: inout PacketFilter, packet: (Span<UInt8>, Int, Framing, inout PacketFilter) throws(Failure) -> Void,
    passed: (Span<UInt8>, Int) throws(Failure) -> Void, skip: (Skipped) throws(Failure) -> Void
  ) throws(Failure) {
    let bytes = kept
    let consumed = try frame(bytes.view, offset: keptOffset, isLast: true, &filter, packet, passed, skip)
    let view = bytes.view
    recordSkipped(view.extracting(consumed...), at: keptOffset + consumed)
    try reportSkipped(skip)
    kept = []
    keptOffset = byteCount
  }

  /// Receives the next bytes of the stream, or ends it: the last call has no bytes. The parameters are those of `push`.
  package mutating func read<Failure: Error>(
    _ chunk: Span<UInt8>, isLast: Bool, filter: inout PacketFilter,
    packet: (Span<UInt8>, Int, Framing, inout PacketFilter) throws(Failure) -> Void, passed: (Span<UInt8>, Int) throws(Failure) -> Void,
    skip: (Skipped) throws(Failure) -> Void
  ) throws(Failure) {
    if isLast {
      try finish(filter: &filter, packet: packet, passed: passed, skip: skip)
    } else {
      try push(chunk, filter: &filter, packet: packet, passed: passed, skip: skip)
    }
  }

  /// The number of bytes that are needed to find the next packet.
  private var neededWhenKept: Int {
    guard let framing else { return Self.syncsAtStart * Framing.withParity.stride }
    return isInSync ? framing.stride : Self.syncsAfterDamage * framing.stride
  }

  /// Reports the packets in `bytes` as far as they are certain, and returns the number of bytes that are finished.
  private mutating func frame<Failure: Error>(
    _ bytes: Span<UInt8>, offset: Int, isLast: Bool, _ filter: inout PacketFilter,
    _ packet: (Span<UInt8>, Int, Framing, inout PacketFilter) throws(Failure) -> Void, _ passed: (Span<UInt8>, Int) throws(Failure) -> Void,
    _ skip: (Skipped) throws(Failure) -> Void
  ) throws(Failure) -> Int {
    var position = 0
    while position < bytes.count {
      if let framing, isInSync {
        let end = filter.firstWanted(in: bytes, from: position, framing)
        if end > position { try passed(bytes.extracting(position..<end), offset + position) }
        position = end
        // The parity of the last packet may be missing.
        guard position + framing.stride <= bytes.count || (isLast && position + framing.packetRange.upperBound <= bytes.count) else {
          break
        }
        guard bytes[position + framing.packetStart] == TransportPacket.syncByte else {
          isInSync = false
          continue
        }
        let unit = bytes.extracting(position..<min(position + framing.stride, bytes.count))
        if filter.wants(unit.extracting(framing.packetRange)) {
          try packet(unit, offset + position, framing, &filter)
        } else {
          try passed(unit, offset + position)
        }
        position += unit.count
      } else {
        let found = search(bytes, offset: offset, from: position, isLast: isLast)
        recordSkipped(bytes.extracting(position..<found), at: offset + position)
        position = found
        guard isInSync else { break }
        try reportSkipped(skip)
      }
    }
    return position
  }

  /// Looks for packets from `start` on. Returns where they start and sets `isInSync`; otherwise returns the position up to which there certainly
  /// are none.
  private mutating func search(_ bytes: Span<UInt8>, offset: Int, from start: Int, isLast: Bool) -> Int {
    let wanted = framing == nil ? Self.syncsAtStart : Self.syncsAfterDamage
    let candidates = framing.map { [$0] } ?? Framing.allCases
    // Most bytes are no sync byte, and are skipped at once.
    let starts = Framing.allCases.map { $0.packetStart }
    let (nearest, farthest) = (starts.min() ?? 0, starts.max() ?? 0)
    var position = start
    while position < bytes.count {
      if position + farthest < bytes.count, bytes[position + nearest] != TransportPacket.syncByte,
        bytes[position + farthest] != TransportPacket.syncByte
      {
        position += 1
        continue
      }
      var isUndecided = false
      for candidate in candidates {
        switch hasSync(bytes, at: position, candidate, wanted: wanted, isLast: isLast, isStart: offset + position == 0) {
        case .some(true):
          framing = candidate
          isInSync = true
          return position
        case .some(false): continue
        case .none: isUndecided = true
        }
      }
      if isUndecided { return position }
      position += 1
    }
    return position
  }

  /// Whether packets in this framing start at `position`; `nil` if more bytes are needed to tell.
  private func hasSync(
    _ bytes: Span<UInt8>, at position: Int, _ framing: Framing, wanted: Int, isLast: Bool, isStart: Bool
  ) -> Bool? {
    for number in 0..<wanted {
      let index = position + framing.packetStart + number * framing.stride
      guard index < bytes.count else {
        // At the end of the stream fewer sync bytes are enough, if there is at least one whole packet. A single packet must be the whole stream or
        // follow others: the sync byte is the letter `G`, which most texts contain.
        guard isLast else { return nil }
        let isEnough = number > 1 || (number == 1 && (isStart || self.framing != nil))
        return isEnough && position + framing.packetStart + TransportPacket.size <= bytes.count
      }
      guard bytes[index] == TransportPacket.syncByte else { return false }
    }
    return true
  }

  private mutating func recordSkipped(_ bytes: Span<UInt8>, at offset: Int) {
    guard bytes.count > 0 else { return }
    var skipped = skipped.take() ?? Skipped(offset: offset, count: 0)
    let isKept = skipped.bytes.count == skipped.count && skipped.count + bytes.count <= Self.detectionLimit + Framing.withParity.stride
    skipped.count += bytes.count
    if isKept { skipped.bytes.append(copying: bytes) } else { skipped.bytes = [] }
    self.skipped = skipped
  }

  private mutating func reportSkipped<Failure: Error>(_ skip: (Skipped) throws(Failure) -> Void) throws(Failure) {
    if let skipped = skipped.take() { try skip(skipped) }
  }
}

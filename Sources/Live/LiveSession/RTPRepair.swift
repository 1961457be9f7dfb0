import Basics

/// Computes lost packets of RTP from the parity packets of SMPTE ST 2022-1, whose packets are rows and columns of a matrix.
struct RTPRepair: Sendable {
  /// A parity packet: the exclusive or of packets that are `offset` apart.
  private struct Parity: Sendable {
    var base: UInt16
    var offset: UInt16
    var count: UInt16
    /// The exclusive or of the lengths of the payloads, and of the payloads.
    var length: Int
    var payload: ArraySlice<UInt8>

    /// The size of the header after that of RTP (ST 2022-1, 8.4; RFC 2733, 3.3).
    private static let headerSize = 16

    /// Reads a packet; `nil` if it is none, or protects nothing.
    init?(_ packet: RTPPacket) {
      let bytes = Array(packet.payload)
      guard bytes.count > Self.headerSize, bytes[13] > 0, bytes[14] > 0 else { return nil }
      base = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
      length = Int(bytes[2]) << 8 | Int(bytes[3])
      (offset, count) = (UInt16(bytes[13]), UInt16(bytes[14]))
      payload = bytes[Self.headerSize...]
    }

    var sequences: [UInt16] { (0..<count).map { base &+ $0 &* offset } }
  }

  /// The latest payloads by their sequence numbers, and their order.
  private var payloads: [UInt16: ArraySlice<UInt8>] = [:]
  private var order = Queue<UInt16>()
  private var parities: [Parity] = []

  /// The maximum numbers of payloads and of parity packets that are kept: more than two matrices of 20 columns and 20 rows.
  static let mostPayloads = 1_024
  static let mostParities = 128

  /// Receives a packet.
  mutating func push(_ packet: RTPPacket) { keep(packet.payload, packet.sequence) }

  /// Receives a parity packet.
  ///
  /// - Returns: The packets that can be computed now.
  mutating func push(parity packet: RTPPacket) -> [(sequence: UInt16, payload: ArraySlice<UInt8>)] {
    guard let parity = Parity(packet) else { return [] }
    parities.append(parity)
    if parities.count > Self.mostParities { parities.removeFirst() }
    var found: [(sequence: UInt16, payload: ArraySlice<UInt8>)] = []
    // A packet that was found may complete another row or column.
    while let next = takeRecovered() {
      keep(next.payload, next.sequence)
      found.append(next)
    }
    return found
  }

  private mutating func keep(_ payload: ArraySlice<UInt8>, _ sequence: UInt16) {
    if payloads.updateValue(payload, forKey: sequence) == nil { order.append(sequence) }
    if order.count > Self.mostPayloads, let oldest = order.popFirst() { payloads[oldest] = nil }
  }

  /// A packet that is alone missing from what a parity packet protects.
  private mutating func takeRecovered() -> (sequence: UInt16, payload: ArraySlice<UInt8>)? {
    for (index, parity) in parities.enumerated() {
      let missing = parity.sequences.filter { payloads[$0] == nil }
      guard missing.count <= 1 else { continue }
      guard let sequence = missing.first else {
        parities.remove(at: index)
        return takeRecovered()
      }
      parities.remove(at: index)
      guard let payload = recovered(sequence, by: parity) else { return takeRecovered() }
      return (sequence, payload)
    }
    return nil
  }

  private func recovered(_ sequence: UInt16, by parity: Parity) -> ArraySlice<UInt8>? {
    var (length, bytes) = (parity.length, Array(parity.payload))
    for other in parity.sequences where other != sequence {
      guard let payload = payloads[other], payload.count <= bytes.count else { return nil }
      length ^= payload.count
      for (index, byte) in payload.enumerated() { bytes[index] ^= byte }
    }
    return length > 0 && length <= bytes.count ? bytes[..<length] : nil
  }
}

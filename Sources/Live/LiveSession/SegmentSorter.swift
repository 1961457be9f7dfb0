import HLSReading
import TransportStream

/// Divides a loaded presentation into pieces that can be stamped.
struct SegmentSorter: Sendable {
  /// The format of the segments; `nil` while it is unknown.
  private enum Format: Sendable {
    case transportStream
    case fragments
  }

  private var format: Format?
  private var source: HLSSource?
  /// The initialization segment, while it is loaded.
  private var initialization: [UInt8]?
  /// Whether the segment has no bytes yet.
  private var isStarting = false
  /// Whether the segment is left out, and whether the operator knows that.
  private var isUnreadable = false
  private var hasReportedUnreadable = false

  /// Receives the next portion; returns its pieces, and a message for the operator.
  mutating func receive(_ portion: HLSPortion) -> (pieces: [SegmentBuffer.Piece], problem: String?) {
    switch portion {
    case .playlist, .segments, .next, .notice, .finished: break
    case .begin(let part):
      initialization = part.kind == .initializationSegment ? [] : nil
      (source, isStarting, isUnreadable) = (part.source, true, false)
    case .bytes(let bytes):
      guard initialization == nil else {
        initialization? += bytes
        break
      }
      return sort(bytes)
    case .end:
      if let initialization = initialization.take() { return (begin(initialization), nil) }
      return isUnreadable ? ([.discontinuity], nil) : ([.segmentEnd], nil)
    case .discontinuity:
      format = nil
      return ([.discontinuity], nil)
    case .lost: return ([.discontinuity], nil)
    }
    return ([], nil)
  }

  private mutating func begin(_ initialization: [UInt8]) -> [SegmentBuffer.Piece] {
    guard initialization.first == TransportPacket.syncByte else {
      format = .fragments
      return [.initialization(initialization)]
    }
    format = .transportStream
    return [.initialization(nil), .bytes(initialization[...])]
  }

  private mutating func sort(_ bytes: ArraySlice<UInt8>) -> (pieces: [SegmentBuffer.Piece], problem: String?) {
    guard !isUnreadable else { return ([], nil) }
    guard isStarting else { return ([.bytes(bytes)], nil) }
    isStarting = false
    let isTransportStream = bytes.first == TransportPacket.syncByte
    if isTransportStream, format == .transportStream { return ([.bytes(bytes)], nil) }
    if isTransportStream {
      format = .transportStream
      return ([.initialization(nil), .bytes(bytes)], nil)
    }
    // A box begins with its size, which is small here, and its type.
    if format == .fragments, bytes.count >= 8, bytes.dropFirst(4).prefix(4).allSatisfy({ (0x61...0x7A).contains($0) }) {
      return ([.bytes(bytes)], nil)
    }
    isUnreadable = true
    defer { hasReportedUnreadable = true }
    let name = source.map { "\($0)" } ?? ""
    return ([], hasReportedUnreadable ? nil : "\(name): neither MPEG transport stream nor fragmented MP4: such segments are left out")
  }
}

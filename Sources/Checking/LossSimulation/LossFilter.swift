package import EventReading
package import HLSReading

/// Changes the portions of an input as if they were damaged or lost in transit. The same seed gives the same loss.
///
/// Lost segments do not pass through it: they are not even loaded (`HLSReader.Options.skippedSegments`).
package struct LossFilter: Sendable {
  /// The container of an input without transport packets whose packets should be changed; its bytes stay as they are. `nil` for other inputs.
  package private(set) var refused: Container?
  /// The media sequence numbers of a presentation's segments, in order, without gaps (EXT-X-GAP).
  package private(set) var segments: [UInt64] = []

  private let changesPackets: Bool
  private var packets: PacketSimulator
  private var flipper: BitFlipper
  private var detector = ContainerDetector()
  /// Whether the bytes are those of a segment. Initialization segments stay as they are.
  private var isSegment = true

  /// A filter for one reading of an input.
  package init(_ loss: SimulatedLoss, seed: UInt64) {
    changesPackets = loss.concernsPackets
    packets = PacketSimulator(loss, seed: seed)
    flipper = BitFlipper(loss.flips, seed: seed)
  }

  /// Returns the portions that replace the next one.
  package mutating func change(_ portion: HLSPortion) -> [HLSPortion] {
    switch portion {
    case .next(let mediaSequence, isGap: false): segments.append(mediaSequence)
    case .begin(let part): isSegment = part.kind == .segment
    case .bytes(let bytes) where isSegment: return change(bytes, isLast: false)
    // Held packets precede the end.
    case .end where isSegment, .lost where isSegment: return change([], isLast: true) + [portion]
    default: break
    }
    return [portion]
  }

  private mutating func change(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> [HLSPortion] {
    var output = changesPackets ? changePackets(bytes, isLast: isLast) : Array(bytes)
    flipper.flip(&output)
    return output.isEmpty ? [] : [.bytes(output[...])]
  }

  private mutating func changePackets(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
    var bytes = Array(bytes)
    if detector.container == nil {
      let beginning = detector.push(bytes.span) ?? (isLast && detector.byteCount > 0 ? detector.finish() : nil)
      guard let beginning else { return [] }
      bytes = beginning
    }
    guard detector.container == .transportStream else {
      refused = detector.container
      return bytes
    }
    return packets.push(bytes.span, isLast: isLast)
  }
}

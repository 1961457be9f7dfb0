package import EventReading
package import HLSReading

/// Changes the portions of an input as if they were damaged or lost on the way to their reader. The same seed gives the same loss.
///
/// Whole segments that are lost are not its task: they are not even loaded (`HLSReader.Options.skippedSegments`).
package struct LossFilter: Sendable {
  /// The container, where packets of a transport stream were to be changed and it is none: its bytes stay as they are.
  package private(set) var refused: Container?
  /// The media sequence numbers of a presentation's segments, in order. Gaps are not among them.
  package private(set) var segments: [UInt64] = []

  private let changesPackets: Bool
  private var packets: PacketSimulator
  private var flipper: BitFlipper
  /// The first bytes, as long as they do not tell what the container is.
  private var prefix: [UInt8] = []
  private var container: Container?
  /// Whether the bytes are those of a segment. Initialization segments stay as they are.
  private var isSegment = true

  /// A filter for one reading of an input.
  package init(_ loss: SimulatedLoss, seed: UInt64) {
    changesPackets = loss.concernsPackets
    packets = PacketSimulator(loss, seed: seed)
    flipper = BitFlipper(loss.flips, seed: seed)
  }

  /// Returns the portions that are read in place of the next one.
  package mutating func change(_ portion: HLSPortion) -> [HLSPortion] {
    switch portion {
    case .next(let mediaSequence, isGap: false): segments.append(mediaSequence)
    case .begin(let part): isSegment = part.kind == .segment
    case .bytes(let bytes) where isSegment: return change(bytes, isLast: false)
    // Packets that are held back come before the end.
    case .end where isSegment, .lost where isSegment: return change([], isLast: true) + [portion]
    default: break
    }
    return [portion]
  }

  private mutating func change(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> [HLSPortion] {
    var output = changesPackets ? changePackets(Array(bytes), isLast: isLast) : Array(bytes)
    flipper.flip(&output)
    return output.isEmpty ? [] : [.bytes(output[...])]
  }

  private mutating func changePackets(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
    var bytes = bytes
    if container == nil {
      bytes = prefix + bytes
      container = Container(startingWith: bytes.span) ?? (isLast && !bytes.isEmpty ? .transportStream : nil)
      prefix = container == nil ? bytes : []
    }
    guard let container else { return [] }
    guard container == .transportStream else {
      refused = container
      return bytes
    }
    return packets.push(bytes.span) + (isLast ? packets.finish() : [])
  }
}

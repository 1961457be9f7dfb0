import Basics
import CMAF
import NALUnits
import TransportStream

/// Looks for the transfer characteristics of a video in the first sequence parameter sets of its packets.
struct ParameterSearch: Sendable {
  /// The transfer characteristics; `nil` before they were found, or if they are not stated.
  private(set) var transfer: UInt8?

  private var bytes: [UInt8] = []
  private var isCollecting = false
  private var attempts = 0

  /// The number of bytes of an access unit that are searched, and the number of access units.
  private static let (mostBytes, mostAttempts) = (2_048, 8)

  /// Receives the payload of a packet of the video.
  ///
  /// - Parameter startsUnit: Whether a PES packet starts in it.
  mutating func push(_ payload: Span<UInt8>, startsUnit: Bool, _ codec: NALUnitCodec?) {
    guard transfer == nil, attempts < Self.mostAttempts, let codec else { return }
    if startsUnit {
      if isCollecting { search(codec) }
      (bytes, isCollecting) = ([], true)
    }
    guard isCollecting else { return }
    bytes.append(copying: payload)
    if bytes.count >= Self.mostBytes { search(codec) }
  }

  private mutating func search(_ codec: NALUnitCodec) {
    isCollecting = false
    let collected = bytes
    var sets: [Range<Int>] = []
    ByteStream.forEachUnit(in: collected.span) { range in
      if codec.isSequenceParameterSet(collected[range.lowerBound]) { sets.append(range) }
    }
    guard let range = sets.first else { return }
    attempts += 1
    let unit = Array(collected[range])
    transfer = (try? VideoParameters(codec, sequenceParameterSet: unit.span))?.transfer
  }
}

import Basics
import EventReading
import ID3

/// Checks the tags between the frames of packed audio (RFC 8216, 3.4).
struct PackedAudioChecker: Sendable {
  private var kept: [UInt8] = []
  private var offset = 0
  /// The number of bytes of the current frame that are still to be skipped.
  private var skipping = 0
  private var isFirst = true

  /// A larger tag is none that a stream would carry.
  private static let largestTag = 1 << 20

  /// Starts a segment.
  mutating func startSegment() { self = PackedAudioChecker() }

  /// Checks the next bytes.
  mutating func push(_ bytes: Span<UInt8>, _ log: inout FindingLog) -> [TagObservation] {
    var observations: [TagObservation] = []
    var position = 0
    while position < bytes.count {
      guard skipping == 0 else {
        let count = min(skipping, bytes.count - position)
        (skipping, position, offset) = (skipping - count, position + count, offset + count)
        continue
      }
      kept.append(bytes[position])
      position += 1
      if let observation = readKept(&log) { observations.append(observation) }
    }
    return observations
  }

  private mutating func readKept(_ log: inout FindingLog) -> TagObservation? {
    switch PackedAudioHeader(kept.span) {
    case .incomplete: return nil
    case .frame(let frame):
      checkStart(at: offset, false, &log)
      skip(max(frame.size, kept.count))
      return nil
    case .none:
      skip(1)
      return nil
    case .tag(let size):
      guard size <= Self.largestTag else {
        skip(kept.count)
        return nil
      }
      guard kept.count == size else { return nil }
      let (tag, start) = (kept, offset)
      skip(size)
      checkStart(at: start, (try? ID3Tag.decode(tag.span))?.transportStreamTimestamp != nil, &log)
      return TagChecker.check(tag, at: start, carrier: .packedAudio, &log)
    }
  }

  /// Skips bytes from the start of those that are kept. The rest of those is read again.
  private mutating func skip(_ count: Int) {
    let known = min(count, kept.count)
    kept.removeFirst(known)
    offset += known
    skipping = count - known
  }

  private mutating func checkStart(at offset: Int, _ isTimestamp: Bool, _ log: inout FindingLog) {
    guard isFirst else { return }
    isFirst = false
    if !isTimestamp { log.add(.packedAudioTime, at: offset, "no timestamp at the start") }
  }
}

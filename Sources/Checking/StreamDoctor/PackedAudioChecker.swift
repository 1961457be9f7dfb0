import Basics
import EventReading
import ID3

/// Looks at the tags between the frames of packed audio (RFC 8216, 3.4).
struct PackedAudioChecker: Sendable {
  private var kept: [UInt8] = []
  private var offset = 0
  /// How many bytes of a frame are still to be passed over.
  private var passing = 0
  private var isFirst = true

  /// A larger tag is none that a stream would carry.
  private static let largestTag = 1 << 20

  /// Takes note that a segment starts.
  mutating func startSegment() { self = PackedAudioChecker() }

  /// Takes the next bytes.
  mutating func push(_ bytes: Span<UInt8>, _ log: inout FindingLog) -> [TagObservation] {
    var sightings: [TagObservation] = []
    var position = 0
    while position < bytes.count {
      guard passing == 0 else {
        let count = min(passing, bytes.count - position)
        (passing, position, offset) = (passing - count, position + count, offset + count)
        continue
      }
      kept.append(bytes[position])
      position += 1
      if let sighting = readKept(&log) { sightings.append(sighting) }
    }
    return sightings
  }

  private mutating func readKept(_ log: inout FindingLog) -> TagObservation? {
    switch PackedAudioHeader(kept.span) {
    case .incomplete: return nil
    case .frame(let frame):
      checkStart(at: offset, false, &log)
      pass(max(frame.size, kept.count))
      return nil
    case .none:
      pass(1)
      return nil
    case .tag(let size):
      guard size <= Self.largestTag else {
        pass(kept.count)
        return nil
      }
      guard kept.count == size else { return nil }
      let (tag, start) = (kept, offset)
      pass(size)
      checkStart(at: start, (try? ID3Tag.decode(tag.span))?.transportStreamTimestamp != nil, &log)
      return TagChecker.examine(tag, at: start, carrier: .packedAudio, &log)
    }
  }

  /// Passes over so many bytes from the start of what is kept; what is kept beyond them is looked at again.
  private mutating func pass(_ count: Int) {
    let known = min(count, kept.count)
    kept.removeFirst(known)
    offset += known
    passing = count - known
  }

  private mutating func checkStart(at offset: Int, _ isTimestamp: Bool, _ log: inout FindingLog) {
    guard isFirst else { return }
    isFirst = false
    if !isTimestamp { log.add(.packedAudioTime, at: offset, "no timestamp at the start") }
  }
}

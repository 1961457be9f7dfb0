import Basics
import EventReading
import ID3

/// Checks the tags between the frames of packed audio (RFC 8216, 3.4).
struct PackedAudioChecker: Sendable {
  private var parser = PackedAudioParser()
  private var isFirst = true
  private var tags: TagChecker

  init(_ tags: TagChecker) { self.tags = tags }

  /// Starts a segment.
  mutating func startSegment() { (parser, isFirst) = (PackedAudioParser(), true) }

  /// Checks the next bytes.
  mutating func push(_ bytes: Span<UInt8>, _ log: inout FindingLog) -> [TagObservation] {
    var observations: [TagObservation] = []
    for element in parser.push(bytes) {
      switch element {
      case .damage: break
      case .frame(_, let offset): checkStart(at: offset, false, &log)
      case .tag(let tag, let offset):
        checkStart(at: offset, (try? ID3Tag.decode(tag.span))?.transportStreamTimestamp != nil, &log)
        observations.append(tags.check(tag, at: offset, carrier: .packedAudio, &log))
      }
    }
    return observations
  }

  private mutating func checkStart(at offset: Int, _ isTimestamp: Bool, _ log: inout FindingLog) {
    guard isFirst else { return }
    isFirst = false
    if !isTimestamp { log.add(.packedAudioTime, at: offset, "no timestamp at the start") }
  }
}

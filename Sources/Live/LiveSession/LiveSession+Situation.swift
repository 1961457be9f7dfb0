package import Basics
package import LiveHLS
package import LiveInterface
import Synchronization

// What the operator and the clients see.
extension LiveSession {
  /// The numbers of a session that the operator sees.
  package struct Situation: Equatable, Sendable {
    /// Whether the input is up.
    package var isInputUp = false
    /// The programme time of the latest access unit; `nil` before the first one.
    package var time: MediaTime?
    /// The number of bytes of the input.
    package var receivedBytes = 0
    /// The number of copies of events in the stream, refreshes included.
    package var copies = 0
    /// The number of segments that this session has listed.
    package var segments = 0
    /// The number of discontinuous ones among them.
    package var discontinuities = 0
    /// The number of gaps that were listed while the input was silent.
    package var gaps = 0
    /// The numbers of packets that were added to the stream, and of null packets that were replaced.
    package var addedPackets = 0
    package var replacedPackets = 0
    /// The counts of the input's packets.
    package var input = InputCounts()
    /// The number of jumps of the input's clock.
    package var clockJumps = 0
    /// How many seconds the programme's date was ahead of this machine's clock at the latest access unit; `nil` before the first one.
    package var dateOffset: Double?
    /// The number of sections of SCTE-35 in the input, and of those that cannot be read.
    package var cues = 0
    package var damagedCues = 0
    /// The number of ad breaks that have begun.
    package var breaks = 0
    /// The longest recent time between two key frames; `nil` before the second one.
    package var keyFrameInterval: MediaTime?
    /// The type and the sequence number of the event that was placed last.
    package var lastEvent: String?
    /// The latest message for the operator.
    package var notice: String?
    /// The number of messages for the operator.
    package var notices = 0
    /// Whether the session is over.
    package var hasEnded = false
  }

  package var situation: Situation {
    let target = silenceTarget
    var situation = state.withLock { state in
      var situation = state.situation
      if state.silence.isNoticeable(at: .now, target: target) { situation.isInputUp = false }
      return situation
    }
    if let pair { situation.input = pair.input.counts }
    if let inputSwitch { situation.input = inputSwitch.counts }
    let counts = presentation.counts
    (situation.segments, situation.discontinuities, situation.gaps) = (counts.segments, counts.discontinuities, counts.gaps)
    return situation
  }

  /// The duration that decides about a silence of the input: the target duration, or its minimum before the first segment.
  var silenceTarget: Duration {
    if let seconds = presentation.targetDuration { return .seconds(Int(clamping: seconds)) }
    return max(.seconds(1), .milliseconds(settings.segmentDuration.milliseconds))
  }

  /// How the first rendition is coded; `nil` before its first segment.
  package var format: StreamFormat? { presentation.format }

  /// How the stream reaches viewers; `nil` before the first segment.
  package var delivery: StreamDelivery? {
    guard let target = presentation.targetDuration else { return nil }
    return StreamDelivery(
      segmentDuration: settings.segmentDuration, targetDuration: MediaTime(seconds: Int(clamping: target)),
      partTarget: presentation.partTarget, keyFrameInterval: state.withLock { $0.situation.keyFrameInterval })
  }

  /// The number of access units that slow outputs have dropped.
  package var droppedUnits: Int { sinks.reduce(0) { $0 + $1.droppedUnits } }

  /// The outputs besides the web server: the name of each, whether it is up, and the number of dropped access units.
  package var outputs: [(name: String, isUp: Bool, droppedUnits: Int)] { sinks.map { ($0.name, $0.isUp, $0.droppedUnits) } }

  /// The other renditions: the name of the playlist of each, whether it has gaps now, and the counts of its input's packets.
  package var renditions: [(name: String, hasGaps: Bool, input: InputCounts)] {
    let inputs = variants.withLock { $0 }.map(\.counts)
    return presentation.renditions.enumerated().map { ($1.name, $1.hasGaps, $0 < inputs.count ? inputs[$0] : InputCounts()) }
  }

  /// The folders that the session writes to, with the free bytes some seconds ago.
  package var folders: [(path: String, freeBytes: UInt64)] { freeSpace.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0, $1) } }

  /// What is wrong with the session, in words for the operator; empty if nothing is.
  package var faults: [String] {
    let input = situation.isInputUp ? [] : ["nothing comes from the input"]
    let renditions = presentation.renditions.filter(\.hasGaps).map { "\($0.name) has gaps, since its input is late" }
    return input + [desk.refusal].compactMap(\.self) + renditions
  }
}

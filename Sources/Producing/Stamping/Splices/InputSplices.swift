import Basics
import CMAF
import Files
import LibAV
import MetadataReading
import PacketStamping
import SCTE35
import TransportStream

/// The sections of SCTE 35 in an input: libavformat does not copy them, so they are taken out of the input before, and written again.
struct InputSplices: Equatable, Sendable {
  /// A section.
  struct Splice: Equatable, Sendable {
    var section: SpliceSection
    /// The bytes of the section.
    var bytes: [UInt8]
    /// When it takes effect, on the programme's timeline.
    var time: MediaTime
    /// Where it lies, on the programme's timeline.
    var place: MediaTime
    /// The PID in a transport stream.
    var pid: PID?
    /// When it takes effect on the clock of the input, in 90 kHz ticks of 33 bits.
    var clock: UInt64

    /// The bytes of the section in a stream that presents the timeline origin at a time. Only pts_adjustment and the checksum change.
    func moved(to origin: MediaTime) -> [UInt8] {
      let isTimed = section.time != nil || section.command.isEncrypted
      let ticks = TimestampUnwrapper.distance(from: clock, to: TimestampUnwrapper.timestamp(of: origin + time))
      guard isTimed, ticks != 0 else { return bytes }
      return (try? SpliceSection.moving(bytes, by: ticks)) ?? bytes
    }
  }

  /// The sections in the order in which they lie in the input.
  private(set) var all: [Splice] = []

  /// The maximum number of sections. A recording of a day with a section each second has fewer.
  private static let most = 200_000

  /// No sections.
  init() {}

  /// These sections.
  init(_ all: [Splice]) { self.all = all }

  /// Reads the sections of a file. A file that is neither a transport stream nor fragmented MP4 has none.
  static func read(_ path: String, _ isInterrupted: @escaping @Sendable () -> Bool) throws(StampingError) -> InputSplices {
    var file = try reading(FileInput(path: path, isInterrupted: isInterrupted))
    // Only a file can be read twice.
    guard file.size != nil else { return InputSplices() }
    var found = InputSplices()
    var reader = MetadataReader(readsUserData: false)
    while reader.skippable < .max, try reading(file.fill()) {
      for item in reader.push(file.bytes) { found.add(item) }
      reader.skip(bytes: try reading(file.skip(min(reader.skippable, Int(Int32.max)))))
    }
    for item in reader.endStream() { found.add(item) }
    return found
  }

  private mutating func add(_ item: TimedMetadata) {
    guard all.count < Self.most else { return }
    switch item.content {
    case .splice(let section):
      guard let bytes = item.section, let presentation = item.presentationTime else { return }
      let place = item.placeTime ?? item.time
      let time = section.time == nil ? place : item.time
      all.append(
        Splice(
          section: section, bytes: bytes, time: time, place: place, pid: item.pid, clock: TimestampUnwrapper.timestamp(of: presentation)))
    case .eventMessage(let message, .section(let section)?):
      // The time of the event counts, not that in the section.
      let clock = section.time ?? TimestampUnwrapper.timestamp(of: item.presentationTime ?? item.time)
      all.append(
        Splice(section: section, bytes: message.messageData, time: item.time, place: item.placeTime ?? item.time, pid: nil, clock: clock))
    case .klv, .eventMessage, .message, .userData, .dateRange, .playlistTag, .unreadable: break
    }
  }

  /// The ad breaks that the sections announce, in the order of their announcement, without cancelled ones.
  ///
  /// - Parameters:
  ///   - end: When the programme ends. Breaks that begin later are left out.
  ///   - origin: When the timeline origin is presented, on the timeline of the stream that is written.
  func breaks(until end: MediaTime, origin: MediaTime) -> [AdBreak] {
    var tracker = AdBreaks()
    var known: [Int: AdBreak] = [:]
    func apply(_ changes: [AdBreaks.Change]) {
      for change in changes {
        switch change {
        case .announced(let state), .begun(let state), .changed(let state), .ended(let state): known[state.number] = state
        case .cancelled(let state): known[state.number] = nil
        }
      }
    }
    for splice in all {
      // The clock makes the tracker find the time of the splice.
      let clock = splice.section.time.map { ($0 &- UInt64(bitPattern: (splice.time - splice.place).ticks)) & 0x1_FFFF_FFFF }
      apply(tracker.push(splice.section, bytes: splice.moved(to: origin), at: splice.place, clock: clock))
    }
    apply(tracker.advance(to: end))
    return known.values.filter { $0.start >= .zero && $0.start < end }.sorted { $0.number < $1.number }.map { $0.ended }
  }
}

extension AdBreak {
  /// The break at the end of a programme that is complete: it has an end if a section says it. A segmentation lasts as long as it says
  /// (SCTE 35, 10.3.3), and a splice_insert without auto_return until the next one.
  fileprivate var ended: AdBreak {
    var ended = self
    if back == nil, !returnsByItself { ended.end = id.type == nil ? nil : duration.map { start + $0 } }
    return ended
  }
}

extension SpliceCommand {
  fileprivate var isEncrypted: Bool {
    if case .encrypted = self { true } else { false }
  }
}

extension SpliceInserter {
  /// Inserts the sections of an input; `nil` if it has none.
  init?(_ splices: InputSplices, origin: MediaTime) {
    guard !splices.all.isEmpty else { return nil }
    self.init(
      splices.all.map { Splice(place: $0.place, bytes: $0.moved(to: origin)) }, pid: splices.all.lazy.compactMap { $0.pid }.first,
      origin: origin)
  }
}

extension RemuxSummary {
  /// The summary of a copy that has the sections of the input: their stream is not left out.
  func keeping(_ splices: InputSplices) -> RemuxSummary {
    var summary = self
    if !splices.all.isEmpty { summary.leftOut.removeAll { $0.codecName == "scte_35" } }
    return summary
  }
}

import Basics
import CMAF
import EventReading
import PacketStamping

/// Edits the files of a track. All files are read once, and then again by another editor, which knows what the first has found, and writes.
protocol TrackEditing {
  /// The file that is edited.
  var path: String { get set }
  /// The file whose initialization segment was read last.
  var initializationSegment: String? { get set }
  /// Whether the file is a partial segment.
  var isPart: Bool { get set }
  /// Whether a change has moved the bytes after it.
  var hasMoved: Bool { get }
  /// What was changed.
  var report: PacketEditor.Report { get }

  /// The editor for the second reading.
  func forSecondReading() throws(StampingError) -> Self

  /// Reads bytes of the initialization segment that the next file needs.
  mutating func prepare(with bytes: Span<UInt8>)

  /// Ends the initialization segment.
  mutating func endPreparation()

  /// Receives the next bytes of a file.
  mutating func push(_ bytes: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) throws(StampingError)

  /// Ends a file.
  mutating func endSegment(into sink: inout some ByteSink & ~Copyable) throws(StampingError)
}

/// Edits the segments of a track, of either container.
struct TrackEditor: TrackEditing {
  private let change: TagEdit
  private let keepsSize: Bool
  private var detector = SegmentDetector(isCertain: true)
  private var packets: PacketEditor
  private var fragments: FragmentEditor
  var path = ""
  var initializationSegment: String?
  var isPart = false

  /// An editor for the first reading.
  init(_ change: TagEdit, keepsSize: Bool) { self.init(change, keepsSize: keepsSize, following: nil) }

  private init(_ change: TagEdit, keepsSize: Bool, following previous: TrackEditor?) {
    (self.change, self.keepsSize) = (change, keepsSize)
    var options = PacketEditor.Options(change)
    options.keepsSize = keepsSize
    packets = PacketEditor(options, knowing: previous?.packets.knowledge ?? .init())
    fragments = FragmentEditor(change, keepsSize: keepsSize, knowing: previous?.fragments.knowledge ?? .init())
  }

  func forSecondReading() -> TrackEditor { TrackEditor(change, keepsSize: keepsSize, following: self) }

  var hasMoved: Bool {
    let packets = packets.report
    return packets.addedPackets > 0 || packets.removedPackets > 0 || (change == .repair && fragments.report.rewrittenBoxes > 0)
  }

  var report: PacketEditor.Report {
    var report = packets.report
    report.add(fragments.report)
    return report
  }

  mutating func prepare(with bytes: Span<UInt8>) { fragments.prepare(with: bytes) }

  mutating func endPreparation() {
    var nowhere = NoSink()
    fragments.endSegment(into: &nowhere)
  }

  mutating func push(_ bytes: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) throws(StampingError) {
    guard detector.contents == nil else { return try edit(bytes, into: &sink) }
    guard let beginning = detector.push(bytes) else { return }
    try edit(beginning.span, into: &sink)
  }

  mutating func endSegment(into sink: inout some ByteSink & ~Copyable) throws(StampingError) {
    if detector.contents == nil { try edit(detector.finish().span, into: &sink) }
    switch detector.contents {
    case .stream(.transportStream)?: packets.endSegment(into: &sink)
    case .stream(.fragmentedMP4)?:
      fragments.endSegment(into: &sink)
      try checkFragments()
    case .stream(.packedAudio)?, .silent?, .misplaced?, nil: break
    }
    // Initialization segments and segments may be of different containers, so each file is examined.
    detector = SegmentDetector(isCertain: true)
  }

  private mutating func edit(_ bytes: Span<UInt8>, into sink: inout some ByteSink & ~Copyable) throws(StampingError) {
    switch detector.contents {
    case .stream(.fragmentedMP4)?:
      fragments.push(bytes, into: &sink)
      try checkFragments()
    // What carries no events stays as it is, byte for byte.
    case .stream(.packedAudio)?, .silent?, .misplaced?, nil: sink.write(bytes)
    case .stream(.transportStream)?: try stamping(packets.push(bytes, into: &sink))
    }
  }

  private func checkFragments() throws(StampingError) {
    if let failure = fragments.failure { throw .rendition(input: path, failure) }
  }
}

public import Basics
public import GameEvents
public import TransportStream

/// Reads game events, and every other ID3 tag, from the bytes of an MPEG transport stream, fragmented MP4 or packed audio.
///
/// Bytes are pushed in chunks of any size, from any source, and the items found in them are returned in the order of the stream. The first bytes tell
/// the container. Memory is bounded, whatever the stream holds.
///
/// ```swift
/// var reader = EventReader()
/// for item in try reader.push(bytes.span) {
///   if case .copy(let copy, let place) = item { transitions += machine.receive(copy, at: place.time) }
/// }
/// ```
public struct EventReader: Sendable {
  private var detector = ContainerDetector()
  private var transportStream: TransportStreamReader
  private var fragments: FragmentedReader
  private var packedAudio: PackedAudioReader

  /// Starts at the beginning of a stream.
  ///
  /// - Parameter signatures: Checks the signature that every copy of an event must have, or else it is damage; `nil` if signatures do
  ///   not matter.
  public init(requiring signatures: SignatureCheck? = nil) { self.init(startingAt: .zero, videoTime: .zero, requiring: signatures) }

  /// Starts at the beginning of a stream that continues a programme, as after a discontinuity.
  ///
  /// - Parameters:
  ///   - time: The programme time of the first random-access video frame (or first audio). Copies of events may tell another one.
  ///   - videoTime: The same time as told by the video of the previous streams.
  ///   - signatures: Checks signatures, as above.
  public init(startingAt time: MediaTime, videoTime: MediaTime, requiring signatures: SignatureCheck? = nil) {
    self.init(at: ProgrammeTimeline.Start(time: time, videoTime: videoTime), CopyParser(requiring: signatures))
  }

  /// Starts as above, and keeps events that tell a time at which the stream is not, as where parts were cut out of it.
  package init(
    keepingOtherTimes keepsOtherTimes: Bool, startingAt time: MediaTime = .zero, videoTime: MediaTime = .zero,
    requiring signatures: SignatureCheck? = nil
  ) {
    var start = ProgrammeTimeline.Start(time: time, videoTime: videoTime)
    start.keepsOtherTimes = keepsOtherTimes
    self.init(at: start, CopyParser(requiring: signatures))
  }

  private init(at start: ProgrammeTimeline.Start, _ parser: CopyParser) {
    transportStream = TransportStreamReader(startingAt: start, parser)
    fragments = FragmentedReader(startingAt: start, parser)
    packedAudio = PackedAudioReader(startingAt: start, parser)
  }

  /// The container; `nil` until there are enough bytes to tell. Any other input counts as a transport stream, until that turns out to be wrong.
  public var container: Container? { detector.container }

  /// The tables of a transport stream: its programs and their elementary streams. Empty for other containers.
  package var tables: ProgramTables { transportStream.tables }

  /// The framing of the packets of a transport stream; `nil` until the first were found, and for other containers.
  public var framing: PacketFramer.Framing? { transportStream.framing }

  /// The number of bytes that were pushed or skipped.
  public var byteCount: Int {
    switch container {
    case nil: detector.byteCount
    case .transportStream: transportStream.byteCount
    case .fragmentedMP4: fragments.byteCount
    case .packedAudio: packedAudio.byteCount
    }
  }

  /// The timelines of the programs; other containers have one.
  private var timelines: [ProgrammeTimeline] {
    switch container {
    case nil: []
    case .transportStream: transportStream.timelines
    case .fragmentedMP4: [fragments.timeline]
    case .packedAudio: [packedAudio.timeline]
    }
  }

  /// The programme time at which the video (or the audio) ends so far, in the program that ends last.
  public var end: MediaTime? { timelines.compactMap { $0.end }.max() }

  /// The programme time at which the video (or the audio) starts, in the program that starts first.
  public var start: MediaTime? { timelines.compactMap { $0.start }.min() }

  /// The stream time of the timeline origin as the video tells it: the presentation time of the first random-access frame, in fragmented MP4 the
  /// earliest one of the first video fragment that starts with a sync sample; without video, that of the first audio.
  public var videoOrigin: MediaTime? { timelines.first?.videoOrigin }

  /// The stream time of the timeline origin as the copies of events tell it, or else the video.
  public var timelineOrigin: MediaTime? { timelines.first?.origin }

  /// Receives the next bytes of the stream and returns what was found in them.
  ///
  /// - Throws: ``ReadingError`` if the input turns out not to be any of the containers.
  public mutating func push(_ chunk: Span<UInt8>) throws(ReadingError) -> [StreamItem] {
    guard container == nil else { return try read(chunk) }
    guard let beginning = detector.push(chunk) else { return [] }
    return try read(beginning.view)
  }

  /// Receives the next bytes of the stream and returns what was found in them.
  ///
  /// - Throws: ``ReadingError`` if the input turns out not to be any of the containers.
  public mutating func push(_ chunk: [UInt8]) throws(ReadingError) -> [StreamItem] { try push(chunk.view) }

  /// The number of next bytes that the reader does not need; `Int.max` if it needs no more bytes. In fragmented MP4 these are video and audio: a
  /// source that can seek need not read them, and calls ``skip(bytes:)``.
  public var skippable: Int { container == .fragmentedMP4 ? fragments.skippable : 0 }

  /// Skips bytes of the stream that are not pushed, at most ``skippable``.
  public mutating func skip(bytes count: Int) { if container == .fragmentedMP4 { fragments.skipBytes(count) } }

  /// Starts a segment of HLS with the next byte. A box or a frame that the previous segment cut off is damage. In a transport stream, packets
  /// continue.
  ///
  /// - Throws: ``ReadingError`` as ``push(_:)`` does.
  public mutating func startSegment() throws(ReadingError) -> [StreamItem] {
    switch container {
    case nil: []
    case .transportStream: transportStream.startSegment()
    case .fragmentedMP4: try fragments.startSegment()
    case .packedAudio: packedAudio.startSegment()
    }
  }

  /// Records that about `duration` of the stream is missing here, for example a segment that could not be loaded. The stream's clock does not jump,
  /// however long that is. An incomplete tag, box or frame is damage.
  ///
  /// - Throws: ``ReadingError`` as ``push(_:)`` does.
  public mutating func skip(_ duration: MediaTime) throws(ReadingError) -> [StreamItem] {
    switch container {
    case nil: []
    case .transportStream: transportStream.skip(duration)
    case .fragmentedMP4: try fragments.skip(duration)
    case .packedAudio: packedAudio.skip(duration)
    }
  }

  /// Ends the stream and returns the last items.
  ///
  /// - Throws: ``ReadingError`` if the input was not any of the containers.
  public mutating func finish() throws(ReadingError) -> [StreamItem] {
    let items = container == nil ? try read(detector.finish().view) : []
    switch container {
    case nil, .transportStream: return items + (try transportStream.finish())
    case .fragmentedMP4: return items + (try fragments.finish())
    case .packedAudio: return items + packedAudio.finish()
    }
  }

  private mutating func read(_ chunk: Span<UInt8>) throws(ReadingError) -> [StreamItem] {
    switch container {
    case nil, .transportStream: try transportStream.push(chunk)
    case .fragmentedMP4: try fragments.push(chunk)
    case .packedAudio: packedAudio.push(chunk)
    }
  }
}

public import Basics
public import TransportStream

/// Reads game events, and every other ID3 tag, out of the bytes of an MPEG transport stream, of fragmented MP4 or of packed audio.
///
/// Bytes are pushed in chunks of any size, from wherever they come, and the items found in them are returned in the order in which they lie in
/// the stream. The first bytes tell what the container is. Memory is bounded, whatever the stream holds.
///
/// ```swift
/// var reader = EventReader()
/// for item in try reader.push(bytes.span) {
///   if case .copy(let copy, let place) = item { transitions += machine.receive(copy, at: place.time) }
/// }
/// ```
public struct EventReader: Sendable {
  /// What the first bytes look like; `nil` until there are enough of them. What is nothing else counts as a transport stream, until that turns
  /// out to be wrong.
  public private(set) var container: Container?
  /// The first bytes, as long as they do not tell what the container is.
  private var prefix: [UInt8] = []
  private var transportStream: TransportStreamReader
  private var fragments: FragmentedReader
  private var packedAudio: PackedAudioReader

  /// Starts at the beginning of a stream.
  public init() { self.init(startingAt: .zero, videoTime: .zero) }

  /// Starts at the beginning of a stream that goes on with a programme, as behind a discontinuity.
  ///
  /// - Parameters:
  ///   - time: The programme time of the first random-access picture (or first sound). Copies of events may tell another one.
  ///   - videoTime: The same time as the pictures of the streams before tell it.
  public init(startingAt time: MediaTime, videoTime: MediaTime) {
    let start = ProgrammeStart(time: time, videoTime: videoTime)
    transportStream = TransportStreamReader(startingAt: start)
    fragments = FragmentedReader(startingAt: start)
    packedAudio = PackedAudioReader(startingAt: start)
  }

  /// The tables of a transport stream: its programs and what they consist of. Empty for other containers.
  public var tables: ProgramTables { transportStream.tables }

  /// How the packets of a transport stream lie in it; `nil` until the first were found, and for other containers.
  public var framing: PacketFramer.Framing? { transportStream.framing }

  /// How many bytes were pushed or passed over.
  public var byteCount: Int {
    switch container {
    case nil: prefix.count
    case .transportStream: transportStream.byteCount
    case .fragmentedMP4: fragments.byteCount
    case .packedAudio: packedAudio.byteCount
    }
  }

  /// The programme time at which the picture (or the sound) ends so far, in the program that goes on longest.
  public var end: MediaTime? {
    switch container {
    case nil: nil
    case .transportStream: transportStream.end
    case .fragmentedMP4: fragments.end
    case .packedAudio: packedAudio.end
    }
  }

  /// The programme time at which the picture (or the sound) starts, in the program that starts first.
  public var start: MediaTime? {
    switch container {
    case nil: nil
    case .transportStream: transportStream.start
    case .fragmentedMP4: fragments.start
    case .packedAudio: packedAudio.start
    }
  }

  /// The stream time of the programme's zero, as the pictures tell it: the presentation time of the first random-access picture, in fragmented
  /// MP4 the earliest one of the first video fragment that starts with a sync sample; where there is no picture, that of the first sound.
  public var videoOrigin: MediaTime? {
    switch container {
    case nil: nil
    case .transportStream: transportStream.videoOrigin
    case .fragmentedMP4: fragments.videoOrigin
    case .packedAudio: packedAudio.audioOrigin
    }
  }

  /// The stream time of the programme's zero, as the copies of events tell it, or else the pictures.
  public var zero: MediaTime? {
    switch container {
    case nil: nil
    case .transportStream: transportStream.zero
    case .fragmentedMP4: fragments.zero
    case .packedAudio: packedAudio.zero
    }
  }

  /// Takes the next bytes of the stream and returns what was found in them.
  ///
  /// - Throws: ``ReadingError`` where the input turns out to be none of the containers.
  public mutating func push(_ chunk: Span<UInt8>) throws(ReadingError) -> [StreamItem] {
    guard container == nil else { return try read(chunk) }
    prefix += [UInt8](copying: chunk)
    guard let found = Container(startingWith: prefix.span) else { return [] }
    return try begin(found)
  }

  /// How many of the next bytes mean nothing to the reader; `Int.max` where all that follow do. Picture and sound of fragmented MP4 lie in such
  /// bytes: a source that can seek need not read them, and says so with ``pass(_:)``.
  public var skippable: Int { container == .fragmentedMP4 ? fragments.skippable : 0 }

  /// Passes over bytes that the stream has and that are not pushed: at most ``skippable``.
  public mutating func pass(_ count: Int) {
    if container == .fragmentedMP4 { fragments.pass(count) }
  }

  /// Takes note that the next byte starts a segment, as HLS has them. A box or a frame that the segment before cut off is damage; in a transport
  /// stream packets go on.
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

  /// Takes note that about `duration` of the stream is missing here, as where a segment could not be loaded: the stream's clock does not jump,
  /// however long that is. What was cut off is damage.
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

  /// Ends the stream and returns what was still to come.
  ///
  /// - Throws: ``ReadingError`` where the input turns out to have been none of the containers.
  public mutating func finish() throws(ReadingError) -> [StreamItem] {
    let items = container == nil ? try begin(.transportStream) : []
    switch container {
    case nil, .transportStream: return items + (try transportStream.finish())
    case .fragmentedMP4: return items + (try fragments.finish())
    case .packedAudio: return items + packedAudio.finish()
    }
  }

  private mutating func begin(_ found: Container) throws(ReadingError) -> [StreamItem] {
    container = found
    let bytes = prefix
    prefix = []
    return try read(bytes.span)
  }

  private mutating func read(_ chunk: Span<UInt8>) throws(ReadingError) -> [StreamItem] {
    switch container {
    case nil, .transportStream: try transportStream.push(chunk)
    case .fragmentedMP4: try fragments.push(chunk)
    case .packedAudio: packedAudio.push(chunk)
    }
  }
}

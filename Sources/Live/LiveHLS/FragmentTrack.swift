import Basics
import CMAF
import NALUnits
import TransportStream

/// A track of fragmented MP4, made of one elementary stream of a live transport stream.
///
/// It receives the payload of PES packets, makes samples of the access units in it, and ends a fragment when the next portion begins.
struct FragmentTrack: Sendable {
  let stream: ProgramMapTable.ElementaryStream
  /// The coding of the samples; `nil` before the first one.
  private(set) var coding: TrackCoding?
  /// Whether the coding is known. The coding itself is large, and is not looked at for every packet.
  private(set) var isKnown = false
  /// The track's timescale in ticks per second; `nil` before the first sample.
  private var timescale: Timescale?
  /// The change of the coding since the last query; `nil` for none.
  private var news: News?
  /// Whether the next sample is the first one of a segment. Only there may the coding change.
  private var isAtSegmentStart = true
  /// The number of the portion that the next sample belongs to.
  private(set) var portion = 0
  /// Whether nothing has arrived for so long that no other track waits for this one.
  var isAway = false
  /// The decoding time of the leading stream's access unit that was the latest one when a frame arrived.
  var latestArrival = MediaTime.zero
  /// The number of bytes before the first sample.
  private var byteCount = 0
  /// A stream that has yielded no sample after this many bytes is of an unknown kind.
  private static let mostUnknownBytes = 16 << 10

  /// Split the bytes into the access units of video, or into frames of audio.
  private var video: VideoUnits?
  private var audio: AudioUnits?
  private var continuity = ContinuityCounter()
  private var writer = FragmentWriter()
  /// The samples of the open fragment.
  private var samples: [FragmentWriter.Sample] = []
  /// The bytes of the open fragment: room for the boxes in front of its samples, and the samples.
  private var bytes: [UInt8] = []
  /// The size of that room: what the boxes of the fragment before took. If these take as much again, no byte has to move.
  private var room = 0
  /// The decoding time of the first one, and the expected one of the next sample, in ticks of the track.
  private var (firstTicks, nextTicks): (Int64, Int64?) = (0, nil)

  /// A change of the coding.
  enum News: Equatable, Sendable {
    /// The coding has become known.
    case begun
    /// The coding has changed.
    case changed
  }

  /// A track for a stream; `nil` if fragmented MP4 for HLS cannot carry the stream.
  init?(_ stream: ProgramMapTable.ElementaryStream) {
    self.stream = stream
    if let codec = stream.type.nalUnitCodec {
      video = VideoUnits(codec)
    } else if let coding = stream.audioCoding {
      audio = AudioUnits(AudioFrames(coding, channels: stream.opusChannelCount))
    } else {
      return nil
    }
  }

  var isVideo: Bool { video != nil }

  /// Whether the stream has data from which no sample can be made.
  var isSilent: Bool { !isKnown && byteCount > Self.mostUnknownBytes }

  /// The payload of a packet of the stream; `nil` if the packet is a duplicate, or cannot be used.
  mutating func payload(of header: TransportPacket, in packet: Span<UInt8>) -> Range<Int>? {
    guard header.hasPayload, !header.hasError, header.scrambling == 0,
      continuity.push(header, content: packet.extracting(header.payload)) != .duplicate
    else {
      return nil
    }
    return header.payload
  }

  // MARK: Video

  /// Begins an access unit of video.
  ///
  /// - Parameters:
  ///   - decoding, presentation: Its decoding and presentation times, on the timeline of the fragments.
  ///   - isSync: Whether decoding can start with it.
  mutating func beginUnit(decoding: MediaTime, presentation: MediaTime, isSync: Bool) {
    video?.begin(decoding: decoding, presentation: presentation, isSync: isSync)
  }

  /// Makes samples of the current access unit of video.
  ///
  /// - Parameters:
  ///   - next: The decoding time of the next one; `nil` if there is none.
  ///   - frameDuration: The duration of the access unit if there is no next one.
  mutating func endUnit(next: MediaTime?, frameDuration: MediaTime) {
    guard let codec = video?.codec, var unit = video?.take() else { return }
    defer { video?.reuse(&unit.bytes) }
    let start = bytes.count
    let (sizes, sets) = codec.appendSamples(of: unit.bytes, to: &bytes)
    // Parameter sets may come with each picture, and are read only if they can have an effect.
    if !isKnown || isAtSegmentStart, let found = VideoCoding(codec, sets) { take(.video(found)) }
    guard isKnown, !sizes.isEmpty else { return bytes.removeSubrange(start...) }
    let end = max(next ?? unit.decoding + frameDuration, unit.decoding + MediaTime(ticks: 1)).ticks
    let step = max((end - unit.decoding.ticks) / Int64(sizes.count), 1)
    for (index, size) in sizes.enumerated() {
      // If several access units share a timestamp, the others follow at equal distances.
      let distance = step * Int64(index)
      let ticks = max(unit.decoding.ticks + distance, nextTicks ?? .min)
      let following = index + 1 < sizes.count ? unit.decoding.ticks + distance + step : end
      append(
        size, at: ticks, duration: max(following - ticks, 1), offset: max(unit.presentation.ticks + distance - ticks, 0),
        isSync: unit.isSync && index == 0)
    }
  }

  // MARK: Audio

  /// Receives the start of an audio PES packet.
  ///
  /// - Parameter time: The presentation time of the first frame that begins in it, on the timeline of the fragments; `nil` if it is unknown.
  mutating func beginPacket(at time: MediaTime?) {
    if let time { audio?.begin(at: time) }
  }

  /// Receives further bytes of the current packet or access unit.
  mutating func push(_ payload: Span<UInt8>) {
    if !isKnown { byteCount += payload.count }
    video?.push(payload)
    audio?.push(payload)
  }

  /// The presentation time of the next complete frame of audio; `nil` if there is none.
  var nextFrameTime: MediaTime? { audio?.frames.first?.time }

  /// Drops the next frame of audio.
  mutating func dropFrame() { _ = audio?.popFirst() }

  /// Makes a sample of the next frame of audio.
  mutating func addFrame() {
    guard let (frame, time) = audio?.popFirst() else { return }
    if !isKnown || isAtSegmentStart { take(.audio(frame.format)) }
    guard let timescale else { return }
    isAway = false
    var ticks = timescale.ticks(time)
    if let nextTicks {
      // A larger step back means another clock.
      guard ticks >= nextTicks - timescale.ticks(Self.largestOverlap) else { return }
      if abs(ticks - nextTicks) <= timescale.ticks(Self.rounding) { ticks = nextTicks }
    }
    bytes += frame.bytes
    append(frame.bytes.count, at: ticks, duration: Int64(frame.sampleCount), offset: 0, isSync: true)
  }

  /// Some containers round times to milliseconds: a frame of audio within 2 ms of the end of the one before is placed there, without a gap.
  private static let rounding = MediaTime(ticks: 180)
  /// Frames of audio may overlap by this much (100 ms).
  fileprivate static let largestOverlap = MediaTime(ticks: 9_000)

  /// Records the coding of the next samples. A change within a segment takes effect at the start of the next one.
  private mutating func take(_ found: TrackCoding) {
    guard coding.map({ !$0.isSame(as: found) && isAtSegmentStart }) ?? true else { return }
    news = coding == nil ? .begun : .changed
    // Ticks of another timescale cannot be compared.
    if news == .changed { nextTicks = nil }
    (coding, isKnown) = (found, true)
    timescale =
      switch found {
      case .video, .events: .mediaTime
      case .audio(let format): Timescale(UInt32(clamping: format.sampleRate))
      }
  }

  // MARK: Fragments

  /// Adds a sample whose bytes were appended already. The sample before it in its fragment lasts until this one starts.
  private mutating func append(_ size: Int, at ticks: Int64, duration: Int64, offset: Int64, isSync: Bool) {
    var start = max(ticks, 0)
    if let last = samples.indices.last, let nextTicks {
      let lastStart = nextTicks - Int64(samples[last].duration)
      start = max(start, lastStart + 1)
      samples[last].duration = Int(clamping: start - lastStart)
    } else {
      firstTicks = start
    }
    samples.append(
      FragmentWriter.Sample(size: size, duration: Int(clamping: duration), compositionOffset: Int(clamping: offset), isSync: isSync))
    (nextTicks, isAtSegmentStart) = (start + duration, false)
  }

  /// Ends the fragment. Later samples belong to the next portion.
  ///
  /// - Parameters:
  ///   - start: The boxes in front of the fragment.
  ///   - isSegmentNext: Whether the next portion is the first one of its segment.
  /// - Returns: The bytes; `nil` if the fragment has no sample.
  mutating func endPortion(after start: [UInt8], isSegmentNext: Bool) -> [UInt8]? {
    portion += 1
    isAtSegmentStart = isSegmentNext
    guard !samples.isEmpty else { return nil }
    defer { samples.removeAll(keepingCapacity: true) }
    let boxes: [UInt8]
    do throws(ParseError) {
      boxes = start + (try writer.start(decodeTicks: firstTicks, samples, byteCount: bytes.count - room))
    } catch {
      // The fragment exceeds the 30 bits of a box size; segments are given up long before that.
      bytes.removeSubrange(room...)
      return nil
    }
    bytes.replaceSubrange(..<room, with: boxes)
    var next: [UInt8] = []
    next.reserveCapacity(bytes.count + bytes.count / Self.spareShare)
    room = boxes.count
    next.append(contentsOf: repeatElement(0, count: room))
    return exchange(&bytes, with: next)
  }

  /// Memory is reserved for a next fragment that is larger than this one by an eighth.
  private static let spareShare = 8

  /// Ends the stream, and completes the current access unit or frame.
  mutating func finish(frameDuration: MediaTime) {
    endUnit(next: nil, frameDuration: frameDuration)
    audio?.finish()
  }

  /// Returns the change of the coding, once.
  mutating func takeNews() -> News? { news.take() }

  /// The initialization segment; `nil` before the first sample.
  func initialization(brands: [BoxType] = []) -> [UInt8]? {
    guard let coding, let timescale else { return nil }
    return try? MovieWriter(timescale: timescale.ticksPerSecond, coding, language: stream.language).encoded(brands: brands)
  }
}

/// The access units of video, assembled from pieces.
struct VideoUnits: Sendable {
  struct Unit: Sendable {
    var bytes: [UInt8] = []
    var (decoding, presentation) = (MediaTime.zero, MediaTime.zero)
    var isSync = false
  }

  let codec: NALUnitCodec
  private var open: Unit?
  private var spare: [UInt8] = []

  init(_ codec: NALUnitCodec) { self.codec = codec }

  mutating func begin(decoding: MediaTime, presentation: MediaTime, isSync: Bool) {
    open = Unit(bytes: spare, decoding: decoding, presentation: presentation, isSync: isSync)
    spare = []
  }

  mutating func push(_ payload: Span<UInt8>) { open?.bytes.append(copying: payload) }

  mutating func take() -> Unit? { open.take() }

  /// Takes the memory of an access unit for another one. While there is another reference to it, emptying it would allocate it anew, a page larger each time.
  mutating func reuse(_ bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    swap(&spare, &bytes)
  }
}

/// The frames of audio, with their times.
private struct AudioUnits: Sendable {
  private var reader: AudioFrames
  private(set) var frames = Queue<(frame: AudioFrames.Frame, time: MediaTime)>()
  /// The byte offsets from which a time applies to the next frame that begins.
  private var starts = Queue<(offset: Int, time: MediaTime)>()
  /// The presentation time of the next frame if no PES packet says otherwise: a time, and the number of samples since.
  private var (base, sampleCount): (MediaTime?, Int64) = (nil, 0)

  /// The maximum number of packets with a time that are kept: a frame is in no more packets than this.
  private static let mostStarts = 64

  init(_ reader: AudioFrames) { self.reader = reader }

  mutating func begin(at time: MediaTime) {
    starts.append((reader.byteCount, time))
    if starts.count > Self.mostStarts { _ = starts.popFirst() }
  }

  mutating func push(_ payload: Span<UInt8>) {
    reader.push(payload)
    while let frame = reader.next() { add(frame) }
  }

  mutating func finish() {
    if let frame = reader.finish() { add(frame) }
    starts.removeAll()
  }

  mutating func popFirst() -> (frame: AudioFrames.Frame, time: MediaTime)? { frames.popFirst() }

  private mutating func add(_ frame: AudioFrames.Frame) {
    while let start = starts.first, frame.offset >= start.offset {
      (base, sampleCount) = (start.time, 0)
      _ = starts.popFirst()
    }
    // Before the first timestamp, the presentation time of a frame is unknown.
    guard let base, let timescale = Timescale(UInt32(clamping: frame.format.sampleRate)) else { return }
    let time = base + timescale.mediaTime(sampleCount)
    sampleCount += Int64(frame.sampleCount)
    // Waiting frames with much later times belong to another clock.
    while let last = frames.last, last.time > time + FragmentTrack.largestOverlap { _ = frames.popLast() }
    frames.append((frame, time))
  }
}

extension NALUnitCodec {
  /// Appends the access units of a byte stream in the form of samples: each NAL unit after its length.
  ///
  /// - Returns: The size of each sample, and the parameter sets among the NAL units. A delimiter after a slice starts another access unit.
  fileprivate func appendSamples(of unit: [UInt8], to media: inout [UInt8]) -> (sizes: [Int], sets: [[UInt8]]) {
    var (sizes, sets): ([Int], [[UInt8]]) = ([], [])
    var (start, hasSlice) = (media.count, false)
    ByteStream.forEachUnit(in: unit.span) { range in
      let header = unit[range.lowerBound]
      if hasSlice, isDelimiter(header) {
        sizes.append(media.count - start)
        (start, hasSlice) = (media.count, false)
      }
      if isSlice(header) { hasSlice = true }
      if isParameterSet(header) { sets.append(Array(unit[range])) }
      let size = range.count
      media.append(UInt8(truncatingIfNeeded: size >> 24))
      media.append(UInt8(truncatingIfNeeded: size >> 16))
      media.append(UInt8(truncatingIfNeeded: size >> 8))
      media.append(UInt8(truncatingIfNeeded: size))
      media.append(copying: unit.span.extracting(range))
    }
    // An access unit without a slice has no picture.
    if hasSlice { sizes.append(media.count - start) } else { media.removeSubrange(start...) }
    return (sizes, sets)
  }
}

import Basics
import CMAF
import NALUnits
import TransportStream

/// A track of fragmented MP4, made of one elementary stream of a live transport stream.
///
/// It is given the payload of PES packets, makes samples of the access units in it, and ends a fragment where the next portion begins.
struct FragmentTrack: Sendable {
  let stream: ProgramMapTable.ElementaryStream
  /// How the samples are coded; `nil` before the first one.
  private(set) var coding: TrackCoding?
  /// What has become of the coding since that was asked for; `nil` for nothing.
  private var news: News?
  /// Whether the next sample is the first one of a segment. Only there may the coding change.
  private var isAtSegmentStart = true
  /// The number of the portion that the next sample belongs to.
  private(set) var portion = 0
  /// Whether nothing has come for so long that nobody waits for the track.
  var isAway = false
  /// When the latest access unit of the leading stream is decoded that was there when a frame came.
  var latestArrival = MediaTime.zero
  /// How many bytes have come before the first sample.
  private var byteCount = 0
  /// A stream that has yielded no sample after this many bytes is of an unknown kind.
  private static let mostUnknownBytes = 16 << 10

  /// Makes access units of the bytes: those of video, or frames of audio.
  private var video: VideoUnits?
  private var audio: AudioUnits?
  private var continuity = ContinuityCounter()
  private var writer = FragmentWriter()
  /// The samples of the open fragment, and their bytes.
  private var samples: [FragmentWriter.Sample] = []
  private var media: [UInt8] = []
  /// When the first one is decoded, and when the next one should be, in ticks of the track.
  private var (firstTicks, nextTicks): (Int64, Int64?) = (0, nil)

  /// What may become of the coding.
  enum News: Equatable, Sendable {
    /// It is known.
    case begun
    /// It is another one.
    case changed
  }

  /// A stream; `nil` if fragmented MP4 for HLS cannot carry it.
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

  /// Ticks a second of the track's times; `nil` before the first sample.
  private var timescale: Timescale? {
    switch coding {
    case .video: .mediaTime
    case .audio(let format): Timescale(UInt32(clamping: format.sampleRate))
    case nil: nil
    }
  }

  /// Whether something comes that no sample can be made of.
  var isSilent: Bool { coding == nil && byteCount > Self.mostUnknownBytes }

  /// What a packet of the stream has for it; `nil` if that came before, or cannot be used.
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
  ///   - decoding, presentation: When it is decoded and presented, on the timeline of the fragments.
  ///   - isSync: Whether decoding can start with it.
  mutating func beginUnit(decoding: MediaTime, presentation: MediaTime, isSync: Bool) {
    video?.begin(decoding: decoding, presentation: presentation, isSync: isSync)
  }

  /// Makes samples of the access unit of video that has begun.
  ///
  /// - Parameters:
  ///   - next: When the next one is decoded; `nil` if there is none.
  ///   - frameDuration: How long it lasts then.
  mutating func endUnit(next: MediaTime?, frameDuration: MediaTime) {
    guard let codec = video?.codec, let unit = video?.take() else { return }
    defer { video?.reuse(unit) }
    let start = media.count
    let (sizes, sets) = codec.appendSamples(of: unit.bytes, to: &media)
    // Parameter sets may come with each picture, and are read only if they count.
    if coding == nil || isAtSegmentStart, let found = VideoCoding(codec, sets) { take(.video(found)) }
    guard coding != nil, !sizes.isEmpty else { return media.removeSubrange(start...) }
    let end = max(next ?? unit.decoding + frameDuration, unit.decoding + MediaTime(ticks: 1)).ticks
    let step = max((end - unit.decoding.ticks) / Int64(sizes.count), 1)
    for (index, size) in sizes.enumerated() {
      // If several access units share a timestamp, the others follow at even distances.
      let distance = step * Int64(index)
      let ticks = max(unit.decoding.ticks + distance, nextTicks ?? .min)
      let following = index + 1 < sizes.count ? unit.decoding.ticks + distance + step : end
      append(
        size, at: ticks, duration: max(following - ticks, 1), offset: max(unit.presentation.ticks + distance - ticks, 0),
        isSync: unit.isSync && index == 0)
    }
  }

  // MARK: Audio

  /// Receives the payload of a PES packet of audio that begins.
  ///
  /// - Parameter time: When the first frame that begins in it is presented, on the timeline of the fragments; `nil` if that is not known.
  mutating func beginPacket(at time: MediaTime?) {
    if let time { audio?.begin(at: time) }
  }

  /// Receives bytes of the packet or the access unit that has begun.
  mutating func push(_ payload: Span<UInt8>) {
    if coding == nil { byteCount += payload.count }
    video?.push(payload)
    audio?.push(payload)
  }

  /// When the next whole frame of audio is presented; `nil` if none has come.
  var nextFrameTime: MediaTime? { audio?.frames.first?.time }

  /// Leaves out the next frame of audio.
  mutating func dropFrame() { _ = audio?.popFirst() }

  /// Makes a sample of the next frame of audio.
  mutating func addFrame() {
    guard let (frame, time) = audio?.popFirst() else { return }
    take(.audio(frame.format))
    guard let timescale else { return }
    isAway = false
    var ticks = timescale.ticks(time)
    if let nextTicks {
      // What goes further back is of another clock.
      guard ticks >= nextTicks - timescale.ticks(Self.largestOverlap) else { return }
      if abs(ticks - nextTicks) <= timescale.ticks(Self.rounding) { ticks = nextTicks }
    }
    media += frame.bytes
    append(frame.bytes.count, at: ticks, duration: Int64(frame.sampleCount), offset: 0, isSync: true)
  }

  /// Some containers round times to milliseconds: frames of audio that follow each other to within 2 ms follow without a gap.
  private static let rounding = MediaTime(ticks: 180)
  /// Frames of audio may overlap by this much (100 ms).
  fileprivate static let largestOverlap = MediaTime(ticks: 9_000)

  /// Records how the next samples are coded. A change within a segment takes effect at the start of the next one.
  private mutating func take(_ found: TrackCoding) {
    guard coding.map({ !$0.isSame(as: found) && isAtSegmentStart }) ?? true else { return }
    news = coding == nil ? .begun : .changed
    // Ticks of another timescale are other ticks.
    if news == .changed { nextTicks = nil }
    coding = found
  }

  // MARK: Fragments

  /// Adds a sample whose bytes are there. The one before it in its fragment lasts until then.
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
  /// - Returns: The bytes; `nil` if there is no sample.
  mutating func endPortion(after start: [UInt8], isSegmentNext: Bool) -> [UInt8]? {
    portion += 1
    isAtSegmentStart = isSegmentNext
    defer {
      samples.removeAll(keepingCapacity: true)
      media.removeAll(keepingCapacity: true)
    }
    guard !samples.isEmpty else { return nil }
    var bytes = start
    do throws(ParseError) {
      try writer.append(decodeTicks: firstTicks, samples, media, to: &bytes)
      return bytes
    } catch {
      // It is larger than a box of 30 bits can be, and segments are given up long before.
      return nil
    }
  }

  /// Ends the stream: what has begun is complete.
  mutating func finish(frameDuration: MediaTime) {
    endUnit(next: nil, frameDuration: frameDuration)
    audio?.finish()
  }

  /// Gives back what has become of the coding, once.
  mutating func takeNews() -> News? { news.take() }

  /// The initialization segment; `nil` before the first sample.
  func initialization(brands: [BoxType] = []) -> [UInt8]? {
    guard let coding, let timescale else { return nil }
    return try? MovieWriter(timescale: timescale.ticksPerSecond, coding, language: stream.language).encoded(brands: brands)
  }
}

/// The access units of video, whose bytes come in pieces.
private struct VideoUnits: Sendable {
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

  /// Uses the memory of a unit for another one.
  mutating func reuse(_ unit: consuming Unit) {
    spare = unit.bytes
    spare.removeAll(keepingCapacity: true)
  }
}

/// The frames of audio, with their times.
private struct AudioUnits: Sendable {
  private var reader: AudioFrames
  private(set) var frames = Queue<(frame: AudioFrames.Frame, time: MediaTime)>()
  /// From which byte on a time holds for the next frame that begins.
  private var starts = Queue<(offset: Int, time: MediaTime)>()
  /// When the next frame is presented if no PES packet says otherwise: a time, and the samples since.
  private var (base, sampleCount): (MediaTime?, Int64) = (nil, 0)

  /// A frame is in no more packets than this.
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
    // Before the first timestamp nothing says when a frame is presented.
    guard let base, let timescale = Timescale(UInt32(clamping: frame.format.sampleRate)) else { return }
    let time = base + timescale.mediaTime(sampleCount)
    sampleCount += Int64(frame.sampleCount)
    // Those that wait for a time after it are of another clock.
    while let last = frames.last, last.time > time + FragmentTrack.largestOverlap { _ = frames.popLast() }
    frames.append((frame, time))
  }
}

extension NALUnitCodec {
  /// Appends the access units of a byte stream as samples have them: each NAL unit after its length.
  ///
  /// - Returns: The size of each sample, and the parameter sets among the NAL units. A delimiter after a slice starts another access unit.
  fileprivate func appendSamples(of unit: [UInt8], to media: inout [UInt8]) -> (sizes: [Int], sets: [[UInt8]]) {
    var (sizes, sets): ([Int], [[UInt8]]) = ([], [])
    var (start, hasSlice) = (media.count, false)
    media.reserveCapacity(media.count + unit.count + 64)
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
    // What has no slice shows nothing.
    if hasSlice { sizes.append(media.count - start) } else { media.removeSubrange(start...) }
    return (sizes, sets)
  }
}

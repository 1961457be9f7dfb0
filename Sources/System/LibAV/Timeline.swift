internal import Basics

/// Gives the packets of a program the times they have in the transport stream: one shift for all streams, no decoding time missing,
/// decoding times that grow within each stream.
struct Timeline: Equatable {
  /// The offset that is added to every time of the input.
  private(set) var shift: MediaTime
  /// When, in the output, the program's first video frame (otherwise its first audio frame) is presented: the timeline origin.
  let origin: MediaTime
  /// When the last packet's presentation ends; if its duration is not known, the usual duration of its stream's video frames is assumed.
  private(set) var end: MediaTime
  /// How many packets have other times than the input's, shifted.
  private(set) var repairedPackets = 0

  private let lead: MediaTime
  private let program: MediaStream
  private let streams: [Int: MediaStream]
  private var last: [Int: Placed] = [:]
  /// The latest presentation times of each stream whose frames are reordered.
  private var recent: [Int: [MediaTime]] = [:]
  /// The time from the first presentation of any stream to the timeline origin.
  let beforeOrigin: MediaTime
  /// Whether the program's first video frame is one that the input's edit list hides.
  let startsHidden: Bool
  /// The earliest presentation so far of a video frame of the program that is not hidden.
  private(set) var firstShown: MediaTime?

  /// When a packet is presented and decoded in the transport stream.
  struct Placed: Equatable {
    var presentation: MediaTime
    var decoding: MediaTime
    /// The next decoding time that is expected in the stream.
    var next: MediaTime
  }

  /// Decoding times that go back by at most this are raised; a larger step means that the input's clock started again.
  static let largestStepBack = MediaTime(seconds: 10)
  /// The maximum number of frames that follow a video frame in the stream and are presented before it (H.264, A.3.1: max_dec_frame_buffering).
  static let largestReorderDepth = 16
  /// The latest time that is accepted, almost 400 years. No real file has later ones, and the muxer multiplies times by 300, which must not
  /// overflow.
  static let latest = MediaTime(ticks: 1 << 50)

  /// Sets the shift by the first packets.
  ///
  /// - Parameters:
  ///   - start: The packets until every stream has begun.
  ///   - firstPresentation: When the timeline origin is to be presented. It will be later if a stream starts so much earlier
  ///     that its clock would be negative.
  ///   - lead: By how much the PCR is earlier than a packet's decoding time when the packet arrives.
  ///   - zero: The time of the input that is the timeline origin; `nil` for the program's first key frame.
  init(start: StartOfStreams, firstPresentation: MediaTime, lead: MediaTime, zero: MediaTime? = nil) {
    program = start.program
    streams = start.streams
    let first = start.firstOfProgram
    let inputOrigin = zero ?? first?.presentation ?? start.packets.lazy.compactMap(\.presentation).min() ?? .zero
    startsHidden = start.program.kind == .video && (first?.isHidden ?? false)
    let earliest = start.firstDecodings.values.min() ?? inputOrigin
    let shift = firstPresentation - inputOrigin
    let tooEarly = lead - (earliest + shift)
    self.shift = tooEarly > .zero ? shift + tooEarly : shift
    origin = inputOrigin + self.shift
    let firstOfAll = start.packets.lazy.filter { !$0.isHidden }.compactMap(\.presentation).min() ?? inputOrigin
    beforeOrigin = max(inputOrigin - firstOfAll, .zero)
    end = origin
    self.lead = lead
  }

  /// For how long a player shows video frames that the input's edit list hides, before the first that it shows.
  var hiddenVideo: MediaTime {
    guard startsHidden, let firstShown else { return .zero }
    return max(firstShown - origin, .zero)
  }

  /// The times of the next packet in the transport stream.
  ///
  /// - Parameters:
  ///   - times: The packet's times in the input.
  ///   - following: The packets that come after it, of any stream, as far as they are known.
  /// - Returns: `nil` for a packet that has no time and comes before any that has one.
  mutating func place(_ times: PacketTimes, following: some Sequence<PacketTimes>) throws(RemuxError) -> Placed? {
    let previous = last[times.stream]
    let isReordered = streams[times.stream].map { $0.reorderDepth > 0 } ?? false
    let givenPresentation = times.presentation.map { $0 + shift }
    let givenDecoding = times.decoding.map { $0 + shift }

    let inferredDecoding = isReordered ? previous.map { min($0.next, givenPresentation ?? .init(ticks: .max)) } : givenPresentation
    guard let wanted = givenDecoding ?? inferredDecoding ?? previous?.next else { return nil }
    // Only if video frames are not reordered, the presentation time follows from a decoding time.
    let inferred = isReordered ? inferredPresentation(of: times.stream, decoding: wanted, following: following) : wanted
    guard var presentation = givenPresentation ?? inferred else { return nil }

    var decoding = min(wanted, latestDecoding(of: times.stream, following: following) ?? wanted)
    if let previous {
      guard previous.decoding - wanted <= Self.largestStepBack else { throw .timestampsStepBack(stream: times.stream) }
      decoding = max(decoding, previous.decoding + MediaTime(ticks: 1))
    }
    decoding = max(decoding, lead)
    guard decoding <= Self.latest, presentation <= Self.latest else { throw .timestampOutOfRange(stream: times.stream) }
    let isRepaired =
      decoding != wanted || presentation < decoding || (isReordered && (givenDecoding == nil || givenPresentation == nil))
    if isRepaired { repairedPackets += 1 }
    presentation = max(presentation, decoding)

    if times.stream == program.index, !times.isHidden { firstShown = min(firstShown ?? presentation, presentation) }
    let step = times.duration ?? streams[times.stream]?.frameDuration ?? MediaTime(ticks: 1)
    let placed = Placed(presentation: presentation, decoding: decoding, next: decoding + step)
    last[times.stream] = placed
    if isReordered {
      recent[times.stream, default: []].append(presentation)
      if recent[times.stream, default: []].count > Self.largestReorderDepth + 1 { recent[times.stream]?.removeFirst() }
    }
    end = max(end, presentation + step)
    return placed
  }

  /// When a reordered video frame without a presentation time is presented.
  ///
  /// Of an interlaced frame whose fields come in packets of their own, the second often has no time: it follows the first. Any other frame gets
  /// the first free time among the frames around it, a frame's duration after its neighbour.
  private func inferredPresentation(
    of stream: Int, decoding: MediaTime, following: some Sequence<PacketTimes>
  ) -> MediaTime? {
    guard let previous = last[stream], let step = streams[stream]?.frameDuration, step > .zero else { return nil }
    let distance = decoding - previous.decoding
    if distance > .zero, distance.ticks < step.ticks / 4 * 3 { return previous.presentation + distance }
    var known = recent[stream] ?? []
    var count = 0
    for packet in following where packet.stream == stream {
      guard count < Self.largestReorderDepth else { break }
      count += 1
      if let presentation = packet.presentation { known.append(presentation + shift) }
    }
    known.sort()
    let tolerance = MediaTime(ticks: step.ticks / 2)
    for (earlier, later) in zip(known, known.dropFirst()) where later - earlier > step + tolerance && earlier + step + tolerance > decoding
    {
      return earlier + step
    }
    return max(decoding, (known.last ?? previous.presentation) + step)
  }

  /// The latest decoding time that lets the packets after it be decoded before they are presented.
  ///
  /// If a container has no decoding times, libavformat guesses them, and guesses wrong until it knows how far the video frames
  /// are reordered. Lowering the decoding time keeps the presentation times of the following packets.
  private func latestDecoding(of stream: Int, following: some Sequence<PacketTimes>) -> MediaTime? {
    guard streams[stream]?.kind == .video else { return nil }
    var latest: MediaTime?
    var distance = 0
    for packet in following where packet.stream == stream {
      guard distance < Self.largestReorderDepth else { break }
      distance += 1
      guard let presentation = packet.presentation else { continue }
      let limit = presentation + shift - MediaTime(ticks: Int64(distance))
      latest = min(latest ?? limit, limit)
    }
    return latest
  }
}

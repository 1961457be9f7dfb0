import Basics
import CMAF
import HLSPlaylist
import PacketStamping
import Stamping
import TransportStream

/// The tracks of fragmented MP4 for one stretch of a live transport stream, in which its clock is continuous.
///
/// The stream that tells the time leads: it decides where portions begin, and each other track ends its own portion when it has reached that time.
/// Frames of audio wait until no earlier portion can begin.
struct FragmentTracks: Sendable {
  /// A portion that at least one track has not completed.
  private struct Open: Sendable {
    var start: MediaTime
    var startsSegment: Bool
    /// The event messages in front of the main track's fragment.
    var messages: [UInt8] = []
    /// The bytes of each track.
    var bytes: [[UInt8]?]
    /// The change of a track's coding with this portion.
    var news: FragmentTrack.News?
  }

  /// What an access unit may begin.
  enum Cut: Equatable, Sendable {
    case segment
    case part
  }

  /// The presentation time of the timeline origin in the fragments: the same in all stretches and sessions, and late enough that no time is negative.
  static let origin = MediaTime(seconds: 10)

  private var tracks: [FragmentTrack] = []
  /// The PID of each track: looked up for each packet.
  private var pids: [PID] = []
  /// The PID of the stream that tells the time.
  private let leadingPID: PID
  /// The streams of the stretch.
  private let streams: [ProgramMapTable.ElementaryStream]
  /// Descriptions of the streams that are not carried, until they are taken.
  private var leftOut: [String] = []
  private var open: [Open] = []
  /// The number of the first open portion.
  private var firstOpen = 0
  /// The indices of the tracks that the playlists list, and whether a change of coding is to be reported.
  private var listed: [Int] = []
  private var hasNews = false
  /// Unwraps the timestamps of the stream's clock; `shift` is added for the timeline of the fragments.
  private var unwrapper = TimestampUnwrapper()
  private var shift = MediaTime.zero
  /// The access unit that begins in the next PES packet of the leading stream.
  private var next: LiveAccessUnit?
  /// The decoding time of the latest access unit, on the timeline of the fragments, and the duration of a frame there.
  private var (decoding, frameDuration) = (MediaTime.zero, MediaTime.zero)
  private var hasEnded = false

  /// A track that has been silent for this long does not delay the others, and neither does one that is further behind than the second time.
  private static let (longestSilence, longestDelay) = (MediaTime(seconds: 0.5), MediaTime(seconds: 2))
  /// The maximum time by which audio may be ahead of the video, and by which it may be longer at the end of a stretch.
  private static let (longestLead, longestRest) = (MediaTime(seconds: 2), MediaTime(seconds: 0.5))

  /// - Parameters:
  ///   - streams: The streams for the tracks: see ``streams(of:leadingPID:hasAudio:)``.
  ///   - leadingPID: The PID of the stream that tells the time.
  init(_ streams: [ProgramMapTable.ElementaryStream], leadingPID: PID) {
    (self.streams, self.leadingPID) = (streams, leadingPID)
    for stream in streams {
      if let track = FragmentTrack(stream) {
        tracks.append(track)
        pids.append(stream.pid)
      } else {
        leftOut.append(stream.words)
      }
    }
  }

  /// The streams of a program for which tracks are made. The one that tells the time is the first one, wherever the PMT lists it.
  ///
  /// - Parameter hasAudio: Whether audio gets tracks beside the video.
  static func streams(of map: ProgramMapTable, leadingPID: PID, hasAudio: Bool) -> [ProgramMapTable.ElementaryStream] {
    map.streams.filter { $0.pid == leadingPID } + map.streams.filter { $0.pid != leadingPID && $0.isAudio && hasAudio }
  }

  /// Whether these are the streams of the tracks.
  func isMade(of others: [ProgramMapTable.ElementaryStream]) -> Bool {
    streams.map(\.pid) == others.map(\.pid) && streams.map(\.type) == others.map(\.type)
  }

  /// Whether there are no tracks.
  var isEmpty: Bool { tracks.isEmpty }

  /// Returns descriptions of the streams that are not in the segments, once.
  mutating func takeLeftOut() -> [String] { exchange(&leftOut, with: []) }

  // MARK: Input

  /// Receives the access unit that begins in the next packets of the leading stream.
  ///
  /// - Parameter cut: What begins with the access unit; `nil` for nothing.
  mutating func begin(_ unit: LiveAccessUnit, _ cut: Cut?) {
    let presentation = Self.origin + unit.time
    shift = presentation - unwrapper.unwrap(TimestampUnwrapper.timestamp(of: unit.presentationTime))
    let decoding = presentation - (unit.presentationTime - unit.decodingTime)
    endLeadingUnit(next: decoding)
    (self.decoding, frameDuration, next) = (decoding, unit.frameDuration, unit)
    if let cut {
      open.append(Open(start: presentation, startsSegment: cut == .segment, bytes: [[UInt8]?](repeating: nil, count: tracks.count)))
      if tracks[0].isVideo, firstOpen + open.count > 1 { endPortion(of: 0) }
    }
    addFrames()
  }

  /// Adds event messages in front of the main track's fragment of the newest portion.
  mutating func add(_ messages: [UInt8]) {
    guard !open.isEmpty else { return }
    open[open.count - 1].messages += messages
  }

  /// Receives a packet.
  mutating func push(_ packet: Span<UInt8>, of pid: PID) {
    guard !open.isEmpty, let index = pids.firstIndex(of: pid), let header = try? TransportPacket(packet),
      let range = tracks[index].payload(of: header, in: packet)
    else { return }
    let payload = packet.extracting(range)
    guard header.startsUnit else {
      tracks[index].push(payload)
      if !tracks[index].isVideo { addFrames() }
      return
    }
    guard let pes = try? PESHeader(payload), pes.size <= payload.count else { return }
    if tracks[index].isVideo {
      beginUnit(pes)
    } else {
      if pid == leadingPID { next = nil }
      tracks[index].beginPacket(at: pes.presentationTime.map { unwrapper.peek($0) + shift })
    }
    tracks[index].push(payload.extracting(pes.size...))
    if !tracks[index].isVideo { addFrames() }
  }

  /// Begins an access unit of the leading video, with the times given to ``begin(_:_:)``, or, if there are none, with those of its PES header.
  private mutating func beginUnit(_ pes: PESHeader) {
    if let unit = next.take() {
      return tracks[0].beginUnit(decoding: decoding, presentation: Self.origin + unit.time, isSync: unit.isRandomAccess)
    }
    guard let timestamp = pes.presentationTime else { return }
    let presentation = unwrapper.peek(timestamp) + shift
    let decoding = pes.decodingTime.map { unwrapper.peek($0) + shift } ?? presentation
    endLeadingUnit(next: nil)
    // Times that are far from those of the access unit before are damaged.
    guard decoding > self.decoding, decoding - self.decoding < Self.longestDelay, presentation >= decoding,
      presentation - decoding < Self.longestDelay
    else { return }
    self.decoding = decoding
    tracks[0].beginUnit(decoding: decoding, presentation: presentation, isSync: false)
  }

  private mutating func endLeadingUnit(next decoding: MediaTime?) {
    guard tracks.first?.isVideo == true else { return }
    tracks[0].endUnit(next: decoding, frameDuration: frameDuration)
    noteCoding(of: 0)
  }

  /// Moves frames of audio into their portions: those before which no portion can begin any more, and all of them at the end.
  private mutating func addFrames() {
    for index in tracks.indices where !tracks[index].isVideo {
      let isLeading = pids[index] == leadingPID
      while let time = tracks[index].nextFrameTime {
        // A frame that begins before the stretch, or is far ahead of the leading stream, belongs to another clock.
        let isEarly = !tracks[index].isKnown && time < start(ofPortion: tracks[index].portion)
        guard !isEarly, isLeading || time - decoding < (hasEnded ? Self.longestRest : Self.longestLead) else {
          tracks[index].dropFrame()
          continue
        }
        // Without video, a portion begins with its first packet, so that frames of the leading audio need not wait.
        guard hasEnded || time < decoding || isLeading else { break }
        tracks[index].latestArrival = decoding
        while tracks[index].portion + 1 < firstOpen + open.count, time >= start(ofPortion: tracks[index].portion + 1) {
          endPortion(of: index)
        }
        tracks[index].addFrame()
        noteCoding(of: index)
      }
    }
  }

  private func start(ofPortion number: Int) -> MediaTime { open[number - firstOpen].start }

  private mutating func noteCoding(of index: Int) {
    guard let news = tracks[index].takeNews() else { return }
    let place = tracks[index].portion - firstOpen
    if open[place].news != .changed { open[place].news = news }
  }

  /// Ends the fragment of a track in its current portion.
  private mutating func endPortion(of index: Int) {
    let place = tracks[index].portion - firstOpen
    let portion = open[place]
    // Writing this constant box cannot fail.
    let start = portion.startsSegment ? (try? SegmentTypeBox.bytes()) ?? [] : []
    open[place].bytes[index] = tracks[index].endPortion(
      after: index == 0 ? start + portion.messages : start, isSegmentNext: place + 1 < open.count && open[place + 1].startsSegment)
    // Events of a portion without pictures move to the next one.
    if index == 0, open[place].bytes[0] == nil, place + 1 < open.count {
      open[place + 1].messages = portion.messages + open[place + 1].messages
    }
    if portion.startsSegment, tracks[index].isSilent { leftOut.append(tracks[index].stream.words) }
  }

  /// Ends the stretch, and completes all tracks.
  mutating func finish() {
    guard !hasEnded else { return }
    hasEnded = true
    for index in tracks.indices { tracks[index].finish(frameDuration: frameDuration) }
    if !open.isEmpty {
      noteCoding(of: 0)
      addFrames()
    }
    for index in tracks.indices {
      while tracks[index].portion < firstOpen + open.count { endPortion(of: index) }
    }
  }

  // MARK: Output

  /// Returns the next portion that all tracks have completed; `nil` if a track may still add to it.
  mutating func popPortion() -> SegmentPortion? {
    guard !open.isEmpty, open.count > 1 || hasEnded else { return nil }
    for index in tracks.indices where tracks[index].portion <= firstOpen {
      guard pids[index] != leadingPID else { return nil }
      let end = start(ofPortion: firstOpen + 1)
      let isSilent = decoding >= max(end, tracks[index].latestArrival) + Self.longestSilence
      guard tracks[index].isAway || isSilent || decoding >= end + Self.longestDelay else { return nil }
      tracks[index].isAway = true
      endPortion(of: index)
    }
    let ended = open.removeFirst()
    firstOpen += 1
    var portion = SegmentPortion(tracks: ended.bytes, listed: listed)
    portion.isCodingChanged = ended.news == .changed
    hasNews = hasNews || ended.news != nil
    // A new program is published only with a complete segment.
    guard hasNews, open.first?.startsSegment ?? true, tracks[0].isKnown else { return portion }
    // A track that is listed later comes last, so that the numbers of the others stay.
    listed += tracks.indices.filter { tracks[$0].isKnown && !listed.contains($0) }
    (portion.listed, portion.program, hasNews) = (listed, program, false)
    return portion
  }

  private var program: LiveProgram? {
    guard let main = tracks.first, let coding = main.coding, let initialization = main.initialization(brands: [.aid3]) else { return nil }
    var program = LiveProgram(initialization: initialization, mainCodecs: coding.codec)
    if case .video(let video) = coding { program.resolution = Resolution(video.parameters.size) }
    program.audio = listed.dropFirst().compactMap { index in
      guard let initialization = tracks[index].initialization(), case .audio(let format) = tracks[index].coding else { return nil }
      return LiveProgram.Audio(
        initialization: initialization, language: tracks[index].stream.language, channelCount: format.channelCount, codecs: format.codec)
    }
    return program
  }
}

extension ProgramMapTable.ElementaryStream {
  /// A description of the stream for operators.
  fileprivate var words: String { "\(type.name) (PID \(pid))" }

  /// The language in its ISO_639_language_descriptor (ISO/IEC 13818-1, 2.6.18); `nil` without one.
  var language: String? {
    let letters = descriptors.first { $0.tag == Descriptor.Tag.language }?.data.prefix(3) ?? []
    return letters.count == 3 && letters.allSatisfy { (0x41...0x7A).contains($0) } ? String(decoding: letters, as: UTF8.self) : nil
  }

  /// The audio coding, if fragmented MP4 for HLS carries it; `nil` for other streams.
  var audioCoding: AudioFormat.Coding? {
    let tags = descriptors.map(\.tag)
    return switch type {
    case .aac: .aac
    case .mpeg1Audio, .mpeg2Audio: .mp3
    case .ac3: .ac3
    case .eac3: .eac3
    case .privateData where tags.contains(Descriptor.Tag.eac3) || isRegistered(as: "EAC3"): .eac3
    case .privateData where tags.contains(Descriptor.Tag.ac3) || isRegistered(as: "AC-3"): .ac3
    case .privateData where isRegistered(as: "Opus"): .opus
    default: nil
    }
  }

  /// The channel_config_code of Opus, which follows the tag in its extension descriptor; `nil` if there is none.
  var opusChannelCount: Int? {
    let data = descriptors.first { $0.tag == Descriptor.Tag.extended && $0.data.first == 0x80 }?.data
    return data.flatMap { $0.count > 1 && (1...8).contains($0[1]) ? Int($0[1]) : nil }
  }
}

package import Basics
import CMAF
package import EventSchedule
import HLSPlaylist
package import LibAV
package import LiveHLS
package import Stamping
import Synchronization

/// What goes into the fragments of one stretch of a live stream, in which its clock goes on: bytes, boundaries and events.
///
/// Whoever makes the stream adds to it; one thread reads from it.
package final class StretchInput: Sendable {
  private let timestamp: UInt64
  private let time: MediaTime
  let boundaries = ToldBoundaries()
  /// Where parts start; `nil` without low-latency HLS.
  let parts: ToldParts?
  private let events = Mutex<[PlannedEvent]>([])
  /// When the segments behind the first one start.
  private let starts = Mutex<[MediaTime]>([])
  private let next: @Sendable () -> [UInt8]?

  /// - Parameters:
  ///   - timestamp: The presentation time of the stretch's first access unit, of 33 bits.
  ///   - time: When it is presented on the programme's timeline.
  ///   - hasParts: Whether segments are made in parts.
  ///   - next: The next bytes, which it waits for; `nil` at the end.
  package init(timestamp: UInt64, time: MediaTime, hasParts: Bool = false, next: @escaping @Sendable () -> [UInt8]?) {
    (self.timestamp, self.time, self.next) = (timestamp, time, next)
    parts = hasParts ? ToldParts() : nil
  }

  /// Adds a segment's start, on the programme's timeline. Its bytes come later.
  package func startSegment(at time: MediaTime) {
    starts.withLock { $0.append(time) }
    boundaries.append(StretchFragmenter.origin + time)
  }

  /// Adds the start of a part behind the first one, by its first access unit on the programme's timeline. Its bytes come later.
  package func startPart(decodedAt decoding: MediaTime, presentedAt presentation: MediaTime) {
    parts?.append(decoding: StretchFragmenter.origin + decoding, presentation: StretchFragmenter.origin + presentation)
  }

  func start(ofSegment number: Int) -> MediaTime? {
    number == 0 ? time : starts.withLock { number <= $0.count ? $0[number - 1] : nil }
  }

  /// Adds an event at its time. The bytes that present it come later.
  package func add(_ event: PlannedEvent) { events.withLock { $0.append(event) } }

  func takeEvents() -> [PlannedEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }

  var feed: TransportStreamFeed {
    TransportStreamFeed(name: "the input", timestamp: timestamp, is: StretchFragmenter.origin + time, next: next)
  }
}

/// Makes segments of fragmented MP4 of one stretch of a live transport stream, with the events in front of the main track's fragments.
package struct StretchFragmenter: ~Copyable {
  /// What the tracks have of one segment.
  package struct Segment: Sendable {
    /// When it starts, as its boundary was told, on the programme's timeline.
    package var start: MediaTime
    /// How the tracks are coded, where that is new.
    package var program: LiveProgram?
    package var main: [UInt8]
    /// What audio in tracks of its own has; `nil` for nothing.
    package var audio: [[UInt8]?]
    /// Its parts that were not told before: the last one, and all of the first segment, since that brings the initialization segment.
    package var parts: [Part] = []
  }

  /// What the tracks have of one part of a segment.
  package struct Part: Sendable {
    /// Its number in its segment, from 0, and when the segment starts on the programme's timeline.
    package var number: Int
    package var segmentStart: MediaTime
    package var main: [UInt8]
    /// What audio in tracks of its own has; `nil` for nothing.
    package var audio: [[UInt8]?]
  }

  /// What comes next.
  package enum Made: Sendable {
    case segment(Segment)
    case part(Part)
  }

  /// What was gathered of a part.
  private struct OpenPart {
    var segment: Int?
    var bytes: [Int: [UInt8]] = [:]
  }

  private let input: StretchInput
  private var remuxer: SegmentRemuxer
  private var program: LiveProgram?
  /// The streams of audio in the program.
  private var audio: [MediaStream] = []
  private var initializations: [Int: [UInt8]] = [:]
  /// What each stream has of the segments that are being made, by their numbers: the main track may be in the next one already.
  private var segments: [Int: [Int: [UInt8]]] = [:]
  private var startedSegments: [Int: Int] = [:]
  /// The parts that are being made, by their numbers over all segments; none where no parts are told.
  private var openParts: [Int: OpenPart] = [:]
  /// The segment of the latest complete part, and its number in that.
  private var lastPart: (segment: Int, number: Int)?
  /// Complete parts that come with their segment, with their numbers.
  private var heldParts: [(number: Int, part: OpenPart)] = []

  /// When the timeline origin is presented in the fragments: the same over all stretches and sessions.
  package static let origin = MediaInput.usualFirstPresentation

  /// Waits for as much of the stretch as tells what it is.
  ///
  /// - Throws: `RemuxError`.
  package init(_ input: StretchInput, isInterrupted: @escaping @Sendable () -> Bool) throws(RemuxError) {
    self.input = input
    remuxer = try SegmentRemuxer(
      live: MediaInput(input.feed, isInterrupted: isInterrupted), boundaries: input.boundaries, parts: input.parts)
  }

  /// The streams that are left out: they were announced and have not come, or cannot be carried.
  package var leftOut: [MediaStream] { remuxer.summary.leftOut.filter { $0.kind == .video || $0.kind == .audio } }

  /// The next complete segment, or part of one; `nil` at the end of the stretch. The last part of a segment, and all of the first one, come with it.
  ///
  /// - Parameter messages: What the events are written with.
  /// - Throws: `RemuxError`.
  package mutating func next(_ messages: inout EventMessages) throws(RemuxError) -> Made? {
    while let piece = try remuxer.next() {
      for event in input.takeEvents() { messages.insert(event) }
      switch consume piece {
      case .initializationSegment(let stream, let bytes): initializations[stream] = [UInt8](copying: bytes.span)
      case .fragment(let fragment): add(fragment, &messages)
      case .segmentEnd(let number):
        if let segment = endSegment(number) { return .segment(segment) }
      case .partEnd(let number):
        if let part = endPart(number) { return .part(part) }
      }
    }
    return nil
  }

  private mutating func add(_ fragment: borrowing MuxedFragment, _ messages: inout EventMessages) {
    let (stream, times) = (fragment.stream, fragment.times)
    let startsSegment = startedSegments[stream] != times.segment
    startedSegments[stream] = times.segment
    var bytes = startsSegment ? (try? SegmentTypeBox.bytes()) ?? [] : []
    let isMain = stream == remuxer.leadingStream.index
    // An event that cannot be written was refused when it was accepted.
    if isMain { bytes += (try? messages.boxes(before: times, startsSegment: startsSegment)) ?? [] }
    bytes.append(copying: fragment.bytes.span)
    segments[times.segment, default: [:]][stream, default: []] += bytes
    guard input.parts != nil else { return }
    var part = openParts[times.part] ?? OpenPart()
    if isMain { part.segment = part.segment ?? times.segment }
    part.bytes[stream, default: []] += bytes
    openParts[times.part] = part
  }

  private mutating func endPart(_ number: Int) -> Part? {
    guard let part = openParts.removeValue(forKey: number), let segment = part.segment else { return nil }
    let inSegment = lastPart.map { $0.segment == segment ? $0.number + 1 : 0 } ?? 0
    lastPart = (segment, inSegment)
    // Where audio was away, a part may end before the segment in front of it does: it and those behind it come with their own segment.
    let isAhead = segments.keys.contains { $0 < segment } || heldParts.contains { $0.part.segment == segment }
    guard program != nil, !isAhead, !remuxer.hasLeft(segment: segment) else {
      heldParts.append((inSegment, part))
      return nil
    }
    return made(part, number: inSegment)
  }

  private func made(_ part: OpenPart, number: Int) -> Part? {
    guard let segment = part.segment, let start = input.start(ofSegment: segment), let main = part.bytes[remuxer.leadingStream.index] else {
      return nil
    }
    return Part(number: number, segmentStart: start, main: main, audio: audio.map { part.bytes[$0.index] })
  }

  private mutating func endSegment(_ number: Int) -> Segment? {
    let parts = segments.removeValue(forKey: number) ?? [:]
    let main = remuxer.leadingStream.index
    guard let start = input.start(ofSegment: number), let bytes = parts[main] else { return nil }
    let known = remuxer.summary.copied.filter { $0.index != main && initializations[$0.index] != nil }
    let isNew = program == nil || known.count > audio.count
    if isNew {
      audio = known
      program = makeProgram()
    }
    var segment = Segment(start: start, program: isNew ? program : nil, main: bytes, audio: audio.map { parts[$0.index] })
    segment.parts = heldParts.filter { $0.part.segment == number }.compactMap { made($0.part, number: $0.number) }
    heldParts.removeAll { ($0.part.segment ?? 0) <= number }
    return segment
  }

  private func makeProgram() -> LiveProgram? {
    let main = remuxer.leadingStream
    guard let initialization = initializations[main.index] else { return nil }
    let descriptions = ([main] + audio).map { Self.description(initializations[$0.index] ?? []) }
    var program = LiveProgram(
      initialization: (try? EventMessages.announced(in: initialization.span)) ?? initialization,
      audio: audio.map {
        LiveProgram.Audio(
          initialization: initializations[$0.index] ?? [], language: $0.language,
          channelCount: remuxer.codecParameters(of: $0.index)?.channelCount)
      },
      codecs: descriptions.codecs, resolution: descriptions.first?.pictureSize.map { Resolution($0) },
      frameRate: remuxer.codecParameters(of: main.index)?.frameRate.map { PlaylistDecimal($0) })
    program.mainCodecs = [descriptions[0]].codecs
    for index in program.audio.indices { program.audio[index].codecs = [descriptions[index + 1]].codecs }
    return program
  }

  private static func description(_ initializationSegment: [UInt8]) -> TrackDescription {
    TrackDescription(initializationSegment: initializationSegment.span)
  }
}

import Basics
import EventReading
import NALUnits
import SCTE35
import TransportStream

/// Reads the metadata of one program of a transport stream, and follows its timeline.
struct ProgramMetadata: FollowedProgram {
  /// Metadata whose time is not known yet.
  private struct Held: Sendable {
    var content: TimedMetadata.Content
    /// The time as written, in 33 bits; `nil` for now.
    var timestamp: UInt64?
    /// The end of the video when it came.
    var position: MediaTime?
    var pid: PID
    var offset: Int
    var byteCount: Int
    var section: [UInt8]?
  }

  /// A stream of metadata.
  private enum Source: Sendable {
    case splices(SectionAssembler)
    case klv(PESAssembler)
  }

  private(set) var map: ProgramMapTable
  private(set) var timeline: ProgrammeTimeline
  private var tracker: AccessUnitTracker?
  private var messages: MessageReader?
  private var sources: [PID: Source] = [:]
  /// Unwraps times if the program has neither video nor audio.
  private var unwrapper = TimestampUnwrapper()
  private var held: [Held] = []

  /// The maximum number of streams of metadata that are read, because each may hold an incomplete section.
  private static let mostStreams = 16
  /// The maximum number of held items.
  private static let mostHeld = 256

  init(_ map: ProgramMapTable, startingAt start: ProgrammeTimeline.Start) {
    self.map = map
    timeline = ProgrammeTimeline(startingAt: start)
    update(map)
  }

  /// Replaces the PMT. Streams that it still lists continue.
  mutating func update(_ map: ProgramMapTable) {
    self.map = map
    var next: [PID: Source] = [:]
    for stream in map.streams where next.count < Self.mostStreams {
      if stream.isSplices(in: map) {
        if case .splices? = sources[stream.pid] {
          next[stream.pid] = sources[stream.pid]
        } else {
          next[stream.pid] = .splices(SectionAssembler())
        }
      } else if stream.isKLV {
        if case .klv? = sources[stream.pid] { next[stream.pid] = sources[stream.pid] } else { next[stream.pid] = .klv(PESAssembler()) }
      }
    }
    sources = next
    guard let reference = map.referenceStream, tracker?.pid != reference.pid || tracker?.type != reference.type else { return }
    tracker = AccessUnitTracker(reference, following: tracker)
    messages = reference.type.nalUnitCodec.map { MessageReader($0) }
  }

  /// The PIDs that are read.
  var pids: [PID] { sources.keys.sorted() + (tracker.map { [$0.pid] } ?? []) }

  mutating func push(_ header: TransportPacket, payload: Span<UInt8>, offset: Int, into found: inout [TimedMetadata]) {
    if tracker?.pid == header.pid { return follow(header, payload, offset, &found) }
    switch sources[header.pid] {
    case .splices(var assembler):
      let sections = assembler.push(header, payload: payload)
      sources[header.pid] = .splices(assembler)
      for section in sections { receive(section: section, header.pid, offset) }
    case .klv(var assembler):
      let events = assembler.push(header, payload: payload, offset: offset)
      sources[header.pid] = .klv(assembler)
      for event in events { receive(event, header.pid) }
    case nil: return
    }
    release(&found)
  }

  /// Receives a packet of the stream that tells the time.
  private mutating func follow(_ header: TransportPacket, _ payload: Span<UInt8>, _ offset: Int, _ found: inout [TimedMetadata]) {
    if let unit = tracker?.push(header, payload: payload) {
      if let jump = tracker?.lastJump { timeline.shift(by: jump) }
      if unit.isRandomAccess { timeline.startVideo(at: unit.presentationTime) }
      timeline.extend(from: unit.presentationTime, to: unit.presentationTime + unit.frameDuration)
    }
    if let unit = messages?.pushHead(header, payload: payload, offset: offset) {
      for data in unit.head.userData { hold(.userData(data), unit.timestamp, header.pid, unit.offset, data.byteCount) }
    }
    release(&found)
  }

  private mutating func receive(section bytes: [UInt8], _ pid: PID, _ offset: Int) {
    guard bytes.first == SpliceSection.tableID else {
      let table = bytes.first.map { "0x" + $0.digits(2, radix: 16) } ?? "none"
      return hold(.unreadable(.splice, reason: "section of the table \(table) among the splices"), nil, pid, offset, bytes.count)
    }
    do throws(ParseError) {
      let section = try SpliceSection(bytes.view)
      hold(.splice(section), section.time, pid, offset, bytes.count, section: bytes)
    } catch {
      hold(.unreadable(.splice, reason: "\(error.reason)"), nil, pid, offset, bytes.count)
    }
  }

  private mutating func receive(_ event: PESAssembler.Event, _ pid: PID) {
    switch event {
    case .damaged(let offset, let reason): hold(.unreadable(.klv, reason: reason), nil, pid, offset, 0)
    case .packet(let packet):
      do throws(ParseError) {
        let header = try PESHeader(packet.bytes.view)
        let payload = packet.bytes.view.extracting(droppingFirst: header.size)
        let count = payload.count
        do throws(ParseError) {
          hold(.klv(try KLVUnit.list(payload)), header.presentationTime, pid, packet.offset, count)
        } catch {
          hold(.unreadable(.klv, reason: "\(error.reason)"), header.presentationTime, pid, packet.offset, count)
        }
      } catch {
        hold(.unreadable(.klv, reason: "\(error.reason)"), nil, pid, packet.offset, packet.bytes.count)
      }
    }
  }

  /// Holds metadata until its time is known. If too many wait, the stream starts at the first of them.
  private mutating func hold(
    _ content: TimedMetadata.Content, _ timestamp: UInt64?, _ pid: PID, _ offset: Int, _ byteCount: Int, section: [UInt8]? = nil
  ) {
    if tracker == nil, let timestamp, unwrapper.reference == nil { _ = unwrapper.unwrap(timestamp) }
    held.append(
      Held(
        content: content, timestamp: timestamp, position: timeline.position, pid: pid, offset: offset, byteCount: byteCount,
        section: section))
    if held.count > Self.mostHeld { startAtFirst() }
  }

  /// Where the stream's clock is.
  private var clock: TimestampUnwrapper {
    guard let tracker, tracker.unwrapper.reference != nil else { return unwrapper }
    return tracker.unwrapper
  }

  /// Uses the first time as the start of a stream whose video has not told it.
  private mutating func startAtFirst() {
    if clock.reference == nil, let timestamp = held.lazy.compactMap({ $0.timestamp }).first { _ = unwrapper.unwrap(timestamp) }
    let times = held.compactMap { $0.timestamp.map { clock.peek($0) } }
    timeline.startVideo(at: timeline.position ?? times.min() ?? .zero)
  }

  /// Returns what is held, once the start of the video is known.
  private mutating func release(_ found: inout [TimedMetadata]) {
    guard !held.isEmpty, timeline.videoOrigin != nil else { return }
    for item in held {
      let position = item.position ?? timeline.videoOrigin ?? .zero
      let time = item.timestamp.map { clock.peek($0) } ?? position
      found.append(
        TimedMetadata(
          content: item.content, time: timeline.videoTime(of: time) ?? .zero, presentationTime: time,
          placeTime: timeline.videoTime(of: position), pid: item.pid, offset: item.offset, byteCount: item.byteCount,
          section: item.section))
    }
    held = []
  }

  /// Records that about `duration` of the stream is missing here. Incomplete metadata is discarded, and said to be.
  mutating func skip(_ duration: MediaTime, into found: inout [TimedMetadata]) {
    endSources()
    messages?.interrupt()
    timeline.skip(duration)
    tracker?.skip(duration)
    unwrapper.skip(duration)
    release(&found)
  }

  mutating func finish(into found: inout [TimedMetadata]) {
    endSources()
    if timeline.videoOrigin == nil { startAtFirst() }
    release(&found)
  }

  /// Ends what is incomplete.
  private mutating func endSources() {
    for pid in sources.keys.sorted() {
      switch sources[pid] {
      case .splices(var assembler):
        if assembler.isInsideSection { hold(.unreadable(.splice, reason: "section is cut off"), nil, pid, 0, 0) }
        assembler.reset()
        sources[pid] = .splices(assembler)
      case .klv(var assembler):
        let events = assembler.interrupt()
        sources[pid] = .klv(assembler)
        for event in events { receive(event, pid) }
      case nil: break
      }
    }
  }
}

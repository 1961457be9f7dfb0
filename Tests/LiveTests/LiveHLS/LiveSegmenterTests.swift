import Basics
import CueSheet
import EventSchedule
import GameEvents
import LiveGame
import Stamping
import TestSupport
import Testing
import TransportStream

@testable import LiveHLS
@testable import PacketStamping

/// A stamped stream, cut into segments.
@Suite struct LiveSegmenterTests {
  /// A stamper whose output goes into a segmenter.
  struct Cutting {
    struct Output: LiveOutput {
      var segmenter: LiveSegmenter
      var bytes: [UInt8] = []

      mutating func begin(_ unit: LiveAccessUnit, _ copies: [EventSchedule.TimedCopy]) { segmenter.begin(unit, copies) }

      mutating func expect(_ packets: Span<UInt8>) { segmenter.expect(packets) }

      mutating func follow(pmtPID: PID, leadingPID: PID?) { segmenter.follow(pmtPID: pmtPID, leadingPID: leadingPID) }

      mutating func write(_ packets: Span<UInt8>) {
        bytes.append(copying: packets)
        segmenter.write(packets)
      }
    }

    var stamper: LivePacketStamper
    var output: Output
    var segments: [LiveSegment] = []
    var parts: [LivePart] = []
    var notices: [String] = []

    init(
      _ events: [PlannedEvent] = [], duration: MediaTime = MediaTime(seconds: 1), keepsRate: Bool = false, partDuration: MediaTime? = nil,
      resuming bursts: [(event: PlannedEvent, copies: Int, goesOn: Bool)] = [], type: SegmentType = .transportStream, hasAudio: Bool = true
    ) {
      let known = bursts.map { JournalRecord.SegmentRecord.Burst(guid: $0.event.event.guid, copies: $0.copies) }
      output = Output(segmenter: LiveSegmenter(type, hasAudio: hasAudio, partDuration: partDuration, goingOnWith: known))
      var options = PacketStamper.Options()
      options.keepsRate = keepsRate
      var schedule = EventSchedule([], policy: CopyPolicy())
      for burst in bursts where burst.goesOn { schedule.resume(burst.event, copies: burst.copies) }
      stamper = LivePacketStamper(schedule, options, from: .zero, SegmentClock(duration: duration))
      for event in events { stamper.add(event) }
    }

    mutating func push(_ stream: [UInt8]) {
      for start in stride(from: 0, to: stream.count, by: TransportPacket.size) {
        stamper.push(stream.span.extracting(start..<start + TransportPacket.size), into: &output)
        takeOutput()
      }
    }

    private mutating func takeOutput() {
      let complete = output.segmenter.takeSegments()
      segments += complete
      parts += complete.flatMap(\.parts) + output.segmenter.takeParts()
      notices += output.segmenter.takeNotices()
    }

    mutating func finish() {
      output.segmenter.finish()
      takeOutput()
    }
  }

  /// Put one after another, the parts of a segment are the segment, and each begins with the tables.
  @Test func parts() throws {
    var cutting = Cutting([SampleGame.short("a", at: 30 * 3_600)], partDuration: MediaTime(seconds: 0.25))
    cutting.push(SampleStream().bytes)
    cutting.finish()
    #expect(cutting.segments.count == 3)
    for segment in cutting.segments {
      let parts = cutting.parts.filter { $0.segmentStart == segment.start }
      #expect(parts.map(\.number) == Array(parts.indices) && parts.flatMap(\.bytes) == segment.bytes)
      #expect(parts.reduce(MediaTime.zero) { $0 + $1.duration } == segment.duration)
      #expect(parts.allSatisfy { $0.target == MediaTime(ticks: 6 * 3_600) && $0.boundary == segment.boundary })
      #expect(parts.dropLast().allSatisfy { $0.duration == $0.target } && parts[0].isIndependent)
      for part in parts { #expect(SamplePacket.all(in: part.bytes).prefix(2).map(\.pid) == [0, 0x1000]) }
    }
    // The event is in the part that has its frame, which is the first one of its segment.
    let withEvent = cutting.parts.filter { part in SamplePacket.all(in: part.bytes).contains { $0.pid == 0x102 } }
    #expect(withEvent.contains { $0.segmentStart == cutting.segments[1].start && $0.number == 0 })
    // A part tells of the events that come with it, the segment of all of its parts.
    for segment in cutting.segments {
      #expect(cutting.parts.filter { $0.segmentStart == segment.start }.flatMap(\.guids) == segment.guids)
    }
    let told = cutting.parts.filter { !$0.guids.isEmpty }
    #expect(told.map(\.segmentStart).contains(cutting.segments[1].start) && told.allSatisfy { withEvent.contains($0) })
  }

  /// A burst that an earlier session has begun is known behind each segment until its last copy is there, even where none of its copies comes.
  @Test func burstsOfAnEarlierSession() {
    let (first, second) = (SampleGame.short("a", at: 0), SampleGame.short("b", at: 0))
    var cutting = Cutting(resuming: [(first, 1, goesOn: true), (second, 2, goesOn: false)])
    cutting.push(SampleStream().bytes)
    cutting.finish()
    let left = [JournalRecord.SegmentRecord.Burst(guid: second.event.guid, copies: 2)]
    #expect(cutting.segments.map(\.bursts) == [left, left, left])
  }

  /// The packets of a segment without the tables in front of it.
  private static func content(_ segment: LiveSegment, tables: Int) -> [[UInt8]] {
    SamplePacket.all(in: segment.bytes).dropFirst(tables).map { packet in
      [0, 0x1000].contains(packet.pid) ? packet.uncounted : packet.bytes
    }
  }

  @Test(arguments: [false, true]) func eachSegmentBeginsWithTheTables(hasLongMap: Bool) throws {
    var sample = SampleStream()
    sample.tablesEvery = 7
    if hasLongMap {
      sample.map.streams[1].descriptors = [200, 170].map { Descriptor(tag: 0x80, data: [UInt8](repeating: 0xAB, count: $0)) }
    }
    let tables = hasLongMap ? 4 : 2
    var cutting = Cutting([SampleGame.short("a", at: 0), SampleGame.short("b", at: 20 * 3_600), SampleGame.short("c", at: 40 * 3_600)])
    cutting.push(sample.bytes)
    #expect(cutting.segments.count == 2)
    cutting.finish()
    let segments = cutting.segments
    // Segments of a second start with the pictures 0, 27 and 51.
    #expect(segments.map { $0.start.ticks / 3_600 } == [0, 27, 51] && segments.map { $0.duration.ticks / 3_600 } == [27, 24, 10])
    #expect(segments.map(\.boundary) == [.randomAccess, .randomAccess, .randomAccess])
    #expect(segments.map(\.isIndependent) == [true, true, true] && segments.map(\.targetDuration) == [1, 1, 1])
    for segment in segments {
      let pids = SamplePacket.all(in: segment.bytes).map(\.pid)
      #expect(Array(pids.prefix(tables)) == [0] + [PID](repeating: 0x1000, count: tables - 1))
      let whole = Array(segment.bytes[..<(tables * TransportPacket.size)])
      let section = try #require(SamplePacket.sections(on: 0x1000, in: whole).first)
      let map = try ProgramMapTable(Section(section.span))
      #expect(map.timedID3Streams.map(\.pid) == [0x102])
      // Tags of the segment may lie in front of its first frame.
      #expect([0x100, 0x102].contains(pids[tables]))
    }
    // Put one after another, the segments are the stream that went in, but for the tables in front of them.
    let together = segments.flatMap(\.bytes)
    #expect(SamplePacket.continuityErrors(in: together) == [])
    let start = SamplePacket.all(in: cutting.output.bytes).drop { [0, 0x1000].contains($0.pid) }
    #expect(
      segments.flatMap { Self.content($0, tables: tables) }
        == start.map { [0, 0x1000].contains($0.pid) ? $0.uncounted : $0.bytes })
    #expect(segments.map { Set($0.guids.map(\.text)).isSubset(of: ["g-a", "g-b", "g-c"]) } == [true, true, true])
  }

  /// Each segment says which events it has copies of, and none twice.
  @Test func theEventsOfSegments() throws {
    let game = SampleGame.plan()
    var cutting = Cutting(game)
    cutting.push(SampleStream().bytes)
    cutting.finish()
    for segment in cutting.segments {
      let found = try read(segment.bytes).copies.map(\.copy.event.guid)
      #expect(Set(segment.guids) == Set(found) && segment.guids.count == Set(found).count && !found.isEmpty)
    }
    #expect(Set(cutting.segments.flatMap(\.guids)) == Set(game.map(\.event.guid)))
  }

  /// A PMT that moves to another PID is that of the segments behind it.
  @Test func theTablesChange() throws {
    var sample = SampleStream()
    sample.tablesEvery = 10
    var map = SampleStream.videoAndAudio
    map.version = 9
    map.descriptors = [Descriptor(tag: 0x80, data: [1, 2, 3])]
    sample.laterMaps[30] = map
    var cutting = Cutting()
    cutting.push(sample.bytes)
    cutting.finish()
    let versions = try cutting.segments.map { segment in
      let section = try #require(SamplePacket.sections(on: 0x1000, in: segment.bytes).first)
      return try ProgramMapTable(Section(section.span)).version
    }
    #expect(versions == [4, 4, 10])
    #expect(SamplePacket.continuityErrors(in: cutting.segments.flatMap(\.bytes)) == [])
  }

  /// Where the video or audio becomes another one, a segment begins that continues nothing: with the next access unit of other video, and with the next one
  /// that decoding can start with where the video goes on. A PMT gets another version, even where the encoder has not given it one.
  @Test(arguments: [(30, ProgramMapTable.ElementaryStream?.none, 39), (25, .init(type: .hevc, pid: 0x100), 27)])
  func otherStreams(picture: Int, video: ProgramMapTable.ElementaryStream?, start: Int64) throws {
    var sample = SampleStream()
    var map = SampleStream.videoAndAudio
    // Without audio, or with other video.
    if let video { map.streams[0] = video } else { map.streams.removeLast() }
    sample.laterMaps[picture] = map
    var cutting = Cutting()
    cutting.push(sample.bytes)
    cutting.finish()
    let other = try #require(cutting.segments.firstIndex { $0.boundary == .discontinuity })
    #expect(cutting.segments.map(\.boundary).count { $0 == .discontinuity } == 1)
    #expect(cutting.segments[other].start.ticks == start * 3_600 && cutting.segments[other].isIndependent)
    // Two pictures come behind the first one of their group and are presented before it: in front of the stretch.
    #expect(cutting.segments.map(\.duration).reduce(.zero, +) == MediaTime(ticks: 59 * 3_600))
    let versions = try cutting.segments.map { segment in
      let section = try #require(SamplePacket.sections(on: 0x1000, in: segment.bytes).first)
      return try ProgramMapTable(Section(section.span)).version
    }
    #expect(Set(versions[..<other]) == [4] && Set(versions[other...]) == [5])
  }

  /// Where nothing comes, the segment ends with what has come; what comes then is discontinuous, and need not be decodable.
  @Test func anInterruption() {
    let original = SampleStream().bytes
    let packets = SamplePacket.all(in: original)
    let pictures = packets.filter { $0.pid == 0x100 && $0.header.startsUnit }
    var cutting = Cutting()
    cutting.push(Array(original[..<pictures[13].offset]))
    cutting.finish()
    cutting.stamper.interrupt()
    // Nothing more has come.
    cutting.finish()
    #expect(cutting.segments.map(\.duration.ticks) == [13 * 3_600])
    cutting.push(Array(original[pictures[20].offset...]))
    cutting.finish()
    #expect(cutting.segments.map(\.boundary) == [.randomAccess, .discontinuity, .randomAccess])
    #expect(cutting.segments.map(\.isIndependent) == [true, false, true])
    #expect(cutting.segments.map(\.targetDuration) == [1, 1, 1])
    #expect(Array(SamplePacket.all(in: cutting.segments[1].bytes).map(\.pid).prefix(2)) == [0, 0x1000])
  }

  /// A jump of the clock neither loses nor doubles time.
  @Test func aJump() {
    var second = SampleStream()
    second.start = 5_000_000_000
    var cutting = Cutting()
    cutting.push(SampleStream().bytes + second.bytes)
    cutting.finish()
    let segments = cutting.segments
    let jumps = segments.filter { $0.boundary == .discontinuity }
    #expect(jumps.count == 1)
    for (left, right) in zip(segments, segments.dropFirst()) { #expect(left.start + left.duration == right.start) }
    #expect(segments.last.map { $0.start + $0.duration } == MediaTime(ticks: 2 * 61 * 3_600))
  }

  /// Segments that are split where no key frame comes.
  @Test func splits() {
    var sample = SampleStream()
    sample.pictureCount = 361
    // The first segment may last at most 0.3 s, and the second key frame comes later: the segment is split.
    var cutting = Cutting(duration: MediaTime(ticks: 9_000))
    cutting.push(sample.bytes)
    cutting.finish()
    #expect(cutting.segments.contains { $0.boundary == .split })
    let longest = Int64(cutting.segments[0].targetDuration) * 90_000 + 44_999
    #expect(cutting.segments.allSatisfy { $0.duration.ticks <= longest && $0.isIndependent == ($0.boundary == .randomAccess) })
    #expect(cutting.segments.map(\.duration).reduce(.zero) { $0 + $1 } == MediaTime(ticks: sample.end))
  }

  /// Tags that wait for null packets in the stream lie in front of their access units in segments, as where they do not wait.
  @Test func segmentsDoNotWaitForNullPackets() {
    let sample = ConstantRate.stream(SampleStream(), packetsPerPicture: 24, lead: 63_000)
    let cuts = [false, true].map { keepsRate in
      var cutting = Cutting((0..<20).map { SampleGame.short("\($0)", at: Int64($0) * 10_000) }, keepsRate: keepsRate)
      cutting.push(sample)
      cutting.finish()
      return cutting
    }
    #expect(cuts[1].output.bytes.count == sample.count && cuts[0].output.bytes.count > sample.count)
    #expect(cuts[1].segments.map(\.guids) == cuts[0].segments.map(\.guids) && cuts[1].segments.count == 3)
    for (steady, other) in zip(cuts[1].segments, cuts[0].segments) {
      #expect(
        SamplePacket.stream(steady.bytes, without: TransportPacket.nullPID)
          == SamplePacket.stream(other.bytes, without: TransportPacket.nullPID)
      )
      #expect(SamplePacket.continuityErrors(in: steady.bytes) == [])
    }
  }
}

import Basics
import EventSchedule
import GameEvents
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// Events that go into a stream while it is made.
@Suite struct LivePacketStamperTests {
  /// An event that says no time, or the earliest one.
  static func event(_ name: String, _ sequence: Int = 1, at ticks: Int64? = nil) -> PlannedEvent {
    var event = SampleGame.event("g", name, sequence, at: 0, .periodicInfo(PeriodicInfo(viewers: sequence)))
    event.event.at = ticks.map { MediaTime(ticks: $0) }
    return event
  }

  /// The numbers of the packets in which video frames of a stream start.
  static func starts(_ stream: [UInt8], pid: PID = 0x100) -> [Int] {
    SamplePacket.all(in: stream).enumerated().filter { $0.element.pid == pid && $0.element.header.startsUnit }.map(\.offset)
  }

  /// The presentation times of the tags on a PID.
  static func tagTimes(_ run: LiveRun, on pid: PID = 0x102) throws -> [UInt64?] {
    try SamplePacket.pes(on: pid, in: run.output.bytes).map { try PESHeader($0.bytes.span).presentationTime }
  }

  // MARK: The stream

  @Test(arguments: PassthroughTests.Source.allCases) func onlyTheMapChanges(source: PassthroughTests.Source) throws {
    let sample = source.sample
    let original = sample.bytes
    var run = LiveRun([Self.event("a"), Self.event("b", 2)])
    run.push(original) { number, stamper in if number == original.count / 376 { stamper.add(Self.event("c", 3)) } }
    let difference = StampedDifference(original, run.output.bytes, eventPID: 0x102, pmtPID: sample.pmtPID)
    #expect(difference.unexpected == [] && difference.replaced == 0)
    #expect(SamplePacket.continuityErrors(in: run.output.bytes) == [])
    #expect(run.notices == [.resumed(program: 1, eventPID: 0x102)])
    let first = source == .soundAlone ? 0 : 1
    #expect(run.output.units.count >= sample.accessUnits.count - first)
    #expect(run.output.firsts.map(\.copy.event.guid.text) == ["g-a", "g-b", "g-c"])
    let times = try Self.tagTimes(run)
    #expect(times == run.output.copies.map { 900_000 + UInt64($0.copy.time.ticks) })
    // Each PMT announces the events.
    let maps = SamplePacket.sections(on: sample.pmtPID, in: run.output.bytes).filter { $0[0] == ProgramMapTable.tableID }
    #expect(try maps.allSatisfy { try ProgramMapTable(Section($0.span)).timedID3Streams.map(\.pid) == [0x102] })
  }

  /// The access units are those of the stream, on the programme's timeline from a start on, and each is written at once.
  @Test func accessUnits() {
    let sample = SampleStream()
    let original = sample.bytes
    var run = LiveRun(from: MediaTime(ticks: 7_000_000))
    let starts = Self.starts(original)
    run.push(original)
    #expect(run.output.times == sample.accessUnits.map { 7_000_000 + $0.presentation })
    #expect(run.output.units.map { $0.unit.presentationTime.ticks } == sample.accessUnits.map { 900_000 + $0.presentation })
    let decodingTimes: [Int64] = (0..<61).map { (frame: Int64) in 900_000 + (frame - 1) * 3_600 }
    #expect(run.output.units.map { $0.unit.decodingTime.ticks } == decodingTimes)
    let keyFrames = (0..<61).map { (frame: Int) -> Bool in frame == 0 || frame > 1 && (frame - 1) % 12 == 0 }
    #expect(run.output.units.map { $0.unit.isRandomAccess } == keyFrames)
    #expect(run.output.units.allSatisfy { $0.unit.frameDuration.ticks == 3_600 && $0.unit.targetDuration == 1 })
    #expect(run.output.units.map(\.offset) == starts.map { $0 * TransportPacket.size })
    // Key frames are presented at 0, 15, 27, 39 and 51 frames.
    #expect(run.output.boundaries == [0: .randomAccess, 25: .randomAccess, 49: .randomAccess])
  }

  /// Packets wait only from the PAT that lists the program to the end of its PMT.
  @Test func nothingWaitsBehindTheFirstMap() {
    let noise = [UInt8]([0x47, 0x00, 0x77, 0x10] + [UInt8](repeating: 0x77, count: 184))
    let original = noise + noise + SampleStream().bytes
    let packets = SamplePacket.all(in: original)
    #expect(packets.prefix(5).map(\.pid) == [0x77, 0x77, 0, 0x1000, 0x100])
    var run = LiveRun([Self.event("a")])
    for (number, packet) in packets.enumerated() {
      run.push(packet.bytes)
      let out = SamplePacket.all(in: run.output.bytes).count { $0.pid != 0x102 }
      #expect(out == (number == 2 ? 2 : number + 1), "packet \(number)")
    }
  }

  /// Where no program comes, everything goes through as it came.
  @Test func withoutAProgramEverythingGoesThrough() {
    let packet = [UInt8]([0x47, 0x00, 0x77, 0x10] + [UInt8](repeating: 0x77, count: 184))
    let count = (1 << 20) / 188 + 2
    var run = LiveRun([Self.event("a")])
    for number in 1...count {
      run.push(packet)
      guard run.output.bytes.count == number * 188 else { return #expect(Bool(false), "packet \(number) waits") }
    }
    #expect(run.notices == [.interrupted(.noProgram)] && run.output.units == [])
    run.push(SampleStream().bytes)
    #expect(run.notices == [.interrupted(.noProgram), .resumed(program: 1, eventPID: 0x102)])
    #expect(run.output.firsts.map(\.copy.event.guid.text) == ["g-a"])
  }

  @Test func severalPrograms() {
    var run = LiveRun([Self.event("a")])
    let original = BroadcastTests.twoPrograms()
    run.push(original)
    #expect(
      run.notices == [
        .interrupted(.severalPrograms([.init(number: 2, streams: [.h264, .aac]), .init(number: 1, streams: [.h264, .aac])]))
      ])
    #expect(run.output.bytes == original)
    var chosen = LiveRun([Self.event("a")], program: 2)
    chosen.push(original)
    #expect(chosen.notices == [.resumed(program: 2, eventPID: 0x202)])
    #expect(chosen.output.firsts.map(\.copy.event.guid.text) == ["g-a"])
    #expect(StampedDifference(original, chosen.output.bytes, eventPID: 0x202, pmtPID: 0x1100).unexpected == [])
  }

  // MARK: Events

  /// An event without a time goes before the next access unit, wherever in the one before it came.
  @Test func beforeTheNextAccessUnit() throws {
    let original = SampleStream().bytes
    let starts = Self.starts(original)
    for number in [10, 11, 12, 13, 30] {
      for place in [starts[number - 1] + 1, starts[number]] {
        var run = LiveRun()
        run.push(original) { packet, stamper in if packet == place { stamper.add(Self.event("a")) } }
        let first = try #require(run.output.copies.first)
        #expect(first.unit == number && first.copy.copy.copy == 1)
        // Where a frame is presented before another one that was there already, its event is not.
        let latest = run.output.units[..<number].map(\.unit.time).max() ?? .zero
        let time = run.output.units[number].unit.time
        #expect(first.copy.time == (time > latest ? time : latest + MediaTime(ticks: 1)))
        #expect(first.copy.time == first.copy.copy.event.at && first.copy.copy.age == .zero)
        #expect(try Self.tagTimes(run).first == 900_000 + UInt64(first.copy.time.ticks))
      }
    }
  }

  /// Events keep the order in which they came, at whatever times they ask to be, and no time goes back.
  @Test(arguments: 0..<UInt64(30)) func theOrderStays(seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    let original = SampleStream().bytes
    let count = original.count / TransportPacket.size
    var arrivals: [(packet: Int, event: PlannedEvent)] = []
    for number in 0..<20 {
      let packet = Int.random(in: 0..<count * 3 / 4, using: &generator)
      let time = Bool.random(using: &generator) ? nil : Int64.random(in: 0...150_000, using: &generator)
      arrivals.append((packet, Self.event("\(number)", at: time)))
    }
    arrivals.sort { $0.packet < $1.packet }
    var run = LiveRun(policy: CopyPolicy(copies: 2, refreshInterval: MediaTime(seconds: 1)))
    run.push(original) { packet, stamper in for arrival in arrivals where arrival.packet == packet { stamper.add(arrival.event) } }
    let firsts = run.output.firsts
    #expect(firsts.map(\.copy.event.guid) == arrivals.map(\.event.event.guid))
    for (first, arrival) in zip(firsts, arrivals) { #expect(first.time >= arrival.event.event.at ?? .zero) }
    let times = run.output.copies.map(\.copy.time)
    #expect(times == times.sorted())
    #expect(firsts.allSatisfy { $0.copy.event.at == $0.time - $0.copy.age })
    #expect(try Self.tagTimes(run) == times.map { 900_000 + UInt64($0.ticks) })
    #expect(StampedDifference(original, run.output.bytes, eventPID: 0x102, pmtPID: 0x1000).unexpected == [])
  }

  /// A signature covers the time that the event has got.
  @Test func signatures() throws {
    var run = LiveRun([Self.event("a"), Self.event("b", 2, at: 90_000)], sign: TestSignature.sign)
    run.push(SampleStream().bytes)
    #expect(run.output.firsts.count == 2)
    for copy in run.output.copies.map(\.copy.copy) {
      #expect(copy.signature != nil && copy.signature == TestSignature.signed(PlannedEvent(copy.event)).signature)
    }
  }

  /// Active events are refreshed at the start of each segment.
  @Test func segmentsStartWithWhatIsActive() {
    var run = LiveRun([SampleGame.event("g", "start", 1, at: 0, .startGame(StartGame(title: "T", totalQuestions: 1)))])
    run.push(SampleStream().bytes)
    for start in run.output.boundaries.keys { #expect(run.output.units[start].copies.map(\.copy.event.guid.text) == ["g-start"]) }
  }

  // MARK: The clock

  /// Where the clock jumps, the programme goes on without a gap, and a segment starts with a discontinuity.
  @Test(arguments: [0, 800_000, 1_400_000, 500_000_000, (1 << 33) - 90_000] as [UInt64], [false, true])
  func theProgrammeGoesOn(secondStart: UInt64, isAnnounced: Bool) throws {
    let original = ClockJumpTests.stream(secondStart: secondStart, isAnnounced: isAnnounced)
    let second = Self.starts(original)[61]
    var run = LiveRun()
    run.push(original) { number, stamper in if number == second { stamper.add(Self.event("late")) } }
    let sample = SampleStream()
    let times = sample.accessUnits.map(\.presentation)
    #expect(run.output.times == times + times.map { $0 + 61 * 3_600 })
    #expect(run.output.boundaries.filter { $0.value == .discontinuity } == [61: .discontinuity])
    let copies = run.output.copies
    #expect(copies.first?.unit == 61)
    #expect(
      try Self.tagTimes(run) == copies.map { (secondStart + UInt64($0.copy.time.ticks) - 61 * 3_600) & 0x1_FFFF_FFFF })
    #expect(StampedDifference(original, run.output.bytes, eventPID: 0x102, pmtPID: 0x1000).unexpected == [])
  }

  /// A clock that wraps does not jump.
  @Test func aWrapIsNoJump() throws {
    var sample = SampleStream()
    sample.start = (1 << 33) - 90_000
    var run = LiveRun()
    run.push(sample.bytes) { number, stamper in if number == 200 { stamper.add(Self.event("late")) } }
    #expect(run.output.times == sample.accessUnits.map(\.presentation))
    #expect(run.output.boundaries == [0: .randomAccess, 25: .randomAccess, 49: .randomAccess])
    #expect(try Self.tagTimes(run) == run.output.copies.map { (sample.start + UInt64($0.copy.time.ticks)) & 0x1_FFFF_FFFF })
  }

  /// An input that was away starts a segment, also while its tables are examined anew.
  @Test(arguments: [30, 45]) func anInterruption(picture: Int) {
    let original = Self.leaving(and: [])
    var run = LiveRun(program: 1)
    run.push(original) { number, stamper in if number == Self.starts(original)[picture] { stamper.interrupt() } }
    let found = run.output.units.filter { $0.unit.boundary == .discontinuity }.map(\.unit.time.ticks)
    // Between the pictures 20 and 40 the program is not there.
    #expect(found == [Self.displayTimes[max(picture, 40)]])
    var steady = LiveRun()
    steady.push(SampleStream().bytes) { number, stamper in if number == Self.starts(SampleStream().bytes)[picture] { stamper.interrupt() } }
    #expect(steady.output.boundaries.filter { $0.value == .discontinuity } == [picture: .discontinuity])
  }

  /// The packets on a PID that announce a discontinuity, by their numbers among those of the PID, and how many access units begin before them.
  private static func announced(_ run: LiveRun, on pid: PID) -> [(number: Int, unit: Int)] {
    SamplePacket.all(in: run.output.bytes).filter { $0.pid == pid }.enumerated().compactMap { number, packet in
      guard packet.header.adaptation?.isDiscontinuous == true else { return nil }
      return (number, run.output.units.count { $0.offset < packet.offset })
    }
  }

  /// What a process sends that continues another one's stream says that its counters do not: with its first PMT and its first tag.
  @Test(arguments: [false, true]) func aContinuation(isContinuation: Bool) throws {
    let original = SampleStream().bytes
    var run = LiveRun([Self.event("a"), Self.event("b", 2)], isContinuation: isContinuation)
    run.push(original)
    for pid in [0x1000, 0x102] as [PID] { #expect(Self.announced(run, on: pid).map(\.number) == (isContinuation ? [0] : [])) }
    #expect(StampedDifference(original, run.output.bytes, eventPID: 0x102, pmtPID: 0x1000).unexpected == [])
    #expect(SamplePacket.continuityErrors(in: run.output.bytes) == [])
    #expect(try Self.tagTimes(run) == run.output.copies.map { 900_000 + UInt64($0.copy.time.ticks) })
    #expect(try read(run.output.bytes).damages == [])
  }

  /// So do the PMT and the tag behind a jump of the clock, and behind an interruption.
  @Test(arguments: [false, true]) func aDiscontinuityIsAnnounced(isJump: Bool) throws {
    let original = isJump ? ClockJumpTests.stream(secondStart: 500_000_000, isAnnounced: false) : SampleStream().bytes
    let place = isJump ? 61 : 30
    let packet = Self.starts(original)[place]
    var run = LiveRun(policy: CopyPolicy(copies: 2, refreshInterval: nil))
    run.push(original) { number, stamper in
      guard number == packet else { return }
      if !isJump { stamper.interrupt() }
      stamper.add(Self.event("a"))
    }
    let (map, tag) = (Self.announced(run, on: 0x1000), Self.announced(run, on: 0x102))
    // The tables come before every tenth picture of either part.
    #expect(map.map(\.unit) == [isJump ? 71 : 40])
    #expect(tag.map(\.number) == [0] && tag.map(\.unit) == [place])
    #expect(StampedDifference(original, run.output.bytes, eventPID: 0x102, pmtPID: 0x1000).unexpected == [])
  }

  // MARK: Changes of the stream

  static let displayTimes = SampleStream().accessUnits.map(\.presentation)

  /// The program leaves the PAT before picture 20 and comes back before picture 40.
  static func leaving(and programs: [ProgramAssociationTable.Program]) -> [UInt8] {
    func association(_ version: UInt8, _ programs: [ProgramAssociationTable.Program]) -> SampleStream.Extra {
      .section(0, ProgramAssociationTable(transportStreamID: 1, version: version, entries: programs).section)
    }
    var sample = SampleStream()
    sample.tablesEvery = 61
    sample.extras[20] = [association(1, programs)]
    let map = (try? SampleStream.videoAndAudio.section()).map { [SampleStream.Extra.section(0x1000, $0)] } ?? []
    sample.extras[40] = [association(2, [.init(number: 1, pmtPID: 0x1000)])] + map
    return sample.bytes
  }

  /// Also where another program is listed meanwhile whose PMT does not come.
  @Test(arguments: [nil, 1] as [UInt16?], [(false, false), (false, true), (true, false), (true, true)])
  func theProgramLeavesAndComesBack(program: UInt16?, others: (isListed: Bool, isPending: Bool)) throws {
    let original = Self.leaving(and: others.isListed ? [.init(number: 2, pmtPID: 0x1001)] : [])
    let packets = SamplePacket.all(in: original)
    let offset = packets.filter { $0.pid == 0 }[1].offset
    // An event that waits for its time stays.
    var run = LiveRun([Self.event("a"), Self.event("b", 2, at: others.isPending ? 5 * 3_600 : 0)], program: program)
    let starts = Self.starts(original)
    run.push(original) { number, stamper in if number == starts[30] { stamper.add(Self.event("c", 3)) } }
    #expect(
      run.notices == [
        .resumed(program: 1, eventPID: 0x102), .interrupted(.programEnds(1, offset: offset)), .resumed(program: 1, eventPID: 0x102),
      ])
    #expect(run.output.times == Array(Self.displayTimes[..<20] + Self.displayTimes[40...]))
    #expect(run.output.firsts.map(\.copy.event.guid.text) == ["g-a", "g-b", "g-c"])
    #expect(run.output.copies.first { $0.copy.copy.event.guid.text == "g-c" }?.unit == 20)
    #expect(StampedDifference(original, run.output.bytes, eventPID: 0x102, pmtPID: 0x1000).unexpected == [])
    #expect(SamplePacket.continuityErrors(in: run.output.bytes) == [])
    let copies = try read(run.output.bytes).copies.map(\.copy.event.guid.text)
    #expect(Set(copies) == ["g-a", "g-b", "g-c"])
  }

  /// What waits for its time when the program leaves goes in when it is back.
  @Test func whatIsPendingIsKept() {
    let original = Self.leaving(and: [])
    var run = LiveRun([Self.event("a", at: 30 * 3_600)], program: 1)
    run.push(original)
    #expect(run.output.firsts.map(\.copy.event.guid.text) == ["g-a"])
    #expect(run.output.copies.first?.unit == 20)
  }

  /// A stream that comes to use the PID of the events: they move to another one, with a new version of the PMT.
  @Test(arguments: [false, true]) func aClash(isAnnounced: Bool) throws {
    var sample = SampleStream()
    let foreign = SamplePacketWriter.pes(presentation: 900_000, payload: [UInt8](repeating: 0x2C, count: 100))
    for picture in 25..<61 { sample.extras[picture] = [.pes(0x102, foreign)] }
    if isAnnounced {
      var map = SampleStream.videoAndAudio
      map.version = 4
      map.streams.append(.init(type: .privateData, pid: 0x102))
      sample.laterMaps[20] = map
    }
    let original = sample.bytes
    let packets = SamplePacket.all(in: original)
    let first = try #require(packets.first { $0.pid == 0x102 }).offset
    let clash = isAnnounced ? packets.filter { $0.pid == 0x1000 }[2].offset : first
    var run = LiveRun([Self.event("a")])
    run.push(original) { number, stamper in if number == clash / 188 + 1 { stamper.add(Self.event("b", 2)) } }
    #expect(
      run.notices == [
        .resumed(program: 1, eventPID: 0x102), .interrupted(.pidClash(0x102, offset: clash)), .resumed(program: 1, eventPID: 0x103),
      ])
    // The foreign packets are all there, and the rest is as it was.
    let kept = SamplePacket.all(in: run.output.bytes).filter { ![0x1000, 0x103].contains($0.pid) }.map(\.bytes)
    let old = packets.filter { $0.pid != 0x1000 }.map(\.bytes)
    #expect(kept.filter { TransportPacket.pid(of: $0.span) != 0x102 } == old.filter { TransportPacket.pid(of: $0.span) != 0x102 })
    #expect(Array(kept.filter { TransportPacket.pid(of: $0.span) == 0x102 }.suffix(36)) == packets.filter { $0.pid == 0x102 }.map(\.bytes))
    #expect(run.output.firsts.map(\.copy.event.guid.text) == ["g-a", "g-b"])
    // Each PMT with other contents has another version, and all announce the events: also the one that announces the clash.
    let sections = SamplePacket.sections(on: 0x1000, in: run.output.bytes)
    #expect(try sections.allSatisfy { try ProgramMapTable(Section($0.span)).timedID3Streams.count == 1 })
    var contents: [UInt8: [UInt8]] = [:]
    for section in sections {
      let version = try ProgramMapTable(Section(section.span)).version
      let known = contents[version] ?? section
      #expect(known == section, "version \(version)")
      contents[version] = section
    }
    let last = try #require(sections.last)
    let map = try ProgramMapTable(Section(last.span))
    #expect(map.timedID3Streams.map(\.pid) == [0x103])
  }

  /// A PMT that has begun when the insertion ends goes through, too.
  @Test func aClashInsideOfTheMap() {
    var sample = PassthroughTests.Source.longMap.sample
    sample.extras[14] = nil
    let parsed = SamplePacket.all(in: sample.bytes)
    var packets = parsed.map(\.bytes)
    let foreign: [UInt8] = [0x47, 0x41, 0x02, 0x10] + [UInt8](repeating: 0x2C, count: 184)
    let maps = parsed.indices.filter { parsed[$0].pid == 0x1000 }
    packets.insert(foreign, at: maps[7])
    let original = packets.flatMap { $0 }
    var run = LiveRun()
    run.push(original)
    #expect(run.notices.count == 3)
    let ours = SamplePacket.all(in: run.output.bytes).filter { $0.pid != 0x1000 }.map(\.bytes)
    #expect(ours == packets.filter { TransportPacket.pid(of: $0.span) != 0x1000 })
    #expect(SamplePacket.all(in: run.output.bytes).count == packets.count)
  }

  /// Where the video is scrambled for a while, nothing can be put in, and everything goes through.
  @Test func scrambling() {
    let clear = SampleStream().bytes
    let starts = Self.starts(clear)
    let original = SamplePacket.all(in: clear).enumerated().flatMap { number, packet -> [UInt8] in
      guard packet.pid == 0x100, (starts[20]..<starts[40]).contains(number) else { return packet.bytes }
      return packet.bytes[..<3] + [packet.bytes[3] | 0xC0] + packet.bytes[4...]
    }
    var run = LiveRun([Self.event("a")])
    run.push(original) { number, stamper in if number == starts[30] { stamper.add(Self.event("b", 2)) } }
    #expect(run.output.times == Array(Self.displayTimes[..<20] + Self.displayTimes[40...]))
    #expect(run.output.copies.first { $0.copy.copy.event.guid.text == "g-b" }?.unit == 20)
    #expect(StampedDifference(original, run.output.bytes, eventPID: 0x102, pmtPID: 0x1000).unexpected == [])
    #expect(run.notices == [.resumed(program: 1, eventPID: 0x102)])
  }

  /// Where all is scrambled from the start, the operator is told once; events go in when it is clear.
  @Test func scramblingFromTheStart() {
    let clear = SampleStream().bytes
    let start = Self.starts(clear)[25]
    let original = SamplePacket.all(in: clear).enumerated().flatMap { number, packet -> [UInt8] in
      guard [0x100, 0x101].contains(packet.pid), packet.header.hasPayload, number < start else { return packet.bytes }
      return packet.bytes[..<3] + [packet.bytes[3] | 0xC0] + packet.bytes[4...]
    }
    var run = LiveRun([Self.event("a")])
    run.push(original)
    let difference = StampedDifference(original, run.output.bytes, eventPID: 0x102, pmtPID: 0x1000)
    #expect(difference.unexpected == [])
    #expect(run.output.firsts.map(\.copy.event.guid.text) == ["g-a"])
    // The first picture that is clear and can be decoded by itself begins the timeline.
    #expect(run.output.units.first { $0.unit.isRandomAccess }?.unit.time == .zero)
  }
}

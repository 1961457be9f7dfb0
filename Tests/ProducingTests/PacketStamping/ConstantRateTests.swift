import Basics
import EventReading
import EventSchedule
import GameEvents
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// Null packets make room for tags, so that a stream of constant bit rate stays one.
@Suite struct ConstantRateTests {
  static let pid: PID = 0x102
  static let packetsPerPicture = 24

  static var keepingRate: PacketStamper.Options {
    var options = PacketStamper.Options()
    options.keepsRate = true
    return options
  }

  static func stream(_ sample: SampleStream = SampleStream(), nullsBehind pictures: ClosedRange<Int>? = nil) -> [UInt8] {
    ConstantRate.stream(sample, packetsPerPicture: packetsPerPicture, pictures: pictures)
  }

  /// Every packet that is no null packet stays where it was, and so every clock reference tells its place as before: intervals and rate are equal.
  @Test(arguments: [false, true]) func rateAndClockStay(keepsRate: Bool) throws {
    let original = Self.stream()
    let options = keepsRate ? Self.keepingRate : PacketStamper.Options()
    let (stamped, report) = try stamp(original, with: SampleGame.plan(), CopyPolicy(), options)
    #expect(stamped.count == original.count)
    #expect(report.addedPackets == 0)
    let difference = StampedDifference(original, stamped, eventPID: Self.pid, pmtPID: 0x1000)
    #expect(difference.unexpected == [])
    #expect(difference.added == 0 && difference.replaced == report.replacedPackets)
    let (before, after) = (ConstantRate.clocks(in: original), ConstantRate.clocks(in: stamped))
    #expect(before.map(\.offset) == after.map(\.offset) && before.map(\.clock) == after.map(\.clock))
    // What the sample promises: 24 packets in 40 ms.
    let step = 1_080_000 / UInt64(Self.packetsPerPicture)
    #expect(after.allSatisfy { $0.clock == after[0].clock + UInt64(($0.offset - after[0].offset) / 188) * step })
    #expect(SamplePacket.continuityErrors(in: stamped) == [])
    try expectCopies(of: SampleGame.plan(), in: stamped, SampleStream())
  }

  /// The tags are those of the schedule, in their order, and each lies at most 0.7 s before the access unit that it belongs to.
  private func expectCopies(of events: [PlannedEvent], in stamped: [UInt8], _ sample: SampleStream) throws {
    let expected = try sample.scheduledCopies(events)
    let packets = SamplePacket.pes(on: Self.pid, in: stamped)
    #expect(
      packets.map(\.bytes)
        == (try expected.map { try PESHeader.timedID3Packet($0.tag, presentationTime: sample.start + UInt64($0.time.ticks)) }))
    // The places where the schedule would have put them: before these access units.
    var schedule = EventSchedule(events, policy: CopyPolicy())
    var units: [Int] = []
    for (number, unit) in sample.accessUnits.enumerated() {
      let copies = try schedule.copies(before: .init(time: MediaTime(ticks: unit.presentation), duration: MediaTime(ticks: unit.duration)))
      units += copies.map { _ in number }
    }
    let starts = SamplePacket.all(in: stamped).filter { $0.pid == 0x100 && $0.header.startsUnit }.map(\.offset)
    for (packet, unit) in zip(packets, units) {
      #expect(packet.offset < starts[unit])
      // 17 frames are 0.68 s, 18 are 0.72 s.
      #expect(unit < 18 || packet.offset > starts[unit - 18])
    }
  }

  /// Tags replace null packets, even those long before. Packets are added only where there are none.
  @Test func nullPacketsLongBefore() throws {
    let event = SampleGame.short(at: 40 * 3_600)
    let policy = CopyPolicy(copies: 1, refreshInterval: nil)
    let needed = 2
    // The tag goes before frame 40 in decoding order; null packets are behind one frame alone.
    for (picture, isInTime) in [(38, true), (30, true), (23, true), (20, false), (3, false)] {
      let original = Self.stream(nullsBehind: picture...picture)
      let (stamped, report) = try stamp(original, with: [event], policy)
      #expect(report.replacedPackets == (isInTime ? needed : 0), "nulls behind picture \(picture)")
      #expect(report.addedPackets == (isInTime ? 0 : needed))
      let difference = StampedDifference(original, stamped, eventPID: Self.pid, pmtPID: 0x1000)
      #expect(difference.unexpected == [] && difference.added == report.addedPackets)
      let copies = try read(stamped).copies
      #expect(copies.map(\.copy.event) == [event.event] && copies.map(\.place.time) == [event.time])
      guard !isInTime else {
        #expect(throws: Never.self) { try stamp(original, with: [event], policy, Self.keepingRate) }
        continue
      }
      let offset = SamplePacket.all(in: original).filter { $0.pid == 0x100 && $0.header.startsUnit }[40].offset
      let error = #expect(throws: PacketStampingError.self) { try stamp(original, with: [event], policy, Self.keepingRate) }
      #expect(error == .noNullPacket(UnplacedTag(copy: EventCopy(of: event.event), time: event.time, offset: offset, roomFrom: nil)))
      #expect(
        error?.description
          == "at byte \(offset) there are too few null packets, in the 0.7 s before, for periodicInfo 1 at 00:01.600 (copy 1 of 1), "
          + "and the rate is to be kept; there is no room in the 10 s after it either")
    }
  }

  /// The stream with other packets instead of those of some video frames.
  private static func changing(_ stream: [UInt8], where isChanged: (Int) -> Bool, _ change: ([UInt8]) -> [UInt8]) -> [UInt8] {
    var number = -1
    return SamplePacket.all(in: stream).flatMap { packet -> [UInt8] in
      guard packet.pid == 0x100 else { return packet.bytes }
      if packet.header.startsUnit { number += 1 }
      return isChanged(number) ? change(packet.bytes) : packet.bytes
    }
  }

  private static func otherPacket(_: [UInt8]) -> [UInt8] { [0x47, 0x00, 0x77, 0x10] + [UInt8](repeating: 0x77, count: 184) }

  /// Video frames 1, 2 and 4 s apart, or nearly so: the tags replace null packets of the last 0.7 s before them.
  @Test(arguments: [24, 48, 96]) func picturesFarApart(step: Int) throws {
    var sample = SampleStream()
    sample.pictureCount = 301
    let original = Self.changing(Self.stream(sample), where: { $0 % step != 1 }, Self.otherPacket)
    let pictures = SamplePacket.all(in: original).filter { $0.pid == 0x100 && $0.header.startsUnit }.map(\.offset)
    // The second of them is the first that can be decoded, and the timeline origin.
    let event = SampleGame.short(at: Int64(step + 5) * 3_600)
    let (stamped, report) = try stamp(original, with: [event], CopyPolicy(copies: 2, refreshInterval: nil), Self.keepingRate)
    #expect(report.copies == 2 && report.replacedPackets == 4 && report.addedPackets == 0)
    let difference = StampedDifference(original, stamped, eventPID: Self.pid, pmtPID: 0x1000)
    #expect(difference.unexpected == [] && difference.replaced == 4)
    let copies = try read(stamped).copies
    #expect(copies.map(\.copy.event) == [event.event, event.event] && copies.first?.place.time == event.time)
    for (tag, picture) in zip(SamplePacket.pes(on: Self.pid, in: stamped), pictures[3...]) {
      #expect(tag.offset < picture && tag.offset > picture - 17 * Self.packetsPerPicture * 188)
    }
  }

  /// The video frames between 25 and 49 are missing, and null packets follow where one was left out.
  @Test(arguments: [(48, true), (40, true), (33, true), (29, false), (26, false)])
  func nullPacketsBetweenPicturesFarApart(place: Int, isInTime: Bool) throws {
    let original = Self.changing(Self.stream(nullsBehind: place...place), where: { $0 % 24 != 1 }, Self.otherPacket)
    let event = SampleGame.short(at: 30 * 3_600)
    let (_, report) = try stamp(original, with: [event], CopyPolicy(copies: 1, refreshInterval: nil))
    #expect(report.replacedPackets == (isInTime ? 2 : 0) && report.addedPackets == (isInTime ? 0 : 2))
  }

  /// For a second video frames are scrambled, or missing: there are null packets for the tags in front of the next one.
  @Test(arguments: [false, true]) func aStretchWithoutPictures(isScrambled: Bool) throws {
    let original = Self.changing(Self.stream(), where: { (20..<45).contains($0) }) {
      isScrambled ? $0[..<3] + [$0[3] | 0xC0] + $0[4...] : Self.otherPacket($0)
    }
    let event = SampleGame.short(at: 44 * 3_600)
    let (stamped, report) = try stamp(original, with: [event], CopyPolicy(copies: 1, refreshInterval: nil), Self.keepingRate)
    #expect(report.replacedPackets == 2 && report.addedPackets == 0)
    #expect(StampedDifference(original, stamped, eventPID: Self.pid, pmtPID: 0x1000).unexpected == [])
    #expect(try read(stamped).copies.map(\.place.time) == [event.time])
  }

  /// An event at the timeline origin, in front of the first null packet: the error tells from when on there is room, and there is.
  @Test(arguments: [0, 1, 4, 7, 30], [1, 3]) func whereThereIsRoom(picture: Int, copies: Int) throws {
    // The null packets of the first video frame are in front of it.
    let original = Self.stream(nullsBehind: picture + 1...60)
    let policy = CopyPolicy(copies: copies, refreshInterval: nil)
    let first = SampleGame.short(at: 0)
    let error = #expect(throws: PacketStampingError.self) { try stamp(original, with: [first], policy, Self.keepingRate) }
    guard case .noNullPacket(let tag)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let offset = SamplePacket.all(in: original).first { $0.pid == 0x100 && $0.header.startsUnit }?.offset
    let copy = EventCopy(of: first.event, copy: 1, copies: copies)
    #expect(tag == UnplacedTag(copy: copy, time: .zero, offset: offset ?? 0, roomFrom: tag.roomFrom))
    let room = try #require(tag.roomFrom)
    #expect(tag.delay == room && room > MediaTime(ticks: Int64(picture) * 3_600) && room <= MediaTime(ticks: Int64(picture + 7) * 3_600))
    #expect(error?.description.hasSuffix("; there is room from \(room.clockText) on") == true)
    let (_, report) = try stamp(original, with: [SampleGame.short(at: room.ticks)], policy, Self.keepingRate)
    #expect(report.copies == copies && report.addedPackets == 0)
  }

  /// A refresh has no cue that could be moved.
  @Test func aRefreshWithoutRoom() throws {
    let original = Self.stream(nullsBehind: 0...10)
    let events = [SampleGame.event("g", "start", 1, at: 7_200, .startGame(StartGame(title: "t", totalQuestions: 1)))]
    let policy = CopyPolicy(copies: 1, refreshInterval: MediaTime(ticks: 90_000))
    let error = #expect(throws: PacketStampingError.self) { try stamp(original, with: events, policy, Self.keepingRate) }
    guard case .noNullPacket(let tag)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(tag.copy.isRefresh && tag.delay == nil && tag.roomFrom == nil)
    #expect(error?.description.contains(" for startGame 1 at ") == true && error?.description.contains(" (a refresh), ") == true)
  }

  /// A tag late in coming pushes those before it to earlier null packets: as long as there are enough in all, none is added.
  @Test func tagsMoveForwardForOthers() throws {
    // 20 null packets or so before the first event, and none later.
    let original = Self.stream(nullsBehind: 25...25)
    let nulls = SamplePacket.all(in: original).filter { $0.pid == 0x1FFF }.count
    let events = (0..<3).map { SampleGame.short("e\($0)", at: Int64(28 + 4 * $0) * 3_600) }
    let (stamped, report) = try stamp(original, with: events, CopyPolicy(copies: 2, refreshInterval: nil))
    #expect(report.copies == 6 && report.replacedPackets == 12 && report.addedPackets == 0 && nulls >= 12)
    #expect(stamped.count == original.count)
    let copies = try read(stamped).copies
    #expect(copies.map(\.place.presentationTime) == copies.map(\.place.presentationTime).sorted())
    #expect(copies.filter { $0.copy.copy == 1 }.map(\.place.time) == events.map(\.time))
    // As late as possible: the last null packets are replaced.
    let last = SamplePacket.all(in: stamped).filter { $0.pid == 0x1FFF }.map(\.offset).max() ?? 0
    #expect(SamplePacket.all(in: stamped).filter { $0.pid == Self.pid }.allSatisfy { $0.offset > last })
  }

  @Test func chunksOfAnySizeGiveTheSameBytes() throws {
    let original = Self.stream()
    let whole = try stamp(original, with: SampleGame.plan())
    for chunk in [1, 61, 188, 5_000] {
      let parts = try stamp(original, with: SampleGame.plan(), chunk: chunk)
      #expect(parts.bytes == whole.bytes && parts.report == whole.report, "chunks of \(chunk)")
    }
  }

  /// A PMT that needs a packet more replaces a null packet: before it, or behind it where there was none before.
  @Test func aMapThatGrows() throws {
    var sample = SampleStream()
    sample.map.descriptors = [Descriptor(tag: 0x80, data: [UInt8](repeating: 0xAB, count: 130))]
    let original = Self.stream(sample)
    let (stamped, report) = try stamp(original, with: [], CopyPolicy(), Self.keepingRate)
    let maps = SamplePacket.sections(on: 0x1000, in: original).count
    #expect(report.replacedPackets == maps && report.addedPackets == 0)
    #expect(stamped.count == original.count)
    let difference = StampedDifference(original, stamped, eventPID: Self.pid, pmtPID: 0x1000)
    #expect(difference.unexpected == [] && difference.replaced == maps && difference.maps == maps)
    #expect(SamplePacket.sections(on: 0x1000, in: stamped).count == maps)
    #expect(SamplePacket.continuityErrors(in: stamped) == [])
    // Without null packets they are added, before the next video frame.
    let (longer, added) = try stamp(sample.bytes, with: [])
    #expect(added.addedPackets == maps && added.replacedPackets == 0)
    #expect(longer.count == sample.bytes.count + maps * 188)
    #expect(StampedDifference(sample.bytes, longer, eventPID: Self.pid, pmtPID: 0x1000).unexpected == [])
    let error = #expect(throws: PacketStampingError.self) { try stamp(sample.bytes, with: [], CopyPolicy(), Self.keepingRate) }
    guard case .noNullPacketForPMT? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// Null packets do not stand in for anything across a jump of the clock, and copies follow it.
  @Test(arguments: [500_000_000, (1 << 33) - 90_000] as [UInt64]) func clockJumps(secondStart: UInt64) throws {
    var second = SampleStream()
    second.start = secondStart
    var bytes = Self.stream(second)
    let first = try #require(SamplePacket.all(in: bytes).first { $0.pid == 0x100 && $0.header.startsUnit })
    bytes[first.offset + 5] |= 0x80
    let original = Self.stream() + bytes
    let events = [SampleGame.short("a", at: 60 * 3_600), SampleGame.short("b", at: 62 * 3_600), SampleGame.short("c", at: 100 * 3_600)]
    let (stamped, report) = try stamp(original, with: events, CopyPolicy(), Self.keepingRate)
    #expect(report.events == 3 && report.addedPackets == 0)
    let difference = StampedDifference(original, stamped, eventPID: Self.pid, pmtPID: 0x1000)
    #expect(difference.unexpected == [] && difference.added == 0)
    let copies = try read(stamped).copies
    #expect(copies.count == report.copies)
    #expect(copies.allSatisfy { $0.place.time - $0.copy.age == $0.copy.event.at })
  }

  /// A second game at the same times goes in beside the first, whose tags move forward for it.
  @Test func aSecondGameAtTheSameTimes() throws {
    let original = Self.stream()
    let (first, _) = try stamp(original, with: SampleGame.plan("first"), CopyPolicy(), Self.keepingRate)
    let (second, report) = try stamp(first, with: SampleGame.plan("second"), CopyPolicy(), Self.keepingRate)
    #expect(report.addedPackets == 0 && report.events == 5)
    let difference = StampedDifference(first, second, eventPID: Self.pid, pmtPID: 0x1000)
    #expect(difference.unexpected == [] && difference.added == 0 && difference.replaced == report.replacedPackets)
    #expect(difference.moved > 0)
    #expect(SamplePacket.continuityErrors(in: second) == [])
    let (before, after) = (try read(first), try read(second))
    #expect(after.damages == [])
    let kept = after.copies.filter { $0.copy.event.game == "first" }
    #expect(kept.map(\.copy) == before.copies.map(\.copy) && kept.map(\.place.time) == before.copies.map(\.place.time))
    let added = after.copies.filter { $0.copy.event.game == "second" }
    #expect(added.count == report.copies)
    #expect(added.filter { $0.copy.copy == 1 }.map(\.place.time) == SampleGame.plan().map(\.time))
    #expect(added.allSatisfy { $0.place.time - $0.copy.age == $0.copy.event.at })
    // None moved by more than 0.7 s, which are 420 packets.
    func places(_ stream: [UInt8]) -> [[UInt8]: Int] {
      let tags = SamplePacket.pes(on: Self.pid, in: stream).map { ($0.bytes, $0.offset) }
      return Dictionary(tags) { first, _ in first }
    }
    let (old, new) = (places(first), places(second))
    #expect(old.allSatisfy { tag, place in new[tag].map { $0 <= place && place - $0 <= 420 * 188 } ?? false })
  }

  /// What carries a clock reference on the same PID keeps its place, and nothing comes to lie in front of it.
  @Test func aClockAmongTheTagsStays() throws {
    var sample = ExistingTagTests.sample()
    let foreign = try ExistingTagTests.foreign()
    for (picture, unit) in foreign { sample.extras[picture] = [.pes(ExistingTagTests.pid, unit), .clock(ExistingTagTests.pid, 900_000)] }
    let original = Self.stream(sample)
    let (stamped, report) = try stamp(original, with: SampleGame.plan())
    let (before, after) = (ConstantRate.clocks(in: original), ConstantRate.clocks(in: stamped))
    #expect(after.map(\.clock) == before.map(\.clock) && SamplePacket.continuityErrors(in: stamped) == [])
    if report.addedPackets == 0 { #expect(after.map(\.offset) == before.map(\.offset)) }
    #expect(try ExistingTagTests.foreignPackets(stamped, sample, SampleGame.plan()) == foreign.sorted { $0.key < $1.key }.map(\.value))
  }

  /// Third-party tags on the same PID stay in their order.
  @Test func theStreamIsReused() throws {
    var sample = ExistingTagTests.sample()
    let foreign = try ExistingTagTests.foreign()
    for (picture, unit) in foreign { sample.extras[picture] = [.pes(ExistingTagTests.pid, unit)] }
    let original = Self.stream(sample)
    let (stamped, report) = try stamp(original, with: SampleGame.plan())
    let difference = StampedDifference(original, stamped, eventPID: ExistingTagTests.pid, pmtPID: 0x1000)
    #expect(difference.unexpected == [] && difference.renumbered > 0)
    #expect(SamplePacket.continuityErrors(in: stamped) == [])
    let items = try read(stamped)
    #expect(items.copies.count == report.copies && items.tags.count == 5 && items.damages == [])
    let times = SamplePacket.pes(on: ExistingTagTests.pid, in: stamped).compactMap { try? PESHeader($0.bytes.span).presentationTime }
    let firsts = items.copies.filter { $0.copy.copy == 1 }
    #expect(firsts.map(\.place.time) == SampleGame.plan().map(\.time))
    #expect(times.count == report.copies + foreign.count)
  }
}

import Basics
import EventReading
import EventSchedule
import GameEvents
import ID3
import TestSupport
import Testing
import TransportStream

@testable import PacketStamping

/// Events come out of a stream again, and tags are made whole; nothing else changes.
@Suite struct PacketEditorTests {
  /// Edits a stream as a file is: what the first reading shows is known in the second.
  static func edit(
    _ stream: [UInt8], _ options: PacketEditor.Options = .init(.strip(nil)), chunk: Int? = nil, knowing: Bool = true
  ) throws -> (bytes: [UInt8], report: PacketEditor.Report) {
    var knowledge = PacketEditor.Knowledge()
    if knowing {
      var scan = PacketEditor(options)
      var nowhere: [UInt8] = []
      try scan.push(stream.span, into: &nowhere)
      _ = try scan.finish(into: &nowhere)
      knowledge = scan.knowledge
    }
    var editor = PacketEditor(options, knowing: knowledge)
    var output: [UInt8] = []
    let size = chunk ?? max(stream.count, 1)
    for start in stride(from: 0, to: stream.count, by: size) {
      try editor.push(stream.span.extracting(start..<min(start + size, stream.count)), into: &output)
    }
    let report = try editor.finish(into: &output)
    return (output, report)
  }

  /// Stamps the first program.
  static func stamped(_ stream: [UInt8], _ events: [PlannedEvent] = SampleGame.plan()) throws -> (
    bytes: [UInt8], report: PacketStamper.Report
  ) {
    var options = PacketStamper.Options()
    options.program = 1
    return try stamp(stream, with: events, CopyPolicy(), options)
  }

  /// A stream of a seed: tables of any size that change on the way, clocks that wrap, and packets of other PIDs.
  static func sample(seed: UInt64) -> SampleStream {
    var numbers = SeededNumbers(seed: seed)
    func below(_ count: Int) -> Int { numbers.below(count) }
    var sample = SampleStream()
    sample.start = [900_000, (1 << 33) - 90_000, 0x1_0000_0000][below(3)]
    sample.map.version = UInt8(below(32))
    sample.tablesEvery = [1, 3, 10, 20][below(4)]
    sample.pictureSize = [60, 300, 900][below(3)]
    sample.map.streams[1].descriptors = descriptors(below(4), below(200))
    sample.map.descriptors = descriptors(below(3), below(100))
    if below(2) == 0 { sample.otherPrograms = [.init(number: 9, pmtPID: 0x1F00)] }
    var map = sample.map
    for picture in [20, 40] where below(2) == 0 {
      map.version = (map.version + 1) & 0x1F
      map.descriptors = descriptors(below(3), below(150))
      sample.laterMaps[picture] = map
    }
    for _ in 0..<below(6) {
      let unit = [UInt8](repeating: UInt8(below(200)), count: 100 + below(900))
      sample.extras[below(61), default: []].append(.pes(0x55, unit))
    }
    return sample
  }

  private static func descriptors(_ count: Int, _ size: Int) -> [Descriptor] {
    (0..<count).map { _ in Descriptor(tag: 0x80, data: [UInt8](repeating: 0xAB, count: size)) }
  }

  @Test(arguments: Seeds.some(of: 40)) func stampingAndStrippingChangesNothing(seed: UInt64) throws {
    let original = Self.sample(seed: seed).bytes
    let (stamped, stamping) = try Self.stamped(original)
    let chunk = [nil, 1, 187, 5_000][Int(seed % 4)]
    let (stripped, report) = try Self.edit(stamped, chunk: chunk)
    #expect(stripped == original)
    #expect(report.copies == stamping.copies && report.events.count == 5)
    // A PMT that has become longer has become shorter again.
    #expect(report.removedPackets == stamping.addedPackets && report.nulledPackets == 0 && report.addedPackets == 0)
    // What has no events is not touched.
    #expect(try Self.edit(original).bytes == original)
  }

  @Test(arguments: PacketFramer.Framing.allCases) func inAnyFraming(framing: PacketFramer.Framing) throws {
    let original = SamplePacket.reframed(Self.sample(seed: 7).bytes, framing) { packet in
      switch framing {
      case .plain: []
      case .timestamped: ArrivalTimestamp(copyPermission: 0, ticks: UInt32(packet.offset)).bytes
      case .withParity: ReedSolomonParity.parity(of: packet.bytes.span)
      }
    }
    #expect(try Self.edit(try Self.stamped(original).bytes).bytes == original)
  }

  /// In one reading the events go as well; the tables follow once the first event has come.
  @Test func aPipeIsReadOnce() throws {
    let original = Self.sample(seed: 3).bytes
    let stamped = try Self.stamped(original).bytes
    let stripped = try Self.edit(stamped, chunk: 1_000, knowing: false).bytes
    #expect(try read(stripped).copies.isEmpty && read(stripped).damages == [])
    #expect(SamplePacket.stream(stripped, without: 0x1000) == SamplePacket.stream(original, without: 0x1000))
    #expect(SamplePacket.continuityErrors(in: stripped) == [])
    let last = try #require(SamplePacket.sections(on: 0x1000, in: stripped).last)
    #expect(try ProgramMapTable(Section(last.span)).timedID3Streams == [])
  }

  @Test func nullPacketsComeBack() throws {
    let original = ConstantRate.stream(SampleStream(), packetsPerPicture: 24)
    let (stamped, stamping) = try Self.stamped(original)
    #expect(stamping.addedPackets == 0)
    let (stripped, report) = try Self.edit(stamped)
    func withoutContent(_ stream: [UInt8]) -> [[UInt8]] {
      SamplePacket.all(in: stream).map { $0.pid == TransportPacket.nullPID ? [] : $0.bytes }
    }
    #expect(withoutContent(stripped) == withoutContent(original))
    #expect(report.nulledPackets == stamping.replacedPackets && report.removedPackets == 0)
    // Where a size must stay, they come in any stream.
    var options = PacketEditor.Options(.strip(nil))
    options.keepsSize = true
    let plain = try stamp(SampleStream().bytes, with: SampleGame.plan()).bytes
    #expect(try Self.edit(plain, options).bytes.count == plain.count)
  }

  // MARK: Other people's tags

  @Test func othersStay() throws {
    var sample = ExistingTagTests.sample()
    for (picture, unit) in try ExistingTagTests.foreign() {
      sample.extras[picture] = [.pes(ExistingTagTests.pid, unit), .clock(ExistingTagTests.pid, ExistingTagTests.time(picture))]
    }
    let stamped = try stamp(sample.bytes, with: SampleGame.plan()).bytes
    let (stripped, report) = try Self.edit(stamped)
    #expect(report.events.count == 5)
    #expect(SamplePacket.continuityErrors(in: stripped) == [])
    #expect(
      SamplePacket.pes(on: ExistingTagTests.pid, in: stripped).map(\.bytes)
        == SamplePacket.pes(on: ExistingTagTests.pid, in: sample.bytes).map(\.bytes))
    let (left, before) = (try read(stripped), try read(sample.bytes))
    #expect(left.tags.map(\.tag) == before.tags.map(\.tag) && left.tags.map(\.place.time) == before.tags.map(\.place.time))
    #expect(left.copies.isEmpty && left.damages == [])
    let section = try #require(SamplePacket.sections(on: 0x1000, in: stripped).last)
    let map = try ProgramMapTable(Section(section.span))
    #expect(map.timedID3Streams.map(\.pid) == [ExistingTagTests.pid])
  }

  /// A packet, or even a tag, that holds an event and something else keeps what else it holds.
  @Test func whatIsMixedIsTakenApart() throws {
    let copy = EventCopy(of: SampleGame.plan()[0].event)
    let frame = ID3Frame.text(id: "TIT2", values: ["song"])
    let mixed = try ID3Tag(frames: [frame] + copy.tag.frames).encode()
    let alone = try ID3Tag(frames: [frame]).encode()
    let event = try copy.encodedTag()
    var sample = ExistingTagTests.sample()
    let cases: [(payload: [UInt8], left: [UInt8])] = [
      (event + alone, alone), (alone + event, alone), (mixed, alone), (event + event + [0xFF, 0xFF], []),
      (alone + [0, 0], alone + [0, 0]), (Array(event.dropFirst(5)) + alone, alone),
    ]
    for (number, (payload, _)) in cases.enumerated() {
      sample.extras[10 + number] = [
        .pes(ExistingTagTests.pid, SamplePacketWriter.pes(presentation: ExistingTagTests.time(10 + number), payload: payload))
      ]
    }
    let stripped = try Self.edit(sample.bytes).bytes
    let units = SamplePacket.pes(on: ExistingTagTests.pid, in: stripped).map { Array($0.bytes.dropFirst(14)) }
    #expect(units == cases.map(\.left).filter { !$0.isEmpty })
    #expect(try read(stripped).copies.isEmpty && read(stripped).damages == [])
    #expect(SamplePacket.continuityErrors(in: stripped) == [])
  }

  @Test func oneGameOfTwo() throws {
    let first = try stamp(SampleStream().bytes, with: SampleGame.plan("first")).bytes
    let both = try stamp(first, with: SampleGame.plan("second")).bytes
    let left = try Self.edit(both, .init(.strip(GameID("first")))).bytes
    #expect(Set(try read(left).copies.map { $0.copy.event.gameID.text }) == ["second"])
    #expect(try read(Self.edit(both).bytes).copies.isEmpty)
  }

  // MARK: New events in the place of old ones

  @Test(arguments: Seeds.some(of: 10)) func replacingIsStampingTheOriginal(seed: UInt64) throws {
    let original = Self.sample(seed: seed).bytes
    var options = PacketEditor.Options(.strip(nil))
    options.keepsTables = true
    let old = try Self.stamped(original, SampleGame.plan("old")).bytes
    let replaced = try Self.stamped(Self.edit(old, options, knowing: false).bytes, SampleGame.plan("new")).bytes
    #expect(replaced == (try Self.stamped(original, SampleGame.plan("new")).bytes))
  }

  // MARK: Tags that FFmpeg has cut

  @Test(arguments: Seeds.some(of: 10)) func repairingUndoesTheCut(seed: UInt64) throws {
    let stamped = try Self.stamped(Self.sample(seed: seed).bytes).bytes
    let cut = cutTags(stamped)
    #expect(cut.count <= stamped.count && cut != stamped)
    let (repaired, report) = try Self.edit(cut, .init(.repair), chunk: seed == 0 ? 1 : nil)
    #expect(repaired == stamped)
    #expect(report.repaired == SamplePacket.pes(on: 0x102, in: stamped).count && report.copies == 0)
    #expect(try Self.edit(stamped, .init(.repair)).bytes == stamped)
    let (items, whole) = (try read(cut), try read(stamped))
    #expect(items.copies.map(\.copy) == whole.copies.map(\.copy) && items.damages == [])
    #expect(items.copies.allSatisfy(\.place.isRestored) && !whole.copies.contains(where: \.place.isRestored))
    #expect(try read(Self.edit(cut).bytes).copies.isEmpty)
  }

  /// FFmpeg leaves out one of the two descriptors that timed ID3 needs.
  @Test func repairingAddsTheDescriptorThatIsMissing() throws {
    var sample = SampleStream()
    sample.map.streams.append(.init(type: .metadata, pid: 0x102, descriptors: [MetadataDescriptor(serviceID: 3).descriptor]))
    let tag = try EventCopy(of: SampleGame.plan()[0].event).encodedTag()
    sample.extras[5] = [.pes(0x102, SamplePacketWriter.pes(presentation: 918_000, payload: Array(tag.dropFirst(5))))]
    let repaired = try Self.edit(sample.bytes, .init(.repair)).bytes
    let maps = try SamplePacket.sections(on: 0x1000, in: repaired).map { try ProgramMapTable(Section($0.span)) }
    #expect(maps.allSatisfy { $0.descriptors.compactMap { MetadataPointerDescriptor($0) }.map(\.serviceID) == [3] && $0.version == 4 })
    #expect(SamplePacket.continuityErrors(in: repaired) == [])
  }

  // MARK: Damage

  /// A tag that never ends holds no more than it may, and the stream goes on.
  @Test func whatIsHeldIsBounded() throws {
    var sample = SampleStream()
    sample.map.streams.append(.init(type: .metadata, pid: 0x102))
    var writer = SamplePacketWriter()
    writer.append(SamplePacketWriter.pesHeader(streamID: 0xBD, length: 60_000, presentation: 900_000) + Array("ID3".utf8), pid: 0x102)
    sample.extras[1] = [.packets(writer.bytes)]
    sample.pictureSize = 20_000
    var stream = sample.bytes
    while stream.count < EditWindow.largestSize + (1 << 20) { stream += SamplePacket.stream(sample.bytes, without: 0x102) }
    #expect(try Self.edit(stream, knowing: false).bytes == stream)
    var editor = PacketEditor(.init(.strip(nil)))
    var output: [UInt8] = []
    try editor.push(stream.span, into: &output)
    #expect(stream.count - output.count <= TransportPacket.size)
  }

  @Test func noStream() throws {
    #expect(throws: PacketStampingError.notATransportStream) { try Self.edit([UInt8](repeating: 1, count: 70_000), knowing: false) }
    #expect(throws: PacketStampingError.notATransportStream) { try Self.edit([1, 2, 3], knowing: false) }
    #expect(throws: PacketStampingError.noProgram) {
      try Self.edit([UInt8]((0..<6).flatMap { _ in SamplePacketWriter.nullPacket }), knowing: false)
    }
  }
}

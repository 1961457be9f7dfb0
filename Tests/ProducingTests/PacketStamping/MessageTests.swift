import Basics
import EventReading
import EventSchedule
import GameEvents
import NALUnits
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// Tags in SEI messages of a transport stream's video.
@Suite struct MessageTests {
  static let videoPID: PID = 0x100
  static let eventPID: PID = 0x102

  static func stamp(
    _ stream: [UInt8], _ game: String = "friday", writesMessages: Bool = true, chunk: Int? = nil
  ) throws(PacketStampingError) -> (bytes: [UInt8], report: PacketStamper.Report) {
    var options = PacketStamper.Options()
    if writesMessages { options.carriages.insert(.messages) }
    var stamper = PacketStamper(EventSchedule(SampleGame.plan(game), policy: CopyPolicy()), options)
    var output: [UInt8] = []
    for start in stride(from: 0, to: stream.count, by: chunk ?? stream.count) {
      try stamper.push(stream.span.extracting(start..<min(start + (chunk ?? stream.count), stream.count)), into: &output)
    }
    let report = try stamper.finish(into: &output)
    return (output, report)
  }

  /// The access units of the video, without the NAL units of our messages, and the messages with their times.
  static func video(_ stream: [UInt8], _ codec: NALUnitCodec = .h264) -> (units: [[UInt8]], tags: [(time: UInt64, tag: [UInt8])]) {
    var units: [[UInt8]] = []
    var tags: [(time: UInt64, tag: [UInt8])] = []
    for packet in SamplePacket.pes(on: videoPID, in: stream) {
      var bytes = packet.payload
      var head = AccessUnitHead(codec, .startCodes)
      if case .found(let slice, _) = head.push(bytes.span), !head.tags.isEmpty {
        let unit = [0, 0, 1] + TagMessage.unit(head.tags, codec)
        #expect(Array(bytes[..<slice].suffix(unit.count)) == unit)
        bytes.removeSubrange(slice - unit.count..<slice)
        let time = packet.time
        tags += head.tags.map { ((UInt64(bitPattern: Int64(time) + Int64($0.delay))) & 0x1_FFFF_FFFF, $0.tag) }
      }
      units.append(bytes)
    }
    return (units, tags)
  }

  /// What an `EventReader` finds.
  static func read(_ stream: [UInt8]) throws -> [StreamItem] {
    var reader = EventReader()
    return try reader.push(stream.span) + reader.finish()
  }

  static func copies(_ items: [StreamItem]) -> [(copy: EventCopy, place: Place)] {
    items.compactMap { if case .copy(let copy, let place) = $0 { (copy, place) } else { nil } }
  }

  @Test(arguments: [StreamType.h264, .hevc], [nil, 1, 500] as [Int?]) func everyTagTwice(type: StreamType, chunk: Int?) throws {
    var sample = SampleStream()
    sample.map.streams[0].type = type
    // The clock wraps in it.
    sample.start = (1 << 33) - 90_000
    let codec: NALUnitCodec = type == .hevc ? .hevc : .h264
    let (stamped, report) = try Self.stamp(sample.bytes, chunk: chunk)
    let (plain, plainReport) = try Self.stamp(sample.bytes, writesMessages: false)
    #expect(SamplePacket.continuityErrors(in: stamped) == [])
    // The pictures are what they were.
    let (units, tags) = Self.video(stamped, codec)
    #expect(units == Self.video(sample.bytes, codec).units)
    // The same tags as in the ID3 stream, but for those behind the last access unit.
    let told = SamplePacket.pes(on: Self.eventPID, in: stamped).map { ($0.time, $0.payload) }
    #expect(tags.map { $0.time } == told.prefix(tags.count).map { $0.0 } && tags.map { $0.tag } == told.prefix(tags.count).map { $0.1 })
    #expect(told.count - tags.count <= 2 && report.messages == tags.count && report.copies == told.count)
    #expect(stamped.count - plain.count == (report.addedPackets - plainReport.addedPackets) * TransportPacket.size)
    #expect(report.events == plainReport.events && plainReport.messages == 0)
    // Other packets are untouched, in their order.
    func others(_ stream: [UInt8]) -> [[UInt8]] { SamplePacket.all(in: stream).filter { $0.pid != Self.videoPID }.map { $0.bytes } }
    #expect(others(stamped) == others(plain))
  }

  @Test func readersCountEachOnce() throws {
    let (stamped, report) = try Self.stamp(SampleStream().bytes)
    let both = Self.copies(try Self.read(stamped))
    #expect(
      both.map { $0.copy } == Self.copies(try Self.read(try Self.stamp(SampleStream().bytes, writesMessages: false).bytes)).map { $0.copy })
    #expect(both.allSatisfy { $0.place.carriage == .id3(pid: Self.eventPID) })
    // Without the packets of the ID3 stream, which its table still announces.
    let left = Self.copies(try Self.read(SamplePacket.stream(stamped, without: Self.eventPID)))
    #expect(left.map { $0.copy } == both.map { $0.copy }.prefix(report.messages).map { $0 })
    #expect(left.map { $0.place.time } == both.map { $0.place.time }.prefix(report.messages).map { $0 })
    #expect(left.allSatisfy { $0.place.carriage == .sei(pid: Self.videoPID) })
    // One that is lost in the ID3 stream is found in the video.
    let lost = SamplePacket.all(in: stamped).first { $0.pid == Self.eventPID }?.offset ?? 0
    let damaged = Array(stamped[..<lost] + stamped[(lost + TransportPacket.size)...])
    #expect(Set(Self.copies(try Self.read(damaged)).map { $0.copy.text }) == Set(both.map { $0.copy.text }))
  }

  /// A chain has dropped the ID3 stream: the game is in the stream all the same, and does not go in again.
  @Test(arguments: [nil, 1, 500] as [Int?]) func aGameInTheVideoIsFound(chunk: Int?) throws {
    let left = SamplePacket.stream(try Self.stamp(SampleStream().bytes).bytes, without: Self.eventPID)
    let first = try #require(Self.copies(try Self.read(left)).first)
    #expect(throws: PacketStampingError.eventInVideo(first.copy.event.gameID, offset: first.place.offset)) {
      try Self.stamp(left, writesMessages: false, chunk: chunk)
    }
    let other = try Self.stamp(left, "saturday", writesMessages: false)
    #expect(Self.video(other.bytes).tags.map { $0.tag } == Self.video(left).tags.map { $0.tag })
  }

  @Test(arguments: [PacketFramer.Framing.timestamped, .withParity]) func otherFramings(framing: PacketFramer.Framing) throws {
    let plain = SampleStream().bytes
    let original = SamplePacket.reframed(plain, framing) { packet in
      framing == .timestamped
        ? ArrivalTimestamp(copyPermission: 0, ticks: UInt32(packet.offset / 188 * 1_000)).bytes
        : ReedSolomonParity.parity(of: packet.bytes.span)
    }
    let (stamped, _) = try Self.stamp(original)
    let units = FramingTests.units(stamped, framing)
    #expect(units.flatMap { $0[framing.packetRange] } == (try Self.stamp(plain).bytes))
    if framing == .withParity {
      #expect(units.allSatisfy { ReedSolomonParity.parity(of: Array($0[..<188]).span) == Array($0[188...]) })
    } else {
      let times = units.map { ArrivalTimestamp($0.span).ticks }
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    }
  }

  /// A stream whose pictures have parameter sets of several packets, packets of other streams between those, a length, and two slices.
  static func largeHeads(stuffing: Int, hasLength: Bool, repeats: Bool) -> [UInt8] {
    let map = SampleStream.videoAndAudio
    var writer = SamplePacketWriter()
    for number in 0..<60 {
      if number % 10 == 0 {
        let program = ProgramAssociationTable.Program(number: 1, pmtPID: 0x1000)
        writer.append(section: ProgramAssociationTable(transportStreamID: 1, version: 0, entries: [program]).section, pid: 0)
        if let section = try? map.section() { writer.append(section: section, pid: 0x1000) }
      }
      let time = UInt64(900_000 + number * 3_600)
      let sets = [0, 0, 0, 1, 9, 0xF0, 0, 0, 1, 0x67] + [UInt8](repeating: 0x42, count: stuffing) + [0, 0, 1, 0x68, 0xCE]
      let unit = sets + [0, 0, 1, 0x65, 0x88] + [UInt8](repeating: 0x55, count: 300) + [0, 0, 1, 0x65, 0x08, 0x77]
      let header = SamplePacketWriter.pesHeader(
        streamID: 0xE0, length: hasLength ? unit.count + 8 : 0, presentation: time)
      writer.append(header + unit, pid: videoPID, isRandomAccess: true, clock: time - 9_000)
    }
    // A packet of sound behind each packet, and each packet of video twice.
    var sound = SamplePacketWriter()
    for number in 0..<writer.bytes.count / 188 {
      sound.append([0, 0, 1, 0xC0, 0, 9, 0x80, 0, 0, 0xFF, 0xF1, UInt8(number & 0x3F)], pid: 0x101)
    }
    var stream: [UInt8] = []
    for (packet, sound) in zip(SamplePacket.all(in: writer.bytes), SamplePacket.all(in: sound.bytes)) {
      stream += packet.bytes + (repeats && packet.pid == videoPID && packet.header.adaptation == nil ? packet.bytes : []) + sound.bytes
    }
    return stream
  }

  /// The start code of the slice lies anywhere in a packet, and across two of them.
  @Test(arguments: Array(140...340), [false, true]) func anywhereInAPacket(stuffing: Int, hasLength: Bool) throws {
    let stream = Self.largeHeads(stuffing: stuffing, hasLength: hasLength, repeats: false)
    let (stamped, report) = try Self.stamp(stream)
    #expect(SamplePacket.continuityErrors(in: stamped) == [])
    #expect(Self.video(stamped).units == Self.video(stream).units)
    #expect(report.messages >= report.copies - 2)
    let lengths = SamplePacket.pes(on: Self.videoPID, in: stamped).map { (try? $0.header.packetLength) ?? -1 }
    #expect(lengths.allSatisfy { ($0 > 0) == hasLength })
  }

  /// A packet that is sent twice is sent once where it would have to be changed.
  @Test func repeatedPackets() throws {
    let stream = Self.largeHeads(stuffing: 400, hasLength: true, repeats: true)
    let once = Self.largeHeads(stuffing: 400, hasLength: true, repeats: false)
    let (stamped, report) = try Self.stamp(stream)
    #expect(Self.video(stamped).units == Self.video(once).units)
    #expect(report.messages >= report.copies - 2)
    // What is left of the counters' errors are packets that are there twice.
    let doubled = SamplePacket.continuityErrors(in: stamped)
    #expect(!doubled.isEmpty && doubled.allSatisfy { stamped[$0..<$0 + 188] == stamped[($0 - 188)..<$0] })
  }

  /// Where a packet is missing, or an access unit begins within a picture, the next access unit has the tag.
  @Test func theNextAccessUnit() throws {
    let stream = Self.largeHeads(stuffing: 400, hasLength: false, repeats: false)
    let packets = SamplePacket.all(in: stream)
    let starts = packets.indices.filter { packets[$0].pid == Self.videoPID && packets[$0].header.startsUnit }
    // The startGame of the plan at 0 s belongs to the first access unit.
    let broken = packets.enumerated().filter { $0.offset != starts[0] + 2 }.flatMap { $0.element.bytes }
    let (stamped, report) = try Self.stamp(broken)
    let heads = SamplePacket.pes(on: Self.videoPID, in: stamped).map { packet in
      var head = AccessUnitHead(.h264, .startCodes)
      _ = head.push(packet.payload.span)
      return head.tags.count
    }
    let (whole, wholeReport) = try Self.stamp(stream)
    #expect(report.messages == wholeReport.messages && heads.reduce(0, +) == report.messages)
    #expect(whole.count > stamped.count)
  }

  /// Takes the events of a game, or of all games, out of a stream.
  static func strip(
    _ game: GameID?, _ stream: [UInt8], chunk: Int? = nil
  ) throws(PacketStampingError) -> (bytes: [UInt8], report: PacketEditor.Report) {
    var knowledge = PacketEditor.Knowledge()
    var output: [UInt8] = []
    var report = PacketEditor.Report()
    // As a file is edited: a first reading finds out what there is.
    for _ in 0..<2 {
      var editor = PacketEditor(.init(.strip(game)), knowing: knowledge)
      output = []
      for start in stride(from: 0, to: stream.count, by: chunk ?? stream.count) {
        try editor.push(stream.span.extracting(start..<min(start + (chunk ?? stream.count), stream.count)), into: &output)
      }
      report = try editor.finish(into: &output)
      knowledge = editor.knowledge
    }
    return (output, report)
  }

  /// What was stamped is what it was before, byte for byte, whatever the sizes of pictures are: messages end in their packet, fill it or go on behind it.
  @Test(arguments: [StreamType.h264, .hevc], [nil, 1, 500] as [Int?]) func stripping(type: StreamType, chunk: Int?) throws {
    for size in chunk == nil ? [20, 100, 150, 183, 184, 300, 1_000, 5_000] : [300] {
      var sample = SampleStream()
      sample.map.streams[0].type = type
      sample.pictureSize = size
      let stream = sample.bytes
      let stamped = try Self.stamp(stream)
      let (bytes, report) = try Self.strip(nil, stamped.bytes, chunk: chunk)
      #expect(bytes == stream, "\(size)")
      #expect(report.messages == stamped.report.messages && report.messages > 0)
    }
  }

  /// The events of one game go, and those of another one stay.
  @Test func strippingOneGame() throws {
    let first = try Self.stamp(SampleStream().bytes, "friday").bytes
    let both = try Self.stamp(first, "saturday").bytes
    #expect(try Self.strip(GameID("saturday"), both).bytes == first)
    #expect(try Self.strip(GameID("another game"), both).bytes == both)
    let (saturday, report) = try Self.strip(GameID("friday"), both)
    #expect(report.messages > 0 && SamplePacket.continuityErrors(in: saturday) == [])
    let left = Self.copies(try Self.read(saturday)).map(\.copy.event.gameID)
    #expect(!left.isEmpty && left.allSatisfy { $0 == GameID("saturday") })
    func tagCount(_ stream: [UInt8]) -> Int {
      SamplePacket.pes(on: Self.videoPID, in: stream).reduce(0) { $0 + Self.tags($1.payload).count }
    }
    #expect(tagCount(saturday) + report.messages == tagCount(both) && tagCount(saturday) > 0)
  }

  /// A stream that was put into packets anew has the access units that it had, without messages.
  @Test func strippingOtherPackets() throws {
    let stamped = try Self.stamp(SampleStream().bytes).bytes
    var writer = SamplePacketWriter()
    // The tables, then all of the video, in packets of other sizes.
    writer.append(packets: SamplePacket.all(in: stamped).filter { [0, 0x1000].contains($0.pid) }.prefix(2).flatMap(\.bytes))
    for (number, unit) in SamplePacket.pes(on: Self.videoPID, in: stamped).enumerated() {
      if number % 3 == 0 { writer.append(clock: UInt64(number), pid: Self.videoPID) }
      writer.append(unit.bytes, pid: Self.videoPID)
    }
    let (bytes, report) = try Self.strip(nil, writer.bytes)
    #expect(report.messages == Self.video(stamped).tags.count)
    #expect(Self.video(bytes).tags.isEmpty && Self.video(bytes).units == Self.video(SampleStream().bytes).units)
    #expect(SamplePacket.continuityErrors(in: bytes) == [])
  }

  /// What cannot be taken out of the video is not taken out of the ID3 stream alone.
  @Test func strippingIsRefused() throws {
    let stamped = try Self.stamp(SampleStream().bytes).bytes
    let units = SamplePacket.pes(on: Self.videoPID, in: stamped)
    let number = try #require(units.firstIndex { !Self.tags($0.payload).isEmpty })
    // A message of somebody else in the same NAL unit.
    let mine = TagMessage.unit(Self.tags(units[number].payload), .h264)
    let foreign = mine.dropLast() + [5, 2, 0xAA, 0xAA, 0x80]
    let place = try #require(units[number].bytes.firstRange(of: mine))
    var writer = SamplePacketWriter()
    writer.append(packets: SamplePacket.all(in: stamped).filter { [0, 0x1000].contains($0.pid) }.prefix(2).flatMap(\.bytes))
    let offset = writer.bytes.count
    writer.append(units[number].bytes.replacing(mine, with: foreign, maxReplacements: 1), pid: Self.videoPID)
    #expect(place.count == mine.count)
    #expect(throws: PacketStampingError.eventsInVideo(offset: offset)) { try Self.strip(nil, writer.bytes) }
    // A stream without such events, and one whose tags are made whole, stay as they are.
    #expect(try Self.strip(GameID("another game"), stamped).bytes == stamped)
    var repair = PacketEditor(.init(.repair))
    var repaired: [UInt8] = []
    try repair.push(stamped.span, into: &repaired)
    #expect(try repair.finish(into: &repaired).repaired == 0 && repaired == stamped)
  }

  /// The tags in an access unit.
  static func tags(_ payload: [UInt8]) -> [TagMessage] {
    var head = AccessUnitHead(.h264, .startCodes)
    return head.push(payload.span) == .incomplete ? [] : head.tags
  }

  /// Streams that are cut anywhere, or damaged, are edited or refused, and nothing traps.
  @Test(arguments: 1...8) func strippingSurvivesDamage(seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    let stamped = try Self.stamp(SampleStream().bytes).bytes
    for _ in 0..<20 {
      var damaged = stamped
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        damaged[Int.random(in: 0..<damaged.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      if Bool.random(using: &generator) {
        let start = Int.random(in: 0..<damaged.count / 188, using: &generator) * 188
        damaged.removeSubrange(start..<min(start + 188 * 3, damaged.count))
      }
      _ = try? Self.strip(nil, damaged)
    }
  }

  /// In a live stream each access unit, its tags and its messages come between it and the next one.
  @Test func liveStreams() {
    let stream = SampleStream().bytes
    func run(_ writesMessages: Bool) -> LiveRecording {
      var options = PacketStamper.Options()
      if writesMessages { options.carriages.insert(.messages) }
      var stamper = LivePacketStamper(
        EventSchedule([], policy: CopyPolicy()), options, from: .zero, SegmentClock(duration: MediaTime(seconds: 1)))
      for event in SampleGame.plan() { stamper.add(event) }
      var output = LiveRecording()
      for packet in SamplePacket.all(in: stream) { stamper.push(packet.bytes.span, into: &output) }
      stamper.finish(into: &output)
      return output
    }
    let (with, without) = (run(true), run(false))
    #expect(with.units.map { $0.unit } == without.units.map { $0.unit } && with.copies.map { $0.copy } == without.copies.map { $0.copy })
    #expect(SamplePacket.continuityErrors(in: with.bytes) == [])
    #expect(Self.video(with.bytes).units == Self.video(stream).units)
    #expect(Self.video(with.bytes).tags.map { $0.tag } == with.copies.map { $0.copy.tag })
    for (number, unit) in with.units.enumerated() {
      let end = number + 1 < with.units.count ? with.units[number + 1].offset : with.bytes.count
      let starts = SamplePacket.all(in: Array(with.bytes[unit.offset..<end])).filter { $0.pid == Self.videoPID && $0.header.startsUnit }
      #expect(starts.count == 1)
    }
  }

  @Test func liveStreamsWithoutMessages() {
    var sample = SampleStream()
    sample.map.streams[0].type = .mpeg2Video
    var options = PacketStamper.Options()
    options.carriages.insert(.messages)
    var stamper = LivePacketStamper(
      EventSchedule([], policy: CopyPolicy()), options, from: .zero, SegmentClock(duration: MediaTime(seconds: 1)))
    var output = LiveRecording()
    for packet in SamplePacket.all(in: sample.bytes) { stamper.push(packet.bytes.span, into: &output) }
    #expect(stamper.takeNotices() == [.resumed(program: 1, eventPID: Self.eventPID), .withoutMessages(.mpeg2Video)])
  }

  @Test func streamsWithoutMessages() {
    var sample = SampleStream()
    sample.map.streams[0].type = .mpeg2Video
    #expect(throws: PacketStampingError.withoutMessages(.mpeg2Video)) { try Self.stamp(sample.bytes) }
    sample.map = SampleStream.soundAlone
    #expect(throws: PacketStampingError.withoutMessages(.aac)) { try Self.stamp(sample.bytes) }
  }
}

extension PESAssembler.Packet {
  fileprivate var header: PESHeader {
    get throws { try PESHeader(bytes.span) }
  }
  fileprivate var payload: [UInt8] { Array(bytes.dropFirst((try? header.size) ?? 0)) }
  fileprivate var time: UInt64 { (try? header.presentationTime) ?? 0 }
}

import Basics
import EventSchedule
import PacketStamping
import TestSupport
import Testing
import TransportStream

/// What cannot be stamped is refused with its reason.
@Suite struct RefusalTests {
  static func error(_ stream: [UInt8], _ events: [PlannedEvent] = SampleGame.plan()) -> PacketStampingError? {
    #expect(throws: PacketStampingError.self) { try stamp(stream, with: events) }
  }

  @Test func whatIsNoTransportStream() {
    #expect(Self.error([]) == .notATransportStream)
    #expect(Self.error(Array("No packets here, only words.".utf8)) == .notATransportStream)
    #expect(Self.error([UInt8](repeating: 0, count: 2 << 20)) == .notATransportStream)
  }

  @Test(arguments: [PacketFramer.Framing.timestamped, .withParity]) func packetsOfOtherSizes(framing: PacketFramer.Framing) {
    var options = PacketStamper.Options()
    options.onlyPlainPackets = true
    let stream = SamplePacket.reframed(SampleStream().bytes, framing)
    let error = #expect(throws: PacketStampingError.self) { try stamp(stream, with: SampleGame.plan(), CopyPolicy(), options) }
    #expect(error == .unsupportedFraming(framing))
    #expect(error?.description.contains("packets of \(framing.stride) bytes cannot be stamped") == true)
  }

  /// The bytes behind packets of 204 bytes are something that no inserted packet could have.
  @Test func parityThatIsNone() {
    var number: UInt8 = 0
    let stream = SamplePacket.reframed(SampleStream().bytes, .withParity) { _ in
      number &+= 1
      return (0..<16).map { $0 &* 7 &+ number }
    }
    #expect(Self.error(stream) == .unknownParity)
    number = 0
    // Each packet's filling is another.
    let changing = SamplePacket.reframed(SampleStream().bytes, .withParity) { _ in
      number &+= 1
      return [UInt8](repeating: number, count: 16)
    }
    #expect(Self.error(changing) == .unknownParity)
  }

  @Test func severalPrograms() {
    var sample = SampleStream()
    sample.otherPrograms = [.init(number: 0, pmtPID: 0x10), .init(number: 9, pmtPID: 0x900)]
    let programs = [ProgramSummary(number: 9, streams: nil), ProgramSummary(number: 1, streams: [.h264, .aac])]
    let error = Self.error(sample.bytes)
    #expect(error == .severalPrograms(programs))
    #expect(
      error?.description
        == "the transport stream has 2 programs, and one must be chosen: 9 (no program map), 1 (H.264 video, AAC audio)")
    var options = PacketStamper.Options()
    options.program = 7
    #expect(throws: PacketStampingError.unknownProgram(7, programs)) { try stamp(sample.bytes, with: [], CopyPolicy(), options) }
    options.program = 9
    #expect(throws: PacketStampingError.noProgram) { try stamp(sample.bytes, with: [], CopyPolicy(), options) }
    // Network information is no program.
    sample.otherPrograms = [.init(number: 0, pmtPID: 0x10)]
    #expect(throws: Never.self) { try stamp(sample.bytes, with: []) }
  }

  /// Of many programs the first are named; one that is asked for is found behind all of them.
  @Test func manyPrograms() throws {
    var sample = SampleStream()
    sample.otherPrograms = (100..<170).map { .init(number: $0, pmtPID: 0x900) }
    let programs = (100..<164).map { ProgramSummary(number: $0, streams: nil) }
    let error = Self.error(sample.bytes)
    #expect(error == .severalPrograms(programs))
    let named = (100..<108).map { "\($0) (no program map)" }.joined(separator: ", ")
    #expect(
      error?.description
        == "the transport stream has 64 or more programs, and one must be chosen: \(named) and 56 more")
    var options = PacketStamper.Options()
    options.program = 1
    let report = try stamp(sample.bytes, with: SampleGame.plan(), CopyPolicy(), options).report
    #expect(report.events == SampleGame.plan().count)
  }

  /// Bytes that belong to no packet are left out, but not where the rate is to be kept; in front of the packets and behind them they may.
  @Test func bytesBetweenPackets() throws {
    let stream = SampleStream().bytes
    var damaged = stream
    damaged[50 * 188] = 0
    var options = PacketStamper.Options()
    #expect(try stamp(damaged, with: [], CopyPolicy(), options).report.skippedBytes == 188)
    options.keepsRate = true
    let error = #expect(throws: PacketStampingError.self) { try stamp(damaged, with: [], CopyPolicy(), options) }
    #expect(error == .bytesBetweenPackets(count: 188, offset: 9_400))
    #expect(error?.description.hasPrefix("at byte 9400 there are 188 bytes that belong to no packet") == true)
    #expect(try stamp([1, 2, 3] + stream, with: [], CopyPolicy(), options).report.skippedBytes == 3)
    #expect(try stamp(stream + [1, 2, 3], with: [], CopyPolicy(), options).report.skippedBytes == 3)
  }

  @Test func noTables() {
    var sample = SampleStream()
    sample.tablesEvery = 0
    #expect(Self.error(sample.bytes) == .noProgram)
  }

  @Test func neitherPictureNorSound() {
    var sample = SampleStream()
    sample.map.streams = [.init(type: .privateData, pid: 0x100)]
    #expect(Self.error(sample.bytes) == .noTimedStream(ProgramSummary(number: 1, streams: [.privateData])))
    // They are announced, and nothing comes.
    sample.map = SampleStream.videoAndAudio
    let silent = SamplePacket.stream(SamplePacket.stream(sample.bytes, without: 0x100), without: 0x101)
    #expect(Self.error(silent) == .noAccessUnits)
    // Nothing says where decoding can start.
    sample.map.streams[0].type = .evc
    sample.marksRandomAccess = false
    #expect(Self.error(sample.bytes) == .noStartingPoint)
  }

  /// The stream begins to use the PID of the events after its start was examined.
  @Test func aPIDIsTakenLater() throws {
    var sample = SampleStream()
    sample.pictureSize = 25_000
    var writer = SamplePacketWriter()
    writer.append([1, 2, 3], pid: 0x102)
    let clashing = writer.bytes
    sample.extras[60] = [.packets(clashing)]
    let stream = sample.bytes
    #expect(stream.count > 1 << 20)
    let offset = try #require(SamplePacket.all(in: stream).first { $0.pid == 0x102 }?.offset)
    let error = Self.error(stream)
    #expect(error == .pidClash(0x102, offset: offset))
    #expect(error?.description.contains("at byte \(offset) the stream begins to use PID 258") == true)
    // Where it is seen in time, another PID is chosen.
    sample.extras = [0: [.packets(clashing)]]
    let (stamped, _) = try stamp(sample.bytes, with: SampleGame.plan())
    #expect(!SamplePacket.pes(on: 0x103, in: stamped).isEmpty)
  }

  @Test func aMapTakesThePIDLater() throws {
    var sample = SampleStream()
    sample.pictureSize = 25_000
    var later = SampleStream.videoAndAudio
    later.version = 4
    later.streams.append(.init(type: .aac, pid: 0x102))
    sample.laterMaps[60] = later
    let stream = sample.bytes
    let offset = try #require(SamplePacket.all(in: stream).last { $0.pid == 0x1000 }?.offset)
    #expect(Self.error(stream) == .pidClash(0x102, offset: offset))
  }

  @Test func aMapThatIsFull() {
    var sample = SampleStream()
    sample.map.descriptors = (0..<3).map { _ in Descriptor(tag: 0x80, data: [UInt8](repeating: 0, count: 250)) }
    sample.map.streams[1].descriptors = [Descriptor(tag: 0x80, data: [UInt8](repeating: 0, count: 235))]
    #expect(Self.error(sample.bytes) == .pmt(ParseError(.aboveLimit(what: "section length", limit: 1_021), at: 0)))
  }

  /// After an error nothing more comes out.
  @Test func anErrorStays() throws {
    var options = PacketStamper.Options()
    options.onlyPlainPackets = true
    var stamper = PacketStamper(EventSchedule(SampleGame.plan(), policy: CopyPolicy()), options)
    let stream = SamplePacket.reframed(SampleStream().bytes, .timestamped)
    var output: [UInt8] = []
    for _ in 0..<2 {
      #expect(throws: PacketStampingError.unsupportedFraming(.timestamped)) { try stamper.push(stream.span, into: &output) }
    }
    #expect(throws: PacketStampingError.unsupportedFraming(.timestamped)) { try stamper.finish(into: &output) }
    #expect(output.isEmpty)
  }

  /// Seeded damage: an error or a stream of whole packets, and never a crash.
  @Test(arguments: Seeds.some(of: 60)) func survivesDamage(seed: UInt64) {
    var generator = SeededNumbers(seed: seed)
    var sample = SampleStream()
    sample.pictureCount = 16
    sample.map.streams.append(.init(type: .metadata, pid: 0x102))
    sample.extras[4] = [.pes(0x102, SamplePacketWriter.pes(presentation: 910_000, payload: [UInt8](repeating: 0x49, count: 500)))]
    var stream = sample.bytes
    for _ in 0..<Int.random(in: 1..<60, using: &generator) {
      let place = Int.random(in: 0..<stream.count, using: &generator)
      // Headers are worth more damage than video frames.
      let target = Bool.random(using: &generator) ? place / 188 * 188 + Int.random(in: 0..<24, using: &generator) : place
      if target < stream.count { stream[target] = UInt8.random(in: 0...255, using: &generator) }
      if Int.random(in: 0..<10, using: &generator) == 0 { stream.removeSubrange(place..<min(stream.count, place + 300)) }
    }
    Self.expectNoHarm(stream, stride: 188, PacketStamper.Options())
  }

  /// An error, or a stream of whole packets that is not much longer.
  static func expectNoHarm(_ stream: [UInt8], stride: Int, _ options: PacketStamper.Options) {
    var stamper = PacketStamper(EventSchedule(SampleGame.plan(), policy: CopyPolicy()), options)
    var output: [UInt8] = []
    // Bytes that belong to no packet stay before the first packet and after the last one.
    var skipped = 0
    do throws(PacketStampingError) {
      try stamper.push(stream.span, into: &output)
      let report = try stamper.finish(into: &output)
      skipped = report.skippedBytes
      #expect(!options.keepsRate || (report.addedPackets == 0 && output.count >= stream.count - report.skippedBytes))
    } catch {
      #expect(!error.description.isEmpty)
      skipped = stream.count
    }
    #expect(skipped > 0 || output.count % stride == 0)
    #expect(output.count < 2 * stream.count + 100_000)
  }

  /// The same for null packets, PMTs that grow, and other framings.
  @Test(arguments: Seeds.some(of: 60)) func survivesDamageOfBroadcasts(seed: UInt64) {
    var generator = SeededNumbers(seed: seed)
    var sample = SampleStream()
    sample.pictureCount = 13
    sample.map.descriptors = [Descriptor(tag: 0x80, data: [UInt8](repeating: 0xAB, count: Int.random(in: 90...150, using: &generator)))]
    let plain = ConstantRate.stream(sample, packetsPerPicture: 15)
    let framing = PacketFramer.Framing.allCases[Int(seed % 3)]
    var stream = SamplePacket.reframed(plain, framing)
    for _ in 0..<Int.random(in: 0..<40, using: &generator) {
      let place = Int.random(in: 0..<stream.count, using: &generator)
      let target = place / framing.stride * framing.stride + Int.random(in: 0..<24, using: &generator)
      if target < stream.count { stream[target] = UInt8.random(in: 0...255, using: &generator) }
      if Int.random(in: 0..<20, using: &generator) == 0 { stream.removeSubrange(place..<min(stream.count, place + 300)) }
    }
    var options = PacketStamper.Options()
    options.keepsRate = Bool.random(using: &generator)
    Self.expectNoHarm(stream, stride: framing.stride, options)
  }

  /// A stream that ends anywhere.
  @Test(arguments: PacketFramer.Framing.allCases) func cutAtEveryLength(framing: PacketFramer.Framing) {
    var sample = SampleStream()
    sample.pictureCount = 4
    let stream = SamplePacket.reframed(ConstantRate.stream(sample, packetsPerPicture: 9), framing)
    for length in stride(from: 0, to: stream.count, by: 7) {
      Self.expectNoHarm(Array(stream.prefix(length)), stride: framing.stride, PacketStamper.Options())
    }
  }
}

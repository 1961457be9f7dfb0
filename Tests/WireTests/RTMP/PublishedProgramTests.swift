import Basics
import CMAF
import NALUnits
import RTMP
import Testing
import TransportStream

/// What a publisher sends, as a transport stream.
@Suite struct PublishedProgramTests {
  /// A PES packet of the stream that comes out, and what its first packet says.
  private struct Unit: Equatable {
    var pid: PID
    var pts: UInt64?
    var dts: UInt64?
    var pcr: UInt64?
    var isRandomAccess = false
    var bytes: [UInt8]
  }

  private struct Found: Equatable {
    var units: [Unit] = []
    /// The program maps, as they change: version, and types by PID.
    var tables: [String] = []
    var tableCount = 0
    /// The times of clock references between access units.
    var references: [UInt64] = []
    var isContinuous = true
  }

  private func found(_ bytes: [UInt8]) throws -> Found {
    var found = Found()
    var counters: [PID: UInt8] = [:]
    for start in stride(from: 0, to: bytes.count, by: TransportPacket.size) {
      let packet = Array(bytes[start..<start + TransportPacket.size])
      let header = try TransportPacket(packet.span)
      let payload = Array(packet[header.payload])
      let expected = counters[header.pid].map { header.hasPayload ? ($0 + 1) & 0x0F : $0 } ?? header.continuityCounter
      if header.continuityCounter != expected { found.isContinuous = false }
      counters[header.pid] = header.continuityCounter
      switch header.pid {
      case ProgramAssociationTable.pid: found.tableCount += 1
      case 0x1000:
        let count = 3 + (Int(payload[2] & 0x0F) << 8 | Int(payload[3]))
        let table = try ProgramMapTable(Section(payload[1..<1 + count].span))
        let text = "\(table.version) \(table.pcrPID) \(table.streams.map { "\($0.pid):\($0.type.rawValue)" }.joined(separator: " "))"
        if found.tables.last != text { found.tables.append(text) }
      default:
        guard header.hasPayload else {
          found.references += [header.adaptation?.pcr].compactMap(\.self)
          continue
        }
        if header.startsUnit {
          let pes = try PESHeader(payload.span)
          #expect(pes.isAligned && (pes.payloadSize == nil || pes.payloadSize ?? 0 > 0))
          found.units.append(
            Unit(
              pid: header.pid, pts: pes.presentationTime, dts: pes.decodingTime, pcr: header.adaptation?.pcr,
              isRandomAccess: header.adaptation?.isRandomAccess ?? false, bytes: Array(payload[pes.size...])))
        } else if let last = found.units.lastIndex(where: { $0.pid == header.pid }) {
          found.units[last].bytes += payload
        }
      }
    }
    return found
  }

  private func stream(_ messages: [RTMPMessage], metadata: [String]? = nil, version: UInt8 = 3) throws -> (Found, [PublishedProgram.Notice])
  {
    var program = PublishedProgram(version: version)
    if let metadata { program.receive(metadata: PublisherBytes.metadata(metadata)) }
    var bytes: [UInt8] = []
    for message in messages {
      program.receive(message)
      bytes += program.take()
    }
    program.finish()
    return (try found(bytes + program.take()), program.takeNotices())
  }

  private func video(_ time: UInt32, _ payload: [UInt8]) -> RTMPMessage { PublisherBytes.media(RTMPMessage.Kind.video, time, payload) }
  private func audio(_ time: UInt32, _ payload: [UInt8]) -> RTMPMessage { PublisherBytes.media(RTMPMessage.Kind.audio, time, payload) }

  private let slice: [UInt8] = [0x41, 9, 8]
  private let key: [UInt8] = [0x65] + [UInt8](repeating: 3, count: 400)
  private func start(_ units: [UInt8]...) -> [UInt8] { units.flatMap { [0, 0, 0, 1] + $0 } }
  private func ticks(_ milliseconds: UInt64) -> UInt64 { milliseconds * 90 }
  private let delay: UInt64 = 63_000

  @Test func videoAndAudio() throws {
    let (found, notices) = try stream(
      [
        video(0, PublisherBytes.avcHeader), audio(0, PublisherBytes.aacHeader),
        video(1_000, PublisherBytes.frame(true, offset: 80, [[9, 0xF0], key])),
        audio(1_003, PublisherBytes.sound([1, 2, 3])), video(1_040, PublisherBytes.frame(false, offset: -40, [slice, slice])),
        audio(1_026, PublisherBytes.sound([4])),
      ], metadata: ["videocodecid", "audiocodecid"])
    #expect(notices.isEmpty && found.isContinuous && found.tables == ["3 256 256:27 257:15"] && found.tableCount == 1)
    let delimiter: [UInt8] = [9, 0xF0]
    let adts: [UInt8] = [0xFF, 0xF1, 0x4C, 0x80, 0x01, 0x5F, 0xFC]
    let expected = [
      Unit(
        pid: 0x100, pts: ticks(1_080) + delay, dts: ticks(1_000) + delay, pcr: ticks(1_000), isRandomAccess: true,
        bytes: start(delimiter, PublisherBytes.sequenceSet, PublisherBytes.pictureSet, key)),
      Unit(pid: 0x101, pts: ticks(1_003) + delay, dts: nil, pcr: nil, isRandomAccess: true, bytes: adts + [1, 2, 3]),
      // Not decoded later than it is presented.
      Unit(pid: 0x100, pts: ticks(1_000) + delay, dts: nil, pcr: nil, bytes: start(delimiter, slice, slice)),
      Unit(pid: 0x101, pts: ticks(1_026) + delay, dts: nil, pcr: nil, isRandomAccess: true, bytes: Array(adts[..<4]) + [1, 0x1F, 0xFC, 4]),
    ]
    #expect(found.units == expected && found.references.isEmpty)
  }

  /// A key frame that has its parameter sets keeps them, and its length may have fewer bytes.
  @Test func parameterSets() throws {
    var configuration = PublisherBytes.avcConfiguration
    configuration[4] = 0xFD
    let frame: [UInt8] = [0x17, 1, 0, 0, 0, 0, 5] + PublisherBytes.sequenceSet + [0, 2, 0x65, 1]
    let (found, _) = try stream([video(0, [0x17, 0, 0, 0, 0] + configuration), video(0, frame)], metadata: ["videocodecid"])
    #expect(found.units.map(\.bytes) == [start([9, 0xF0], PublisherBytes.sequenceSet, [0x65, 1])])
  }

  /// The stream begins with a key frame, and without what came before it.
  @Test func beginning() throws {
    let messages = [
      audio(0, PublisherBytes.aacHeader), audio(0, PublisherBytes.sound([1])), video(10, PublisherBytes.avcHeader),
      video(20, PublisherBytes.frame(false, [slice])),
      video(60, PublisherBytes.frame(true, [key])), audio(46, PublisherBytes.sound([2])), audio(70, PublisherBytes.sound([3])),
    ]
    let (found, _) = try stream(messages)
    #expect(found.units.map(\.pid) == [0x100, 0x101, 0x101] && found.units.map(\.bytes.last) == [3, 2, 3])
  }

  /// Streams that were not announced are waited for half a second; one that comes later changes the program map.
  @Test func late() throws {
    var messages = [video(0, PublisherBytes.avcHeader)]
    for frame in UInt32(0)..<20 { messages.append(video(frame * 40, PublisherBytes.frame(frame == 0, [frame == 0 ? key : slice]))) }
    for (metadata, held) in [(nil, 13), (["videocodecid", "audiocodecid"], 13), (["videocodecid"], 0)] as [([String]?, Int)] {
      var program = PublishedProgram()
      if let metadata { program.receive(metadata: PublisherBytes.metadata(metadata)) }
      var counts: [Int] = []
      for message in messages {
        program.receive(message)
        counts.append(program.take().count)
      }
      #expect(counts[1..<max(held, 1)].allSatisfy { $0 == 0 } && counts[max(held, 1) + (held == 0 ? 0 : 1)] > 0, "\(counts)")
    }
    messages += [audio(800, PublisherBytes.aacHeader), audio(800, PublisherBytes.sound([1])), audio(900, PublisherBytes.sound([1]))]
    let (found, _) = try stream(messages, version: 31)
    #expect(found.tables == ["31 256 256:27", "0 256 256:27 257:15"] && found.isContinuous)
    // Audio that goes on without video keeps the clock going.
    #expect(found.references == [ticks(900)])
  }

  /// Nothing but audio: it tells the time.
  @Test func audioAlone() throws {
    let messages = [audio(0, PublisherBytes.aacHeader)] + (0..<50).map { audio($0 * 23, PublisherBytes.sound([1])) }
    let (found, _) = try stream(messages, metadata: ["audiocodecid"])
    #expect(
      found.tables == ["3 257 257:15"] && found.units.count == 50 && found.units.allSatisfy { $0.pcr != nil } && found.tableCount == 3)
  }

  /// HEVC as enhanced RTMP has it, and as encoders sent it before.
  @Test func hevc() throws {
    let sets: [[UInt8]] = [[0x40, 1, 7], [0x42, 1, 8], [0x44, 1, 9]]
    var record: [UInt8] = [1] + [UInt8](repeating: 0, count: 20) + [0xFF, 3]
    for (type, set) in zip([32, 33, 34] as [UInt8], sets) { record += [type, 0, 1, 0, UInt8(set.count)] + set }
    let unit: [UInt8] = [0, 0, 0, 3, 0x26, 1, 5]
    let fourCC = Array("hvc1".utf8)
    let delimiter: [UInt8] = [0x46, 1, 0x50]
    for (configuration, frame) in [
      ([0x90] + fourCC + record, [0x91] + fourCC + [0, 0, 40] + unit), ([0x90] + fourCC + record, [0x93] + fourCC + unit),
      ([0x1C, 0, 0, 0, 0] + record, [0x1C, 1, 0, 0, 0] + unit),
    ] as [([UInt8], [UInt8])] {
      let (found, notices) = try stream([video(0, configuration), video(40, frame)], metadata: ["videocodecid"])
      #expect(found.tables == ["3 256 256:36"] && notices.isEmpty)
      #expect(found.units.map(\.bytes) == [start(delimiter, sets[0], sets[1], sets[2], [0x26, 1, 5])])
      #expect(found.units.first?.isRandomAccess == true)
    }
    let aac = Array("mp4a".utf8)
    let (found, _) = try stream([audio(0, [0x90] + aac + [0x11, 0x90]), audio(0, [0x91] + aac + [7])], metadata: ["audiocodecid"])
    #expect(found.units.map(\.bytes.count) == [8])
  }

  /// What is not carried or damaged is left out and told once.
  @Test func notices() throws {
    let (found, notices) = try stream(
      [
        video(0, [0x12, 1]), video(0, [0x12, 1]), audio(0, [0x2F, 1]), audio(0, [0xAF, 0]), video(0, [0x90] + Array("av01".utf8)),
        video(0, PublisherBytes.frame(true, [key])),
        audio(0, PublisherBytes.sound([1])), video(0, [0x17, 0, 0, 0, 0, 9]), video(0, PublisherBytes.avcHeader),
        video(0, [0x17, 1, 0, 0, 0, 0, 0, 0, 9, 1]),
        video(40, PublisherBytes.frame(true, [key])), audio(0, [0xAF, 0, 0xF8, 0x80]), video(40, [0x57, 0]), video(40, [0x17, 2, 0, 0, 0]),
        video(80, PublisherBytes.frame(false, [])),
      ], metadata: ["videocodecid"])
    let expected: [PublishedProgram.Notice] = [
      .notCarried("video codec 2 of FLV"), .notCarried("audio codec 2 of FLV"), .notCarried("av01"),
      .damaged("video", ParseError(.invalid("video before its configuration"), at: 0)),
      .damaged("audio", ParseError(.invalid("audio before its configuration"), at: 0)),
    ]
    #expect(notices == expected && found.units.count == 1)
  }

  /// Milliseconds of 32 bits begin anew after 49 days; the transport stream's clock goes on.
  @Test func wrapping() throws {
    let first = UInt32.max - 39
    let (found, _) = try stream(
      [
        video(first, PublisherBytes.avcHeader), video(first, PublisherBytes.frame(true, [key])),
        video(0, PublisherBytes.frame(false, [slice])), video(40, PublisherBytes.frame(false, [slice])),
      ],
      metadata: ["videocodecid"])
    let times = found.units.compactMap(\.pts)
    #expect(times.count == 3 && zip(times, times.dropFirst()).allSatisfy { ($1 &- $0) & 0x1_FFFF_FFFF == ticks(40) })
  }

  @Test func adtsHeaders() throws {
    func encoded(_ configuration: [UInt8], frameSize: Int = 1) throws -> [UInt8] {
      try ADTSHeader(audioSpecificConfig: configuration.span).encoded(frameSize: frameSize)
    }
    for configuration: [UInt8] in [[0x11, 0x90], [0x12, 0x10], [0x14, 0x08], [0x11, 0x90, 0x56, 0xE5, 0]] {
      let (bytes, first) = (try encoded(configuration), Array(configuration.prefix(2)))
      let header = try AACConfiguration(adtsHeader: bytes.span)
      let said = try AACConfiguration(audioSpecificConfig: first.span)
      #expect(header == said)
    }
    // HE-AAC that says so first: what is coded inside.
    #expect(try encoded([0x2B, 0x92, 0x08, 0]) == encoded([0x13, 0x90]))
    for configuration: [UInt8] in [[0xF8, 0x80], [0x17, 0x80, 0, 0, 0], [0x11, 0x80], [0x11], []] {
      #expect(throws: ParseError.self) { try encoded(configuration) }
    }
    #expect(throws: ParseError.self) { try encoded([0x11, 0x90], frameSize: 8_185) }
  }

  /// Records that are cut off, at each length.
  @Test func cutConfigurations() {
    func avc(_ bytes: [UInt8]) throws -> Int { try NALUnitFormat(.h264, configuration: bytes.span).lengthSize }
    func hevc(_ bytes: [UInt8]) throws -> Int { try NALUnitFormat(.hevc, configuration: bytes.span).lengthSize }
    let record = PublisherBytes.avcConfiguration
    for length in 0..<record.count { #expect(throws: ParseError.self) { try avc(Array(record[..<length])) } }
    let other: [UInt8] = [1] + [UInt8](repeating: 0, count: 20) + [0xFF, 1, 32, 0, 1, 0, 2, 0x40, 1]
    for length in 0..<other.count { #expect(throws: ParseError.self) { try hevc(Array(other[..<length])) } }
  }
}

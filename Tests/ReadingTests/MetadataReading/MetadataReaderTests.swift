import Basics
import CMAF
import HLSPlaylist
import HLSReading
import MetadataReading
import SCTE35
import Testing
import TransportStream

@Suite struct MetadataReaderTests {
  static let splice = SpliceSection(
    ptsAdjustment: 90_000, command: .insert(SpliceInsert(eventID: 7, SpliceInsert.Splice(isOut: true, at: 360_000, duration: 900_000))))

  /// A stream without video: a splice twice, a section with a wrong checksum, and a set of KLV.
  static func stream() throws -> [UInt8] {
    let streams = [
      ProgramMapTable.ElementaryStream(type: StreamType(rawValue: 0x86), pid: 0x200),
      ProgramMapTable.ElementaryStream(
        type: .privateData, pid: 0x201, descriptors: [Descriptor(tag: Descriptor.Tag.registration, data: Array("KLVA".utf8))]),
    ]
    let map = ProgramMapTable(
      programNumber: 1, version: 0, pcrPID: 0x1FFF,
      descriptors: [Descriptor(tag: Descriptor.Tag.registration, data: Array("CUEI".utf8))], streams: streams)
    // The PAT of one program.
    let table = try Section(tableID: 0, tableIDExtension: 1, version: 0, body: [0, 1, 0xE1, 0]).encode()
    let section = try splice.encode()
    var broken = section
    broken[20] ^= 1
    let key: [UInt8] = [0x06, 0x0E, 0x2B, 0x34, 2, 11, 1, 1, 14, 1, 3, 1, 1, 0, 0, 0]
    let klv = PESHeader.packet(streamID: 0xBD, key + [3, 1, 2, 3], presentationTime: 450_000, decodingTime: 450_000)
    var bytes = packet(0, 0, [0] + table) + packet(0x100, 0, try [0] + map.section().encode())
    bytes += packet(0x200, 0, [0] + section) + packet(0x200, 1, [0] + section) + packet(0x200, 2, [0] + broken)
    bytes += packet(0x201, 0, klv, stuffed: true)
    for counter in 1...5 { bytes += packet(0x100, UInt8(counter), try [0] + map.section().encode()) }
    return bytes
  }

  static func packet(_ pid: PID, _ counter: UInt8, _ payload: [UInt8], stuffed: Bool = false) -> [UInt8] {
    let header: [UInt8] = [0x47, 0x40 | UInt8(pid >> 8), UInt8(truncatingIfNeeded: pid)]
    let room = 184 - payload.count
    guard stuffed else { return header + [0x10 | counter] + payload + [UInt8](repeating: 0xFF, count: room) }
    return header + [0x30 | counter, UInt8(room - 1), 0] + [UInt8](repeating: 0xFF, count: room - 2) + payload
  }

  static func read(_ bytes: [UInt8], by size: Int) -> [MetadataFinding] {
    var reader = MetadataReader()
    var found: [MetadataFinding] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      found += reader.receive(.bytes(bytes[start..<min(start + size, bytes.count)]))
    }
    return found + reader.finish()
  }

  @Test(arguments: [1, 7, 188, 5_000]) func readsATransportStreamInPiecesOfAnySize(_ size: Int) throws {
    let bytes = try Self.stream()
    let found = Self.read(bytes, by: size)
    try #require(found.count == 4)
    guard case .new(let splice, 0) = found[0], case .repeated(0) = found[1], case .new(let broken, 1) = found[2],
      case .new(let klv, 2) = found[3]
    else {
      Issue.record("\(found)")
      return
    }
    #expect(splice.content == .splice(Self.splice))
    #expect(splice.presentationTime == MediaTime(ticks: 450_000))
    #expect(splice.pid == 0x200)
    #expect(splice.offset == 376)
    #expect(broken.content == .unreadable(.splice, reason: "wrong checksum of a splice_info_section"))
    #expect(klv.content == .klv([KLVUnit(key: [0x06, 0x0E, 0x2B, 0x34, 2, 11, 1, 1, 14, 1, 3, 1, 1, 0, 0, 0], length: 3)]))
    #expect(klv.time == splice.time)
  }

  @Test func nothingTrapsAtAnyCutAndInAnyDamage() throws {
    let bytes = try Self.stream()
    var numbers = SeededNumbers(seed: 5)
    for count in stride(from: 0, to: bytes.count, by: 11) {
      _ = Self.read(Array(bytes.prefix(count)), by: 400)
      var damaged = bytes
      for _ in 0..<8 { damaged[numbers.below(damaged.count)] = UInt8(numbers.below(256)) }
      _ = Self.read(damaged, by: 1_000)
    }
  }

  @Test func readsEventMessagesThatCarryNoID3() throws {
    func message(_ scheme: BoxText, _ id: UInt32, _ data: [UInt8]) -> EventMessageBox {
      EventMessageBox(schemeID: scheme, value: "1001", time: .absolute(180_000), id: id, messageData: data)
    }
    let splice = message("urn:scte:scte35:2013:bin", 1, try Self.splice.encode())
    let other = message("urn:example:other", 2, [1, 2])
    let tag = message(EventMessageBox.id3Scheme, 3, [1])
    let broken = message("urn:scte:scte35:2013:bin", 4, [0xFC, 0])
    let bytes = try [splice, other, tag, broken, other].flatMap { box throws(ParseError) in try box.encoded() }
    let found = Self.read(bytes, by: 10)
    try #require(found.count == 4)
    let contents = found.map { finding in if case .new(let item, _) = finding { item.content } else { nil as TimedMetadata.Content? } }
    let reason = "cut off: 2 bytes needed, 1 there"
    #expect(
      contents == [
        .eventMessage(splice, .section(Self.splice)), .eventMessage(other, nil), .eventMessage(broken, .unreadable(reason: reason)), nil,
      ])
  }

  @Test func readsTheFormsOfPlaylists() throws {
    let section = Base64.encode(try Self.splice.encode())
    var playlist = MediaPlaylist(targetDuration: 6)
    let lines = [
      ["#EXT-OATCLS-SCTE35:\(section)", "#EXT-X-CUE-OUT:30"], ["#EXT-X-CUE-OUT-CONT:ElapsedTime=6,Duration=30,SCTE35=\(section)"],
      ["#EXT-X-CUE-IN"], ["#EXT-X-SCTE35:CUE=\"\(section)\" ,CUE-OUT=YES"], ["#EXT-X-SPLICEPOINT-SCTE35:!", "#EXT-X-CUE-OUTER"],
    ]
    for (index, tags) in lines.enumerated() {
      var segment = MediaSegment(uri: "\(index).ts", duration: PlaylistDecimal(MediaTime(seconds: 6)))
      segment.unknownTags = tags
      playlist.segments.append(segment)
    }
    playlist.trailingTags = ["#EXT-X-SCTE35:CUE-IN=YES", "#EXT-X-SCTE35:CUE=\"0x"]
    playlist.dateRanges = [DateRange(id: "break 1", scte35Out: try Self.splice.encode(), scte35In: [0xFC])]
    playlist.dateRanges[0].attributes = AttributeList([Attribute("SCTE35-CMD", .quoted("!"))])
    var reader = MetadataReader()
    var found = reader.receive(.segments(playlist, firstNew: 0, missed: nil))
    for number in 0..<5 {
      found += reader.receive(.next(mediaSequence: UInt64(number), isGap: false))
      let part = HLSPortion.Part(kind: .segment, source: HLSSource(uri: "\(number).ts", mediaSequence: UInt64(number)))
      found += reader.receive(.begin(part))
      found += reader.receive(.end(MediaTime(seconds: 6)))
    }
    found += reader.receive(.finished) + reader.finish()
    #expect(!found.contains { if case .repeated = $0 { true } else { false } })
    let items = found.compactMap { finding in if case .new(let item, _) = finding { item } else { nil as TimedMetadata? } }
    #expect(items.map { $0.time.seconds } == [0, 0, 0, 6, 12, 18, 24, 30, 30])
    func splice(_ name: String) -> PlaylistSplice { PlaylistSplice(name, .section(Self.splice)) }
    func unreadable(_ name: String, _ reason: String) -> PlaylistSplice { PlaylistSplice(name, .unreadable(reason: reason)) }
    func tag(_ line: String, _ splice: PlaylistSplice?) throws -> TimedMetadata.Content {
      .playlistTag(String(line.dropFirst()), try #require(CueTag(line)), splice)
    }
    #expect(
      items.map { $0.content } == [
        .dateRange(
          playlist.dateRanges[0],
          [
            unreadable("SCTE35-CMD", "neither hexadecimal digits nor base64"), splice("SCTE35-OUT"),
            unreadable("SCTE35-IN", "cut off: 2 bytes needed, 0 there"),
          ]),
        try tag(lines[0][0], splice("EXT-OATCLS-SCTE35")), try tag(lines[0][1], nil), try tag(lines[1][0], splice("EXT-X-CUE-OUT-CONT")),
        try tag(lines[2][0], nil), try tag(lines[3][0], splice("EXT-X-SCTE35")),
        try tag(lines[4][0], unreadable("EXT-X-SPLICEPOINT-SCTE35", "neither hexadecimal digits nor base64")),
        try tag(playlist.trailingTags[0], unreadable("EXT-X-SCTE35", "no CUE")),
        try tag(playlist.trailingTags[1], unreadable("EXT-X-SCTE35", "the closing quote is missing")),
      ])
  }
}

import Basics
import CMAF
import Foundation
import ID3
import SCTE35
import TestSupport
import TransportStream

/// Streams with timed metadata of every kind, which no program of ours writes.
enum MetadataSamples {
  /// Sections of SCTE 35 with every command, and every kind of segmentation descriptor.
  static func sections() throws -> [[UInt8]] {
    let descriptors = [
      try SegmentationDescriptor(
        eventID: 1, .init(SegmentationType(rawValue: 0x34), duration: 900_000, upidType: 9, upid: Array("A1".utf8), number: 1, expected: 2)
      ).encode(),
      try SegmentationDescriptor(eventID: 2, nil).encode(), SpliceDescriptor(tag: SegmentationDescriptor.tag, data: [0, 0]),
    ]
    let commands: [SpliceCommand] = [
      .null, .insert(SpliceInsert(eventID: 12, SpliceInsert.Splice(isOut: true, at: 900_000, duration: 1_350_000))),
      .insert(SpliceInsert(eventID: 12, nil)), .privateCommand(identifier: 7, data: [1]), .unknown(type: 9, data: [1, 2]),
    ]
    var sections = try commands.map { try SpliceSection(command: $0).encode() }
    sections.append(try SpliceSection(ptsAdjustment: 5, command: .timeSignal(990_000), descriptors: descriptors).encode())
    var encrypted = Array(sections[0].dropLast(4))
    encrypted[4] |= 0x82
    let checksum = CRC32MPEG2.checksum(encrypted.view)
    sections.append(encrypted + integer(UInt64(checksum)))
    sections.append(sections[0].dropLast() + [0])
    return sections
  }

  /// Splices, ID3 with all frames whose details are read, KLV, and user data in the video.
  static func transportStream() throws -> Data {
    let registration = Descriptor(tag: Descriptor.Tag.registration, data: Array("KLVA".utf8))
    let map = ProgramMapTable(
      programNumber: 1, version: 0, pcrPID: 0x203,
      streams: [
        .init(type: StreamType(rawValue: 0x86), pid: 0x200), .init(type: .metadata, pid: 0x201),
        .init(type: .privateData, pid: 0x202, descriptors: [registration]), .init(type: .h264, pid: 0x203),
      ])
    var bytes = InspectAllTests.packet(
      0, 0, try [0] + Section(tableID: 0, tableIDExtension: 1, version: 0, body: [0, 1, 0xE1, 0]).encode())
    for counter in 0..<6 { bytes += InspectAllTests.packet(0x100, UInt8(counter), try [0] + map.section().encode()) }
    let messages: [UInt8] = [6, 5, 16] + [UInt8](1...16) + [4, 8, 0xB5, 0, 0x31] + Array("GA94".utf8) + [3, 0x80]
    let all: [[UInt8]] = [[9, 0xF0], messages, [0x65, 0x88, 0x84, 1, 2]]
    let units = all.flatMap { unit in [0, 0, 0, 1] as [UInt8] + unit }
    for number in 0..<4 {
      let time = UInt64(900_000 + 3_600 * number)
      let pes = PESHeader.packet(streamID: 0xE0, units, presentationTime: time, decodingTime: time)
      bytes += InspectAllTests.packet(0x203, UInt8(number), pes)
    }
    for (counter, section) in try sections().enumerated() { bytes += InspectAllTests.packet(0x200, UInt8(counter), [0] + section) }
    bytes += InspectAllTests.packet(0x201, 0, try PESHeader.timedID3Packet(try tag().encode(), presentationTime: 990_000))
    let key: [UInt8] = [0x06, 0x0E, 0x2B, 0x34, 2, 11, 1, 1, 14, 1, 3, 1, 1, 0, 0, 0]
    for (counter, payload) in [key + [2, 1, 2], key].enumerated() {
      let pes = PESHeader.packet(streamID: 0xBD, payload, presentationTime: 990_000, decodingTime: 990_000)
      bytes += InspectAllTests.packet(0x202, UInt8(counter), pes)
    }
    return Data(bytes)
  }

  /// A tag with frames that are kept as bytes.
  static func tag() throws -> ID3Tag {
    func frame(_ id: String, _ parts: [UInt8]...) -> ID3Frame { .unknown(id: id, flags: 0, data: parts.flatMap { $0 }) }
    func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }
    return ID3Tag(frames: [
      frame("APIC", [3], text("image/png"), [3], text("d"), [1, 2]), frame("COMM", [3], Array("eng".utf8), text("d"), Array("hi".utf8)),
      frame("GEOB", [3], text("m"), text("n"), text("d"), [1]), frame("UFID", text("o"), [1]),
    ])
  }

  /// Fragmented MP4 without video: an event message with ID3, one of another scheme, and splices.
  static func fragments() throws -> Data {
    func message(_ scheme: BoxText, _ data: [UInt8]) throws -> [UInt8] {
      try EventMessageBox(schemeID: scheme, value: "1", time: .absolute(0), id: 3, messageData: data).encoded()
    }
    let messages = [
      try message(EventMessageBox.id3Scheme, ID3Tag(frames: [.text(id: "TIT2", values: ["a"])]).encode()),
      try message("urn:example:other", [1]), try message("urn:scte:scte35:2013:bin", [0xFC, 0]),
      try message("urn:scte:scte35:2013:bin", sections()[1]),
    ]
    return Data(BoxSample.map() + BoxSample.styp + messages.flatMap { $0 } + BoxSample.moof(decodeTicks: 0) + BoxSample.mdat)
  }

  /// A playlist of `stream`, `fragments` and `missing.ts`, with date ranges and tags for splices.
  static func playlist(_ stream: String, _ fragments: String) throws -> String {
    let sections = try sections().map { Base64.encode($0) }
    let tags = sections.map { "#EXT-X-SCTE35:CUE=\"\($0)\",CUE-OUT=YES\n" }.joined()
    return """
      #EXTM3U
      #EXT-X-TARGETDURATION:9
      #EXT-X-DATERANGE:ID="1",CLASS="c",START-DATE="2026-11-20T20:00:00Z",END-DATE="2026-11-20T20:00:02Z",DURATION=2,PLANNED-DURATION=2,\
      X-A=1,SCTE35-OUT="\(sections[1])"
      \(tags)#EXT-X-CUE-OUT-CONT:8/30
      #EXTINF:6,
      \(stream)
      #EXT-X-DISCONTINUITY
      #EXTINF:6,
      \(fragments)
      #EXT-X-ENDLIST

      """
  }

  /// A file of FLV with a message that can be read, and one that cannot.
  static func fileOfFLV() -> Data {
    func tag(_ data: [UInt8]) -> [UInt8] { [0, 0, 0, 0, 18] + integer(UInt64(data.count), 3) + integer(0, 7) + data }
    let message = [2, 0, 10] + Array("onTextData".utf8) + [2, 0, 2] + Array("hi".utf8)
    return Data(Array("FLV".utf8) + [1, 0, 0, 0, 0, 9] + tag(message) + tag([2, 0]) + [0, 0, 0, 0])
  }
}

import Basics
import Foundation
import ID3
import SCTE35
import TestSupport
import Testing
import TransportStream

/// `inspect --all` lists what others have written.
@Suite struct InspectAllTests {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    let splice = SpliceSection(
      command: .insert(SpliceInsert(eventID: 12, SpliceInsert.Splice(isOut: true, at: 900_000, duration: 1_350_000))))
    let map = ProgramMapTable(
      programNumber: 1, version: 0, pcrPID: 0x1FFF,
      streams: [.init(type: StreamType(rawValue: 0x86), pid: 0x200), .init(type: .metadata, pid: 0x201)])
    let section = try splice.encode()
    var broken = section
    broken[12] ^= 1
    let tag = try ID3Tag(frames: [.text(id: "TIT2", values: ["Song"])]).encode()
    let pes = try PESHeader.timedID3Packet(tag, presentationTime: 990_000)
    var bytes = Self.packet(0, 0, try [0] + Section(tableID: 0, tableIDExtension: 1, version: 0, body: [0, 1, 0xE1, 0]).encode())
    for counter in 0..<6 { bytes += Self.packet(0x100, UInt8(counter), try [0] + map.section().encode()) }
    for (counter, section) in [section, section, broken].enumerated() { bytes += Self.packet(0x200, UInt8(counter), [0] + section) }
    bytes += Self.packet(0x201, 0, pes)
    try Data(bytes).write(to: scratch["all.ts"])
  }

  /// A packet that starts a section or a PES packet, filled by an adaptation field.
  static func packet(_ pid: PID, _ counter: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let room = 184 - payload.count
    let header: [UInt8] = [0x47, 0x40 | UInt8(pid >> 8), UInt8(truncatingIfNeeded: pid), 0x30 | counter, UInt8(room - 1), 0]
    return header + [UInt8](repeating: 0xFF, count: room - 2) + payload
  }

  @Test func splicesAndTagsAreListedInWords() throws {
    let listed = try Command.shell("cuelight inspect --all all.ts", in: scratch.folder)
    #expect(listed.status == 0)
    #expect(listed.output.contains("splice_insert event 12 out for 15.000000 s  2 times\n"))
    #expect(listed.output.contains("unreadable: wrong checksum of a splice_info_section\n"))
    #expect(listed.output.contains("TIT2 Song\n"))
    #expect(listed.output.hasSuffix("0 events in 0 copies, 1 other tag, 2 other items, 0 damaged places\n"))
  }

  @Test func jsonHasAStableTypeForEach() throws {
    let listed = try Command.shell("cuelight inspect --all --json all.ts", in: scratch.folder)
    let lines = try listed.lines.map { try #require(try JSONValue(parsing: String($0)).object) }
    #expect(Set(lines.compactMap { $0["type"]?.string }) == ["splice", "id3"])
    let splice = try #require(lines.first { $0["command"] != nil })
    #expect(splice["splicePts"] == 900_000.json && splice["count"] == 2.json && splice["out"] == true.json && splice["duration"] == 15.json)
    #expect(lines.contains { $0["unreadable"] == "wrong checksum of a splice_info_section".json })
  }

  @Test func withoutItNothingChanges() throws {
    let listed = try Command.shell("cuelight inspect --json all.ts", in: scratch.folder)
    #expect(listed.lines.count == 1 && listed.output.hasPrefix("{\"type\":\"tag\""))
  }
}

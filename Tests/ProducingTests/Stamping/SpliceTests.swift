import Basics
import CMAF
import DASH
import EventSchedule
import HLSPlaylist
@testable import PacketStamping
import SCTE35
@testable import Stamping
import TestSupport
import Testing
import TransportStream

/// Sections of SCTE 35 of an input in what is written.
@Suite struct SpliceTests {
  private static func insert(_ event: UInt32, isOut: Bool, at ticks: UInt64, duration: UInt64? = nil) -> SpliceSection {
    SpliceSection(command: .insert(SpliceInsert(eventID: event, SpliceInsert.Splice(isOut: isOut, at: ticks, duration: duration))))
  }

  /// A section whose clock is ahead of the programme by ten seconds.
  private static func splice(_ section: SpliceSection, at seconds: Int, in place: Int) throws -> InputSplices.Splice {
    InputSplices.Splice(
      section: section, bytes: try section.encode(), time: MediaTime(seconds: seconds), place: MediaTime(seconds: place), pid: 0x300,
      clock: UInt64(90_000 * (seconds + 10)))
  }

  private static func splices() throws -> InputSplices {
    let (out, back) = (insert(7, isOut: true, at: 16 * 90_000, duration: 540_000), insert(7, isOut: false, at: 22 * 90_000))
    return InputSplices([
      try splice(SpliceSection(command: .null), at: 1, in: 1), try splice(out, at: 6, in: 2), try splice(out, at: 6, in: 4),
      try splice(out, at: 6, in: 9), try splice(back, at: 12, in: 9),
    ])
  }

  @Test func onlyTheAdjustmentAndTheChecksumChange() throws {
    let splice = try Self.splices().all[1]
    #expect(splice.moved(to: MediaTime(seconds: 10)) == splice.bytes)
    let moved = splice.moved(to: MediaTime(seconds: 1))
    let read = try SpliceSection(moved.span)
    #expect(read.time == UInt64(7 * 90_000) && read.command == splice.section.command)
    #expect(moved[9..<moved.count - 4] == splice.bytes[9..<moved.count - 4])
    // A heartbeat has no time that could move.
    let null = try Self.splices().all[0]
    #expect(null.moved(to: MediaTime(seconds: 1)) == null.bytes)
  }

  @Test func breaksAsDateRanges() throws {
    let known = try Self.splices().breaks(until: MediaTime(seconds: 30), origin: MediaTime(seconds: 10))
    var annotations = TrackTimeline.Annotations()
    let zero = try #require(PlaylistDate(milliseconds: 0))
    annotations.add(known, zero: zero)
    let all = try Self.splices().all
    #expect(annotations.dateRanges.map { $0.time } == [MediaTime(seconds: 6)])
    let range = try #require(annotations.dateRanges.first?.range)
    #expect(range.id == "splice-7-0" && range.startDate?.text == "1970-01-01T00:00:06.000Z")
    #expect(range.plannedDuration == PlaylistDecimal(MediaTime(seconds: 6)) && range.duration == PlaylistDecimal(MediaTime(seconds: 6)))
    #expect(range.scte35Out == all[1].bytes && range.scte35In == all[4].bytes)
    // A break without an end says only what was planned.
    let open = InputSplices(Array(all.dropLast())).breaks(until: MediaTime(seconds: 30), origin: MediaTime(seconds: 10))
    #expect(open.map(\.end) == [nil] && open.map(\.duration) == [MediaTime(seconds: 6)])
    // One that begins after the end of the programme is none of it.
    #expect(try Self.splices().breaks(until: MediaTime(seconds: 5), origin: .zero) == [])
  }

  @Test func messagesInFrontOfFragments() throws {
    var messages = SpliceMessages(try Self.splices())
    let origin = MediaTime(seconds: 10)
    let listed = messages.events(origin: origin)
    #expect(listed.map(\.time) == [6, 12].map { MediaTime(seconds: $0) } && listed.map(\.duration) == [MediaTime(seconds: 6), nil])
    var found: [[EventMessageBox]] = []
    for start in stride(from: 0, to: 12, by: 3) {
      let boxes = try messages.boxes(before: MediaTime(seconds: start)..<MediaTime(seconds: start + 3), origin: origin)
      var reader = FragmentReader()
      found.append(
        reader.push(boxes.span).compactMap { if case .eventMessage(let box, _, _) = $0 { box } else { nil } } + heldMessages(of: &reader))
    }
    // The repeat at 4 s has a box, and that at 9 s, after its time, has none.
    #expect(found.map(\.count) == [1, 1, 0, 1])
    #expect(found.joined().map(\.id) == [listed[0].id, listed[0].id, listed[1].id])
    #expect(found.joined().map(\.time) == [16, 16, 22].map { .absolute($0 * 90_000) })
    #expect(found.joined().map(\.eventDuration) == [540_000, 540_000, EventMessageBox.unknownDuration])
    #expect(found.joined().allSatisfy { $0.schemeID == EventMessageBox.spliceScheme && $0.value == "" })
  }

  private func heldMessages(of reader: inout FragmentReader) -> [EventMessageBox] {
    reader.finish().compactMap { if case .eventMessage(let box, _, _) = $0 { box } else { nil } }
  }

  /// A stream of three pictures, a second apart, with its tables in front of each.
  private static func stream() throws -> [UInt8] {
    let video = ProgramMapTable.ElementaryStream(type: .h264, pid: 0x100)
    var writer = ProgramWriter([video], version: 0)
    var bytes: [UInt8] = []
    for second in 0..<3 {
      let time = MediaTime(seconds: 10 + second)
      try writer.write(
        ProgramWriter.AccessUnit(
          pid: 0x100, bytes: [0, 0, 0, 1, 0x65, 0x88], presentationTime: time, decodingTime: time, isRandomAccess: true),
        to: &bytes)
    }
    return bytes
  }

  @Test func sectionsInATransportStream() throws {
    let all = try Self.splices().all
    let sections = [(all[0], 0), (all[1], 1), (all[4], 5)].map { SpliceInserter.Splice(place: MediaTime(seconds: $0.1), bytes: $0.0.bytes) }
    let input = try Self.stream()
    for wanted: PID? in [0x300, nil, 0x100] {
      // The writer presents pictures 0.7 s after their times.
      var inserter = SpliceInserter(sections, pid: wanted, origin: MediaTime(ticks: 963_000))
      let output = inserter.push(input.span) + inserter.finish()
      var (tables, assembler) = (ProgramTables(), SectionAssembler())
      var (found, order): ([[UInt8]], [PID]) = ([], [])
      let pid = wanted == 0x300 ? 0x300 as PID : 0x1F0
      for start in stride(from: 0, to: output.count, by: TransportPacket.size) {
        let packet = output[start..<start + TransportPacket.size].span
        let header = try TransportPacket(packet)
        let payload = packet.extracting(header.payload)
        if tables.follows(header.pid) { _ = tables.push(header, payload: payload) }
        if header.pid == pid { found += assembler.push(header, payload: payload) }
        if header.pid == pid || header.pid == 0x100 { order.append(header.pid) }
      }
      let map = try #require(tables.maps.first?.value)
      #expect(map.streams.map(\.pid) == [0x100, pid] && map.streams[1].isSplices(in: map))
      #expect(map.descriptors == [Descriptor(tag: Descriptor.Tag.registration, data: Array("CUEI".utf8))])
      #expect(found == sections.map(\.bytes) && order == [pid, 0x100, pid, 0x100, 0x100, pid])
    }
    #expect(SpliceInserter(InputSplices(), origin: .zero) == nil)
  }
}

import EventReading
import EventSchedule
import Foundation
import GameEvents
import PacketStamping
import TestSupport
import Testing
import TransportStream

private let sharedStreams = ProcessInfo.processInfo.environment["CUELIGHT_STREAMS"]

/// Third-party streams, in the folder that `CUELIGHT_STREAMS` names, go through as they came.
@Suite(.enabled(if: sharedStreams != nil, "CUELIGHT_STREAMS does not name the folder of the shared streams")) struct RealStreamTests {
  @Test(arguments: ["videojs-id3.ts", "shaka-id3-metadata.ts", "eyevinn-bbb-1s.ts", "eyevinn-obs-hevc-aac.ts", "kim-broken.ts"])
  func nothingElseChanges(name: String) throws {
    let file = [UInt8](try Data(contentsOf: URL(filePath: "\(sharedStreams ?? "")/\(name)")))
    // One of them ends within a packet, which belongs to none.
    let original = Array(file.prefix(file.count / TransportPacket.size * TransportPacket.size))
    let map = try #require(Self.program(original))
    let events = [SampleGame.short(at: 0)]
    let (stamped, report) = try stamp(file, with: events, CopyPolicy(copies: 2, refreshInterval: nil))
    #expect(report.events == 1 && report.copies == 2 && report.skippedBytes == file.count - original.count)
    let pid = try #require(Self.program(stamped)?.map.timedID3Streams.first?.pid)
    let difference = StampedDifference(original, stamped, eventPID: pid, pmtPID: map.pid)
    #expect(difference.unexpected == [])
    #expect(difference.added == report.addedPackets && difference.replaced == report.replacedPackets)
    #expect(stamped.count == original.count + report.addedPackets * TransportPacket.size)
    let (before, after) = (ConstantRate.clocks(in: original), ConstantRate.clocks(in: stamped))
    #expect(before.map(\.clock) == after.map(\.clock))
    // What the stream had of tags it has still.
    let (tags, kept) = (try read(original).tags, try read(stamped))
    #expect(kept.tags.map(\.tag) == tags.map(\.tag) && kept.tags.map(\.place.presentationTime) == tags.map(\.place.presentationTime))
    #expect(kept.copies.map(\.copy.event) == [events[0].event, events[0].event])
  }

  private static func program(_ stream: [UInt8]) -> (pid: PID, map: ProgramMapTable)? {
    var tables = ProgramTables()
    for packet in SamplePacket.all(in: stream) where tables.follows(packet.pid) {
      _ = tables.push(packet.header, payload: packet.bytes.span.extracting(packet.header.payload))
      guard let program = tables.programAssociation?.programs.first, let map = tables.maps[program.number] else { continue }
      return (program.pmtPID, map)
    }
    return nil
  }
}

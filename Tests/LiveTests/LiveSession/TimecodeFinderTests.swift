import Basics
import CueSheet
import NALUnits
import TestSupport
import Testing
import TransportStream

@testable import LiveSession
@testable import PacketStamping

/// Timecodes in the packets of a live transport stream.
@Suite struct TimecodeFinderTests {
  private static let pid: PID = 0x100
  private static let video = LivePacketStamper.Video(pid: pid, codec: .hevc)
  /// Messages with the timecodes 10:00:00:00 and 10:00:00:03, as FFmpeg reads them.
  private static let messages = ["4e01880670400000281080", "4e01880670401800281080"]

  /// The packets of a picture, in which the slice starts only after some packets.
  private static func picture(_ message: String, presentation: UInt64, _ writer: inout SamplePacketWriter) -> [[UInt8]] {
    let before = writer.bytes.count
    let padding: [UInt8] = [0, 0, 1, 0x4E, 1, 5, 200] + [UInt8](repeating: 1, count: 200) + [0x80]
    let units = padding + [0, 0, 1] + hex(message) + [0, 0, 1, 0x26, 1, 0xAF] + [UInt8](repeating: 7, count: 300)
    let header = SamplePacketWriter.pesHeader(streamID: 0xE0, length: 0, presentation: presentation)
    writer.append(header + units, pid: pid, isRandomAccess: true)
    let packets = Array(writer.bytes[before...])
    return stride(from: 0, to: packets.count, by: 188).map { Array(packets[$0..<$0 + 188]) }
  }

  private static func unit(_ seconds: Double, presentation: MediaTime) -> LiveAccessUnit {
    LiveAccessUnit(
      time: MediaTime(seconds: seconds), presentationTime: presentation, decodingTime: presentation - MediaTime(ticks: 7_200),
      frameDuration: MediaTime(ticks: 3_600), isRandomAccess: true, boundary: nil, targetDuration: 4)
  }

  /// The timecode is known with the packet in which the slice starts, also across the wrap of the stream's clock.
  @Test func timesOnTheTimeline() throws {
    var writer = SamplePacketWriter()
    var finder = TimecodeFinder()
    let wrap = MediaTime(ticks: 1 << 33)
    var found: [FoundTimecode?] = []
    for (index, message) in Self.messages.enumerated() {
      let unit = Self.unit(5 + Double(index), presentation: wrap + MediaTime(ticks: Int64(index) * 3_600))
      for packet in Self.picture(message, presentation: UInt64(index) * 3_600, &writer) {
        found.append(finder.push(packet.span, of: Self.video, at: unit))
      }
    }
    let first = FoundTimecode(
      label: try #require(TimecodeLabel("10:00:00:00")), time: MediaTime(seconds: 5), decodingTime: MediaTime(seconds: 4.92))
    let second = FoundTimecode(
      label: try #require(TimecodeLabel("10:00:00:03")), time: MediaTime(seconds: 6), decodingTime: MediaTime(seconds: 5.92))
    #expect(found == [nil, first, nil, nil, second, nil])
  }

  /// Without a video, before the first access unit, and for a picture that is left out there is none.
  @Test func noPlace() {
    var writer = SamplePacketWriter()
    var finder = TimecodeFinder()
    let packets = Self.picture(Self.messages[0], presentation: 90_000, &writer)
    for packet in packets { #expect(finder.push(packet.span, of: nil, at: Self.unit(5, presentation: MediaTime(seconds: 1))) == nil) }
    for packet in packets { #expect(finder.push(packet.span, of: Self.video, at: nil) == nil) }
    for packet in packets {
      #expect(finder.push(packet.span, of: Self.video, at: Self.unit(5, presentation: MediaTime(seconds: 2))) == nil)
    }
    let other = LivePacketStamper.Video(pid: 0x200, codec: .hevc)
    for packet in packets { #expect(finder.push(packet.span, of: other, at: Self.unit(5, presentation: MediaTime(seconds: 1))) == nil) }
  }

  /// A picture whose packets are missing has none.
  @Test func interrupted() {
    var writer = SamplePacketWriter()
    var finder = TimecodeFinder()
    let packets = Self.picture(Self.messages[0], presentation: 90_000, &writer)
    let unit = Self.unit(5, presentation: MediaTime(seconds: 1))
    for packet in packets.prefix(1) { _ = finder.push(packet.span, of: Self.video, at: unit) }
    finder.interrupt()
    for packet in packets.dropFirst() { #expect(finder.push(packet.span, of: Self.video, at: unit) == nil) }
  }
}

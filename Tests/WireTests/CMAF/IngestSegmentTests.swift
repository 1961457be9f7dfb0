import Basics
import Testing

@testable import CMAF

@Suite struct IngestSegmentTests {
  private func types(_ bytes: [UInt8]) throws -> [String] {
    var types: [String] = []
    let span = bytes.span
    var boxes = BoxReader(span)
    while let box = try boxes.next() { types.append("\(box.type)") }
    return types
  }

  private func segment() throws -> [UInt8] {
    var writer = FragmentWriter()
    let type = try FileTypeBox(type: .styp, majorBrand: BoxType("cmfs"), compatibleBrands: [BoxType("cmfs")]).encoded()
    let message = EventMessageBox(schemeID: EventMessageBox.id3Scheme, time: .absolute(95_000), id: 7, messageData: [1, 2])
    let fragments = try (0..<2).flatMap { index in
      try writer.start(decodeTicks: 90_000 + Int64(index) * 3_600, [.init(size: 1, duration: 3_600)], byteCount: 1) + [UInt8(index)]
    }
    return type + (try message.encoded()) + fragments
  }

  @Test func rewrites() throws {
    var ingest = IngestSegment(.mediaTime, isLast: true)
    let source = try segment()
    // The segment starts half a second before its first sample.
    let content = source.span
    let bytes = try ingest.rewrite(content, after: 41, start: MediaTime(ticks: 45_000), date: 1_767_323_045_000)
    #expect(try types(bytes) == ["styp", "prft", "emsg", "moof", "mdat", "moof", "mdat"])
    #expect(ingest.number == 43 && ingest.messages.map(\.id) == [7])
    let type: [UInt8] = [0, 0, 0, 24] + Array("stypcmfs".utf8) + [0, 0, 0, 0] + Array("cmfslmsg".utf8)
    // 2026-01-02 03:04:05.5, in seconds since 1900.
    let seconds = UInt32(1_767_323_045 + 2_208_988_800)
    let date = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: seconds >> UInt32($0)) } + [0x80, 0, 0, 0]
    let ticks: [UInt8] = [0, 0, 0, 0, 0, 1, 0x5F, 0x90]
    let reference: [UInt8] = [0, 0, 0, 32] + Array("prft".utf8) + [1, 0, 0, 0, 0, 0, 0, 1]
    #expect(Array(bytes.prefix(56)) == type + reference + date + ticks)
  }

  @Test func damage() throws {
    var ingest = IngestSegment(.mediaTime, isLast: false)
    let cut = Array(try segment().dropLast(3))
    let content = cut.span
    var isRefused = false
    do throws(ParseError) { _ = try ingest.rewrite(content, after: 0, start: .zero, date: 0) } catch { isRefused = true }
    #expect(isRefused)
  }
}

@Suite struct EventTrackWriterTests {
  private func message(_ id: UInt32, at ticks: UInt64, duration: UInt32 = EventMessageBox.unknownDuration) -> EventMessageBox {
    EventMessageBox(schemeID: "urn:x", value: "1", time: .absolute(ticks), eventDuration: duration, id: id, messageData: [UInt8(id)])
  }

  /// The samples of a segment as `duration: boxes`.
  private func samples(_ segment: [UInt8]) throws -> [String] {
    var reader = FragmentReader()
    let header = try EventTrackWriter.header()
    let content = header.span
    _ = reader.push(content)
    let movie = try #require(reader.movie)
    #expect(movie.tracks.map(\.handler) == [BoxType("meta")])
    let span = segment.span
    var boxes = BoxReader(span)
    var words: [String] = []
    while let box = try boxes.next() {
      guard box.type == .mdat else { continue }
      var children = try box.children()
      while let sample = try children.next() {
        var fields = sample.fields
        guard sample.type == BoxType("emib") else {
          words.append("\(sample.type)")
          continue
        }
        _ = try fields.readInteger(byteCount: 8)
        let delta = Int64(bitPattern: try fields.readInteger(byteCount: 8))
        _ = try fields.readUInt32()
        words.append("\(try fields.readUInt32()) at \(delta)")
      }
    }
    return words
  }

  @Test func samplesTileTheSegment() throws {
    var writer = EventTrackWriter()
    let second = MediaTime(seconds: 1)
    // An event without a length, one that lasts into the next segment, and one of the next segment.
    let first = try writer.segment(
      [message(1, at: 9_000), message(2, at: 45_000, duration: 90_000), message(3, at: 100_000)], start: .zero, duration: second,
      isLast: false)
    #expect(try samples(first) == ["emeb", "1 at 0", "emeb", "2 at 0"])
    // A repetition is no event. One that was known too late begins before the segment.
    let next = try writer.segment([message(1, at: 9_000), message(4, at: 81_000)], start: second, duration: second, isLast: true)
    #expect(try samples(next) == ["2 at -45000", "4 at -9000", "2 at -45001", "2 at -55000", "3 at 0", "2 at -55001", "emeb"])
  }
}

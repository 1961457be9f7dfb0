import Basics
import EventReading
import EventSchedule
import GameEvents
import HLSPlaylist
import HLSReading
import TestSupport
import Testing
import TransportStream

/// Presentations of transport stream segments.
@Suite struct TransportStreamTests {
  let sample: SegmentedSample
  init() throws { sample = try SegmentedSample() }

  @Test(arguments: [nil, 1, 7, 188, 1_000] as [Int?]) func everyCopyAtItsPlace(chunk: Int?) throws {
    var presentation = sample.presentation
    presentation.chunk = chunk
    let outcome = try presentation.read()
    #expect(outcome.items == (try sample.expected()))
    #expect(outcome.uris == ["index.m3u8", "0.ts", "1.ts", "2.ts", "3.ts", "4.ts"])
    #expect(outcome.waits == [] && outcome.reader.step == .finished)
    #expect(outcome.reader.start == .zero && outcome.reader.end == MediaTime(ticks: 219_600))
    #expect(outcome.reader.container == .transportStream)
    #expect(outcome.reader.choices == [] && outcome.reader.choice == nil)
  }

  /// Only the video and the playlist tell the time.
  @Test(arguments: [0, 1, 300]) func aBeginningThatIsLostDoesNotShiftTheTime(cut: Int) throws {
    let bytes = try SegmentedSample.foreign(start: 8_000)
    var presentation = Presentation(files: ["index.m3u8": playlist("#EXTINF:7.5,\n0.ts\n#EXTINF:2.44,\n1.ts", target: 8), "1.ts": bytes])
    presentation.answers["0.ts"] = [.cutOff(sample.segments[0], after: cut)]
    let outcome = try presentation.read()
    #expect(outcome.streamItems.tags.map(\.place.time) == [MediaTime(ticks: 675_000 + 36_000)])
    #expect(outcome.streamItems.tags.map(\.place.videoTime) == [MediaTime(ticks: 675_000 + 36_000)])
    #expect(outcome.reader.end == MediaTime(ticks: 675_000 + 219_600))
  }

  @Test(arguments: 0..<5) func aLostSegmentCostsWhatIsInIt(lost: Int) throws {
    var presentation = sample.presentation
    presentation.answers["\(lost).ts"] = [.error(isFinal: true)]
    let outcome = try presentation.read()
    let source = HLSSource(uri: "\(lost).ts", mediaSequence: UInt64(lost))
    #expect(outcome.notices == [.segmentLost(source, reason: "not found", read: 0)])
    #expect(outcome.damages == [])
    #expect(outcome.copies.map(\.copy) == (try sample.copies(without: [lost])))
    #expect(outcome.copies.allSatisfy { $0.copy.programmeTime == $0.place.time })
    // Without the first segment the first video frame is two later than the playlist says.
    let off = MediaTime(ticks: lost == 0 ? 7_200 : 0)
    #expect(outcome.copies.allSatisfy { $0.place.videoTime.map { $0 + off } == $0.place.time })
    #expect(outcome.reader.end == MediaTime(ticks: 219_600))
  }

  /// The playlist says that 20 s, an hour or 15 hours are missing, and the clock of the stream agrees, though not to the frame.
  @Test(arguments: [20, 3_600, 54_000] as [UInt64]) func aGapOfAnyLengthIsNoClockJump(seconds: UInt64) throws {
    let start = (900_000 + 219_600 + seconds * 90_000 + 7_000) & ((1 << 33) - 1)
    var presentation = sample.presentation
    presentation.files["later.ts"] = try SegmentedSample.foreign(start: start)
    presentation.files["index.m3u8"] = playlist(
      sample.allLines, "#EXT-X-GAP", "#EXTINF:\(seconds),", "gap.ts", "#EXTINF:2.44,", "later.ts", target: Int(seconds))
    let outcome = try presentation.read()
    #expect(outcome.notices == [.gap(HLSSource(uri: "gap.ts", mediaSequence: 5))])
    #expect(outcome.damages == [])
    let time = MediaTime(ticks: 219_600 + Int64(seconds) * 90_000 + 7_000 + 36_000)
    #expect(outcome.streamItems.tags.map(\.place.time) == [time] && outcome.streamItems.tags.map(\.place.videoTime) == [time])
    #expect(outcome.reader.end == MediaTime(ticks: 2 * 219_600 + Int64(seconds) * 90_000 + 7_000))
    #expect(!outcome.uris.contains("gap.ts"))
  }

  @Test func retriedAtEveryLength() throws {
    let expected = try sample.expected()
    for index in [0, 2] {
      let bytes = sample.segments[index]
      for cut in stride(from: 0, to: bytes.count, by: 101) {
        var presentation = sample.presentation
        presentation.answers["\(index).ts"] = [.cutOff(bytes, after: cut), .cutOff(bytes, after: cut / 2), .bytes(bytes)]
        let outcome = try presentation.read()
        guard outcome.items == expected else {
          Issue.record("segment \(index) cut off at \(cut)")
          return
        }
        #expect(outcome.resources.filter { $0.kind == .segment }.map(\.alreadyReceived).max() == UInt64(cut))
        #expect(outcome.waits == [MediaTime(ticks: 45_000), MediaTime(ticks: 90_000)])
      }
    }
  }

  @Test func cutOffAtEveryLength() throws {
    let bytes = sample.segments[1]
    let before = try sample.expected(without: [1])
    let inside = try sample.expected().filter { !before.contains($0) }
    for cut in stride(from: 0, to: bytes.count, by: 89) {
      var presentation = sample.presentation
      presentation.answers["1.ts"] = [.cutOff(bytes, after: cut)]
      let outcome = try presentation.read()
      let source = HLSSource(uri: "1.ts", mediaSequence: 1)
      #expect(outcome.notices == [.segmentLost(source, reason: "connection lost, in attempt 3", read: UInt64(cut))])
      let copies = outcome.items.filter { if case .item(.copy, _) = $0 { true } else { false } }
      #expect(copies.filter { before.contains($0) } == before)
      let read = copies.filter { !before.contains($0) }
      #expect(read == Array(inside.prefix(read.count)))
      #expect(outcome.damages.count <= 2)
      #expect(outcome.reader.end == MediaTime(ticks: 219_600))
    }
  }

  @Test func byteRanges() throws {
    let file = [UInt8](repeating: 0xEE, count: 100) + sample.segments.joined()
    var lines: [String] = []
    var offset = 100
    for (index, segment) in sample.segments.enumerated() {
      lines.append("#EXTINF:0.48,\n#EXT-X-BYTERANGE:\(segment.count)\(index % 2 == 0 ? "@\(offset)" : "")\nall.ts")
      offset += segment.count
    }
    let files = ["index.m3u8": playlist(lines.joined(separator: "\n")), "all.ts": file]
    let outcome = try Presentation(files: files).read()
    var start = 100
    let starts = sample.segments.map { segment in
      defer { start += segment.count }
      return start
    }
    let expected = try sample.expected().map { item -> HLSItem in
      guard case .item(.copy(let copy, var place), let source?) = item else { return item }
      place.offset += starts[Int(source.mediaSequence)]
      return .item(.copy(copy, place), in: HLSSource(uri: "all.ts", mediaSequence: source.mediaSequence))
    }
    #expect(outcome.items == expected)
    #expect(outcome.resources[1].byteRange == ByteRange(length: UInt64(sample.segments[0].count), offset: 100))
  }

  @Test func aPartThatIsTooShortIsAskedForAgain() throws {
    let bytes = sample.segments[0]
    var presentation = Presentation(files: [
      "index.m3u8": playlist("#EXTINF:0.48,", "#EXT-X-BYTERANGE:\(bytes.count)@0", "all.ts")
    ])
    presentation.answers["all.ts"] = [.bytes(Array(bytes.dropLast(200))), .bytes(bytes)]
    let outcome = try presentation.read()
    #expect(outcome.notices == [])
    #expect(outcome.resources.map(\.alreadyReceived) == [0, 0, UInt64(bytes.count - 200)])
  }

  @Test func aDiscontinuityGoesOnWithTheProgramme() throws {
    var presentation = sample.presentation
    presentation.files["ad.ts"] = try SegmentedSample.foreign(start: 77_777)
    presentation.files["index.m3u8"] = playlist(
      sample.allLines, "#EXT-X-DISCONTINUITY", "#EXTINF:2.44,", "ad.ts", "#EXT-X-DISCONTINUITY", "#EXTINF:2.44,", "lost.ts",
      "#EXT-X-DISCONTINUITY", "#EXTINF:2.44,", "ad.ts", target: 3)
    let outcome = try presentation.read()
    #expect(outcome.notices == [.segmentLost(HLSSource(uri: "lost.ts", mediaSequence: 6), reason: "not found", read: 0)])
    #expect(outcome.damages == [])
    let places = outcome.streamItems.tags.map(\.place)
    #expect(places.map(\.time) == [MediaTime(ticks: 255_600), MediaTime(ticks: 694_800)])
    #expect(places.map(\.videoTime) == places.map(\.time))
    #expect(places.allSatisfy { $0.presentationTime == MediaTime(ticks: 113_777) })
    #expect(outcome.reader.end == MediaTime(ticks: 4 * 219_600))
  }

  /// Behind a discontinuity the clock is another one, and copies tell where the programme is.
  @Test func copiesTellTheTimeBehindADiscontinuity() throws {
    let other = try SegmentedSample(start: 77_777)
    let files = sample.files().merging(other.files("other-")) { $1 }
    let lines = [0, 1, 2].map { sample.lines($0) } + ["#EXT-X-DISCONTINUITY"] + [3, 4].map { other.lines($0, "other-") }
    let index = ["index.m3u8": playlist(lines.joined(separator: "\n"))]
    let outcome = try Presentation(files: files.merging(index) { $1 }).read()
    #expect(outcome.notices == [] && outcome.damages == [])
    #expect(outcome.copies.map(\.copy) == (try sample.copies(without: [])))
    #expect(outcome.copies.allSatisfy { $0.copy.programmeTime == $0.place.time })
    #expect(outcome.reader.end == MediaTime(ticks: 219_600))
  }

  /// An HTML page where the first segment should be, and one in the middle.
  @Test func whatIsNoStreamIsSkipped() throws {
    let page = Array("<html>\(String(repeating: "Guten Abend ", count: 20))</html>".utf8)
    var presentation = sample.presentation
    presentation.answers["0.ts"] = [.bytes(page)]
    let outcome = try presentation.read()
    let error = ReadingError.notATransportStream(lookedLike: .text)
    #expect(outcome.notices == [.unreadable(HLSSource(uri: "0.ts", mediaSequence: 0), error)])
    #expect(outcome.copies.map(\.copy) == (try sample.copies(without: [0])))
  }
}

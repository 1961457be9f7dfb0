import Basics
import EventReading
import ID3
import TestSupport
import Testing
import TransportStream

/// Inputs that are none of the containers, with what they look like.
@Suite struct RecognitionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: [UInt8]
    var error: ReadingError

    init(_ name: String, _ bytes: [UInt8], _ error: ReadingError) { (testDescription, self.bytes, self.error) = (name, bytes, error) }
  }

  static func noise(_ count: Int) -> [UInt8] {
    var generator = SeededNumbers(seed: 7)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Frames of one kind of sound.
  static func sound(_ index: Int) -> [UInt8] { Array([[UInt8]](repeating: PackedAudioTests.sounds[index].frame, count: 6).joined()) }

  static let padding = [UInt8](repeating: 1, count: 3_000)

  static let cases: [Case] = [
    Case("empty", [], .empty),
    Case("text", Array("Game Night: questions and answers.\n".utf8), .notATransportStream(lookedLike: .text)),
    Case("long text", Array(String(repeating: "Gaming is good. ", count: 10_000).utf8), .notATransportStream(lookedLike: .text)),
    Case("MP4", FragmentedSample.ftyp + FragmentedSample.moov(isFragmented: false) + FragmentedSample.mdat, .plainMP4),
    Case(
      "MP4 with the movie behind", FragmentedSample.ftyp + FragmentedSample.mdat + FragmentedSample.moov(isFragmented: false), .plainMP4),
    Case("MP4 without its movie", [0, 0, 0, 0x20] + Array("ftypisom".utf8) + padding, .noFragments),
    Case("fMP4 segment without a fragment", FragmentedSample.styp + FragmentedSample.mdat, .noFragments),
    Case("MOV", [0, 0, 0, 8] + Array("wide".utf8) + FragmentedSample.mdat, .notATransportStream(lookedLike: .mp4)),
    Case("Matroska", [0x1A, 0x45, 0xDF, 0xA3] + padding, .notATransportStream(lookedLike: .matroska)),
    Case("FLV", Array("FLV".utf8) + [1, 5] + padding, .notATransportStream(lookedLike: .flv)),
    Case("MP3", Array("ID3".utf8) + [4, 0] + padding, .notATransportStream(lookedLike: .id3)),
    Case("tag of an MP3 file", mp3, .notATransportStream(lookedLike: .id3)),
    Case("ID3 tag that is cut off", Array(mp3.prefix(20)), .notATransportStream(lookedLike: .id3)),
    Case("playlist", Array("#EXTM3U\n#EXT-X-VERSION:3\n".utf8), .notATransportStream(lookedLike: .playlist)),
    Case("playlist behind a blank line", Array("\n \n#EXTM3U\n".utf8), .notATransportStream(lookedLike: .playlist)),
    Case("AVI", Array("RIFF".utf8) + padding, .notATransportStream(lookedLike: .riff)),
    Case("program stream", [0, 0, 1, 0xBA] + padding, .notATransportStream(lookedLike: .programStream)),
    Case("AAC", sound(0), .notATransportStream(lookedLike: .aac)),
    Case("AAC that is cut off", Array(sound(0).prefix(50)), .notATransportStream(lookedLike: .aac)),
    Case("MP3 without a tag", sound(2), .notATransportStream(lookedLike: .mp3)),
    Case("AC-3", sound(4), .notATransportStream(lookedLike: .ac3)),
    Case("E-AC-3", sound(9), .notATransportStream(lookedLike: .eac3)),
    Case("a header of AC-3 alone", PackedAudioTests.sounds[4].frame + padding, .notATransportStream(lookedLike: nil)),
    Case("a few random bytes", noise(500), .notATransportStream(lookedLike: nil)),
    Case("random bytes", noise(30_000), .notATransportStream(lookedLike: nil)),
    Case("many random bytes", noise(200_000), .notATransportStream(lookedLike: nil)),
    Case("no tables", withoutTables(16), .notATransportStream(lookedLike: nil)),
    Case("a long stream without tables", withoutTables(151), .notATransportStream(lookedLike: nil)),
    Case("part of a packet", Array(SampleStream().bytes.prefix(150)), .notATransportStream(lookedLike: nil)),
  ]

  static let mp3 = ((try? ID3Tag(frames: [.text(id: "TIT2", values: ["Song"])]).encode()) ?? []) + padding

  static func withoutTables(_ pictureCount: Int) -> [UInt8] {
    var sample = SampleStream()
    sample.pictureCount = pictureCount
    sample.tablesEvery = 0
    return sample.bytes
  }

  @Test(arguments: cases) func isRefused(input: Case) {
    for chunk in [5, 1_000, max(input.bytes.count, 1)] {
      #expect(throws: input.error) { try read(input.bytes, chunk: chunk) }
    }
  }

  @Test func theReasonInWords() {
    #expect(ReadingError.empty.description == "the input is empty")
    #expect(ReadingError.notATransportStream(lookedLike: .text).description == "no MPEG transport stream: this looks like text")
    #expect(
      ReadingError.notATransportStream(lookedLike: nil).description
        == "no MPEG transport stream: no packets with a program association table were found")
    #expect(
      ReadingError.plainMP4.description == "no fragmented MP4: this is a plain MP4 or MOV file, which carries no timed ID3")
    #expect(ReadingError.noFragments.description == "no fragmented MP4: neither a movie header nor a fragment was found")
  }

  /// A stream that is one, with nothing in it for us.
  @Test func aStreamWithoutMetadata() throws {
    let sample = SampleStream()
    var reader = EventReader()
    #expect(try reader.push(sample.bytes.span) + reader.finish() == [])
    #expect(reader.framing == .plain)
    #expect(reader.byteCount == sample.bytes.count)
    #expect(reader.tables.maps == [1: sample.map])
    #expect(reader.end?.ticks == sample.end)
    #expect(reader.videoOrigin?.ticks == 900_000)
  }
}

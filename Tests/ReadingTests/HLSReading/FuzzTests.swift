import Basics
import HLSPlaylist
import HLSReading
import TestSupport
import Testing

/// Whatever playlists and segments hold, reading ends, and its memory and time are bounded.
@Suite struct FuzzTests {
  /// Changes, removes or repeats some bytes.
  private func mutate(_ bytes: [UInt8], _ generator: inout SeededNumbers) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...40, using: &generator)))
      case 2: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 30)], at: index)
      default: bytes[index] = UInt8(ascii: "0") + UInt8.random(in: 0...9, using: &generator)
      }
    }
    return bytes
  }

  @Test(arguments: Seeds.some(of: 150)) func mutatedPresentationsEnd(seed: UInt64) throws {
    var generator = SeededNumbers(seed: seed)
    let sample = try SegmentedSample()
    let maps = try FragmentedSegmentTests.presentation()
    var files = sample.files().merging(maps.files) { $1 }
    files["k"] = [UInt8](repeating: 7, count: 16)
    let text = playlist(
      "#EXT-X-PROGRAM-DATE-TIME:2026-11-27T12:00:00.000Z", "#EXT-X-DATERANGE:ID=\"3\",X-COM-CUELIGHT-EVENT=0x7B7D", sample.lines(0),
      "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", sample.lines(1), "#EXT-X-KEY:METHOD=NONE", "#EXT-X-GAP", sample.lines(2),
      "#EXT-X-DISCONTINUITY", "#EXT-X-MAP:URI=\"map.mp4\"", "#EXTINF:1,", "0.m4s", "#EXTINF:1,", "#EXT-X-BYTERANGE:40@20", "1.m4s",
      isEnded: false)
    for name in files.keys.sorted() where Bool.random(using: &generator) { files[name] = files[name].map { mutate($0, &generator) } }
    var presentation = Presentation(files: files)
    presentation.answers["index.m3u8"] = (0..<4).map { _ in .bytes(mutate(text, &generator)) } + [.error(isFinal: true)]
    presentation.chunk = Int.random(in: 1...2_000, using: &generator)
    let options = HLSReader.Options(attempts: 1) { blocks, _, _ in blocks }
    do throws(HLSReadingError) {
      let outcome = try presentation.read("index.m3u8", options)
      #expect(outcome.reader.step == .finished)
    } catch {
      #expect(!error.description.isEmpty)
    }
  }
}

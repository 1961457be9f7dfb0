import Basics
import CMAF
import EventReading
import HLSPlaylist
import HLSReading
import ID3
import TestSupport
import Testing

/// A cipher for tests: each block is the one before it, the key and the plain block, combined by exclusive or.
private func encrypt(_ bytes: [UInt8], _ key: [UInt8], _ vector: [UInt8]) -> [UInt8] {
  let padding = 16 - bytes.count % 16
  let padded = bytes + [UInt8](repeating: UInt8(padding), count: padding)
  var before = vector
  var result: [UInt8] = []
  for start in stride(from: 0, to: padded.count, by: 16) {
    before = (0..<16).map { padded[start + $0] ^ key[$0] ^ before[$0] }
    result += before
  }
  return result
}

private func decrypt(_ blocks: [UInt8], _ key: [UInt8], _ vector: [UInt8]) -> [UInt8]? {
  let before = vector + blocks
  return blocks.indices.map { blocks[$0] ^ key[$0 % 16] ^ before[$0] }
}

/// Encrypted presentations.
@Suite struct EncryptionTests {
  let sample: SegmentedSample
  let keys: [[UInt8]] = [1, 2].map { seed in (0..<16).map { UInt8($0 * 7 + seed * 31) } }
  let vector: [UInt8] = (0..<16).map { UInt8(0xF0 + $0) }
  let options = HLSReader.Options(decrypt: decrypt)
  init() throws { sample = try SegmentedSample() }

  /// The media sequence number as an initialisation vector.
  private func vector(of sequence: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 15) + [sequence] }

  /// Three segments with a key each way of giving the vector, one in the clear, and one with another key.
  private var presentation: Presentation {
    let segments = sample.segments
    let hexadecimal = "0x" + vector.map { String($0, radix: 16) }.joined()
    return Presentation(files: [
      "k1": keys[0], "k2": keys[1], "0.ts": encrypt(segments[0], keys[0], vector(of: 0)),
      "1.ts": encrypt(segments[1], keys[0], vector(of: 1)),
      "2.ts": encrypt(segments[2], keys[0], vector), "3.ts": segments[3], "4.ts": encrypt(segments[4], keys[1], vector(of: 4)),
      "index.m3u8": playlist(
        "#EXT-X-KEY:METHOD=AES-128,URI=\"k1\"", sample.lines(0), sample.lines(1), "#EXT-X-KEY:METHOD=AES-128,URI=\"k1\",IV=\(hexadecimal)",
        sample.lines(2), "#EXT-X-KEY:METHOD=NONE", sample.lines(3), "#EXT-X-KEY:METHOD=AES-128,URI=\"k2\"", sample.lines(4)),
    ])
  }

  @Test(arguments: [nil, 1, 2, 15, 16, 17, 31, 188] as [Int?]) func everyChunkSize(chunk: Int?) throws {
    var presentation = presentation
    presentation.chunk = chunk
    let outcome = try presentation.read("index.m3u8", options)
    #expect(outcome.items == (try sample.expected()))
    #expect(outcome.uris == ["index.m3u8", "k1", "0.ts", "1.ts", "2.ts", "3.ts", "k2", "4.ts"])
    #expect(outcome.reader.end == MediaTime(ticks: 219_600))
  }

  @Test func brokenOffAndTriedAgain() throws {
    let expected = try sample.expected()
    for cut in [1, 15, 16, 17, 1_000, 1_001] {
      var presentation = presentation
      let bytes = try #require(presentation.files["1.ts"])
      presentation.chunk = 100
      presentation.answers["1.ts"] = [.cutOff(bytes, after: cut), .bytes(bytes)]
      presentation.answers["k1"] = [.error(isFinal: false), .cutOff(keys[0], after: 3), .bytes(keys[0])]
      #expect(try presentation.read("index.m3u8", options).items == expected)
    }
  }

  /// The loader yields the bytes without their encryption, each once, and no keys.
  @Test(arguments: [nil, 1, 17, 1_000] as [Int?]) func theLoaderYieldsPlainBytes(chunk: Int?) throws {
    var presentation = presentation
    presentation.chunk = chunk
    let bytes = try #require(presentation.files["1.ts"])
    presentation.answers["1.ts"] = [.cutOff(bytes, after: 1_001), .bytes(bytes)]
    var parts: [HLSPortion.Part] = []
    var contents: [[UInt8]] = []
    for portion in try presentation.read("index.m3u8", options).portions {
      switch portion {
      case .playlist(let bytes, let uri): #expect(uri == "index.m3u8" && bytes == presentation.files["index.m3u8"])
      case .begin(let part):
        parts.append(part)
        contents.append([])
      case .bytes(let bytes): contents[contents.count - 1] += bytes
      default: break
      }
    }
    #expect(parts == (0..<5).map { .init(kind: .segment, source: HLSSource(uri: "\($0).ts", mediaSequence: UInt64($0))) })
    #expect(contents == Array(sample.segments.prefix(5)))
  }

  @Test func aKeyThatFailsCostsItsSegments() throws {
    var presentation = presentation
    presentation.answers["k1"] = [.error(isFinal: true)]
    let outcome = try presentation.read("index.m3u8", options)
    let lost = (0..<3).map { number -> HLSNotice in
      .segmentLost(HLSSource(uri: "\(number).ts", mediaSequence: UInt64(number)), reason: "its key could not be loaded", read: 0)
    }
    #expect(outcome.notices == [.keyFailed(HLSSource(uri: "0.ts", mediaSequence: 0), uri: "k1", reason: "not found")] + lost)
    #expect(outcome.uris == ["index.m3u8", "k1", "3.ts", "k2", "4.ts"])
    #expect(outcome.copies.map(\.copy) == (try sample.copies(without: [0, 1, 2])))
    presentation.answers["k1"] = [.bytes([1, 2, 3])]
    #expect(
      try presentation.read("index.m3u8", options).notices.first
        == .keyFailed(HLSSource(uri: "0.ts", mediaSequence: 0), uri: "k1", reason: "it has 3 bytes instead of 16"))
  }

  /// A key that the server could not give in time is asked for again with the next segment.
  @Test func aKeyIsAskedForAgain() throws {
    var presentation = presentation
    presentation.answers["k1"] = [.error(isFinal: false), .bytes(keys[0])]
    var options = options
    options.attempts = 1
    let outcome = try presentation.read("index.m3u8", options)
    #expect(outcome.notices.count == 2)
    #expect(outcome.copies.map(\.copy) == (try sample.copies(without: [0])))
  }

  @Test func theWrongKeyIsNoticed() throws {
    var presentation = presentation
    presentation.files["k2"] = keys[0]
    let outcome = try presentation.read("index.m3u8", options)
    let source = HLSSource(uri: "4.ts", mediaSequence: 4)
    #expect(outcome.notices == [.decryptionFailed(source, reason: "the padding is wrong, as with another key")])
    presentation.files["4.ts"] = Array(repeating: 0, count: 33)
    #expect(
      try presentation.read("index.m3u8", options).notices
        == [.decryptionFailed(source, reason: "the last block has 1 bytes instead of 16")])
    presentation.files["4.ts"] = []
    #expect(
      try presentation.read("index.m3u8", options).notices == [.segmentLost(source, reason: "it is empty, in attempt 3", read: 0)])
    var failing = options
    failing.decrypt = { blocks, key, vector in key == [UInt8](repeating: 0, count: 16) ? nil : decrypt(blocks, key, vector) }
    presentation = self.presentation
    presentation.files["k2"] = [UInt8](repeating: 0, count: 16)
    let failed = try presentation.read("index.m3u8", failing)
    #expect(failed.notices == [.decryptionFailed(source, reason: "the cipher failed")])
    #expect(failed.copies.map(\.copy) == (try sample.copies(without: [4])))
    let reason = "there is no cipher here"
    failing.decrypt = { blocks, key, vector throws(HLSReader.Options.DecryptionFailure) in
      guard key != [UInt8](repeating: 0, count: 16) else { throw HLSReader.Options.DecryptionFailure(reason: reason) }
      return decrypt(blocks, key, vector)
    }
    #expect(try presentation.read("index.m3u8", failing).notices == [.decryptionFailed(source, reason: reason)])
  }

  @Test func whatIsNotSupportedIsSaidOnceAKey() throws {
    var presentation = presentation
    let outcome = try presentation.read()
    let notices: [HLSNotice] = [0, 2, 4].map { .unsupportedEncryption(HLSSource(uri: "\($0).ts", mediaSequence: $0), method: "AES-128") }
    #expect(outcome.notices == notices)
    #expect(outcome.uris == ["index.m3u8", "3.ts"])
    presentation.files["index.m3u8"] = playlist(
      "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k1\"", sample.lines(0), sample.lines(1), "#EXT-X-KEY:METHOD=NONE",
      "#EXT-X-KEY:METHOD=AES-128,URI=\"k1\",KEYFORMAT=\"com.example\"", sample.lines(2), "#EXT-X-KEY:METHOD=NONE", sample.lines(3))
    let other = try presentation.read("index.m3u8", options)
    #expect(
      other.notices == [
        .unsupportedEncryption(HLSSource(uri: "0.ts", mediaSequence: 0), method: "SAMPLE-AES"),
        .unsupportedEncryption(HLSSource(uri: "2.ts", mediaSequence: 2), method: "AES-128 (com.example)"),
      ])
    #expect(other.uris == ["index.m3u8", "3.ts"])
  }

  @Test func mapsAreEncryptedToo() throws {
    var presentation = try FragmentedSegmentTests.presentation()
    let plain = presentation.files
    presentation.files["map.mp4"] = encrypt(try #require(plain["map.mp4"]), keys[0], vector)
    for number in 0..<3 {
      let bytes = try #require(plain["\(number).m4s"])
      presentation.files["\(number).m4s"] = encrypt(bytes, keys[1], vector(of: UInt8(number)))
    }
    presentation.files["k1"] = keys[0]
    presentation.files["k2"] = keys[1]
    let hexadecimal = "0x" + vector.map { String($0, radix: 16) }.joined()
    presentation.files["index.m3u8"] = playlist(
      "#EXT-X-KEY:METHOD=AES-128,URI=\"k1\",IV=\(hexadecimal)", "#EXT-X-MAP:URI=\"map.mp4\"", "#EXT-X-KEY:METHOD=AES-128,URI=\"k2\"",
      "#EXTINF:1,\n0.m4s\n#EXTINF:1,\n1.m4s\n#EXTINF:1,\n2.m4s")
    let outcome = try presentation.read("index.m3u8", options)
    #expect(outcome.items == (try FragmentedSegmentTests.expected()))
    #expect(outcome.uris == ["index.m3u8", "k1", "map.mp4", "k2", "0.m4s", "1.m4s", "2.m4s"])
    let unsupported = try presentation.read().notices
    #expect(unsupported == [.unsupportedEncryption(HLSSource(uri: "0.m4s", mediaSequence: 0), method: "AES-128")])
  }
}

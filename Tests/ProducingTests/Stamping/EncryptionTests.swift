import Basics
import EventSchedule
import HLSPlaylist
import LibCrypto
import TestSupport
import Testing

@testable import Stamping

/// Segments can be encrypted, and then decrypted by what the playlists say.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct EncryptionTests {
  private static let key = [UInt8](0..<16)
  private let presentation: Presentation

  init() throws { presentation = try Presentation() }

  private static let encryption = SegmentEncryption(keyURI: "keys/1.key") { blocks, vector in
    (try? AES128.encrypt(blocks, key: key, vector: vector)) ?? nil
  }

  /// The segments of a playlist, decrypted, without their padding.
  private func decrypted(_ name: String) throws -> [[UInt8]] {
    try presentation.media(name).segments.map { segment in
      let key = try #require(segment.keys.first)
      #expect(key.method == .aes128 && key.uri == "keys/1.key" && segment.keys.count == 1)
      let vector = try #require(key.initializationVector)
      let plain = try #require(try AES128.decrypt(presentation.bytes(segment.uri), key: Self.key, vector: vector))
      return plain.dropLast(Int(try #require(plain.last)))
    }
  }

  @Test(arguments: SegmentType.allCases) func segmentsAreTheSameOnceDecrypted(type: SegmentType) throws {
    try presentation.stamp([.twoLanguages], type) { $0.encryption = Self.encryption }
    let plain = try Presentation()
    try plain.stamp([.twoLanguages], type)
    for name in ["show-media.m3u8", "show-audio.m3u8", "show-audio-2.m3u8"] {
      #expect(try decrypted(name) == plain.media(name).segments.map { try plain.bytes($0.uri) })
      let map = try presentation.media(name).segments.first?.initializationSegment
      #expect(map?.keys.isEmpty ?? (type == .transportStream))
    }
    #expect(try !presentation.entries.contains { $0.hasSuffix(".key") })
  }

  @Test func noTwoSegmentsHaveTheSameVector() throws {
    try presentation.stamp([.twoLanguages, .silentSmall], .transportStream) { $0.encryption = Self.encryption }
    let names = try presentation.entries.filter { $0.hasPrefix("show-") && $0.hasSuffix(".m3u8") }
    let vectors = try names.flatMap { try presentation.media($0).segments.map { $0.keys.first?.initializationVector } }
    #expect(vectors.count == 12 && Set(vectors).count == 12)
  }

  /// EXT-X-KEY applies to the segments of every media playlist, those of subtitles too (RFC 8216, 4.3.2.4).
  @Test func subtitlesAreEncryptedToo() throws {
    let folder = try Workshop.newFolder()
    let text = "1\n00:00:00,500 --> 00:00:01,500\nOne\n\n2\n00:00:01,800 --> 00:00:02,600\nTwo\n"
    try Workshop.write(Array(text.utf8), to: folder + "/in.srt")
    let input = Workshop.file("subtitles-encrypted.mkv", "-i \(Clip.mp4.path) -i \(folder)/in.srt -map 0 -map 1 -c copy -c:s subrip")
    func stamp(_ output: Presentation, _ encryption: SegmentEncryption?) throws {
      var stamper = HLSStamper(inputs: [input], output: output.folder + "/hls/show.m3u8")
      (stamper.segmentDuration, stamper.encryption) = (MediaTime(seconds: 1), encryption)
      _ = try stamper.stamp(EventSchedule(SampleGame.plan(), policy: CopyPolicy()))
    }
    let plain = try Presentation()
    try stamp(presentation, Self.encryption)
    try stamp(plain, nil)
    let name = try #require(presentation.multivariant().renditions.first { $0.type == .subtitles }?.uri)
    let expected = try plain.media(name).segments.map { try plain.bytes($0.uri) }
    #expect(try decrypted(name) == expected && !expected.isEmpty)
    let vectors = try [name, "show-media.m3u8"].flatMap { try presentation.media($0).segments.map { $0.keys.first?.initializationVector } }
    #expect(Set(vectors).count == vectors.count)
  }

  @Test func aFailureLeavesNothing() throws {
    let failing = SegmentEncryption(keyURI: "k") { _, _ in nil }
    #expect(throws: StampingError.notEncrypted) { try presentation.stamp([.mp4], .transportStream) { $0.encryption = failing } }
    #expect(try Workshop.entries(presentation.folder) == [])
  }
}

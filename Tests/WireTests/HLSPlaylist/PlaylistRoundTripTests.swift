import Basics
import HLSPlaylist
import Testing

@Suite struct PlaylistRoundTripTests {
  @Test(arguments: playlistCases) func reads(_ test: PlaylistCase) throws {
    #expect(try readPlaylist(test.text) == test.playlist)
  }

  @Test(arguments: playlistCases) func writes(_ test: PlaylistCase) throws {
    #expect(try test.playlist.text() == test.text)
  }

  @Test(arguments: playlistCases) func takesOtherLineEnds(_ test: PlaylistCase) throws {
    #expect(try readPlaylist("\u{FEFF}" + test.text.split(separator: "\n").joined(separator: " \r\n")) == test.playlist)
    #expect(try readPlaylist(test.text.split(separator: "\n").joined(separator: "\n\n# a comment\n#\n")) == test.playlist)
  }

  @Test(arguments: playlistCases) func aCutNeverCrashesAndNeverInventsAnything(_ test: PlaylistCase) throws {
    let bytes = Array(test.text.utf8)
    let total = test.playlist.uris.count
    for length in bytes.indices {
      guard let playlist = try? readPlaylist(Array(bytes.prefix(length))) else { continue }
      #expect(playlist.uris.count <= total)
      #expect(try readPlaylist(try playlist.encode()).flawless == playlist.flawless)
    }
  }

  @Test(arguments: playlistCases) func damageIsReportedOrReadTheSameAgain(_ test: PlaylistCase) throws {
    var random = SeededNumbers(seed: 8_216)
    let alphabet = Array("#EXT-INF:,=\"@0x1.{$}\r\n ".utf8) + [0, 0x80, 0xC3, 0xFF]
    let original = Array(test.text.utf8)
    for _ in 0..<150 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = alphabet.randomElement(using: &random) ?? 0
        case 1: bytes.insert(alphabet.randomElement(using: &random) ?? 0, at: place)
        default: bytes.removeSubrange(place..<min(place + Int.random(in: 1...12, using: &random), bytes.count - 1))
        }
      }
      guard let playlist = try? readPlaylist(bytes), let written = try? playlist.encode() else { continue }
      // The version may be raised when written; what is read from that is what is written.
      let again = try readPlaylist(written)
      #expect(try again.encode() == written)
      #expect(again.uris == playlist.uris)
    }
  }

  @Test func noiseNeverCrashes() {
    var random = SeededNumbers(seed: 3_986)
    for _ in 0..<500 {
      let noise = (0..<Int.random(in: 0..<200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      _ = try? readPlaylist(noise)
      _ = try? readPlaylist(Array("#EXTM3U\n#EXT".utf8) + noise)
    }
  }
}

extension Playlist {
  /// The URIs of the segments or variants.
  fileprivate var uris: [String] {
    switch self {
    case .media(let playlist): playlist.segments.map(\.uri)
    case .multivariant(let playlist): playlist.variants.map(\.uri)
    }
  }
}

import Foundation
import HLSPlaylist
import TestSupport
import Testing

@testable import Stamping

/// What is written into the folder of a presentation.
@Suite struct PresentationFolderTests {
  /// A playlist that readers would refuse is not written.
  @Test func largePlaylists() throws {
    let path = Workshop.path("large-\(UUID().uuidString)")
    var segment = MediaSegment(uri: String(repeating: "x", count: 100_000), duration: try #require(PlaylistDecimal("1")))
    func error(_ count: Int) throws -> StampingError? {
      let playlist = Playlist.media(MediaPlaylist(targetDuration: 1, segments: [MediaSegment](repeating: segment, count: count)))
      do throws(StampingError) {
        var folder = try PresentationFolder(path: path, overwrite: false, inputs: [])
        try folder.write("a.m3u8", playlist)
        return nil
      } catch {
        return error
      }
    }
    #expect(try error(167) == nil)
    guard case .playlistTooLarge(name: "a.m3u8", let bytes) = try error(168) else {
      Issue.record("168 lines of 100,000 characters are too much")
      return
    }
    #expect(bytes > 16 << 20)
    segment.uri = "a.ts"
    #expect(try error(1) == nil)
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}

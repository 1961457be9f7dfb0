import Basics
import HLSPlaylist
import Testing

@testable import HLSReading

/// What can be requested before it is loaded.
@Suite struct UpcomingTests {
  private static let text = """
    #EXTM3U
    #EXT-X-TARGETDURATION:2
    #EXT-X-MEDIA-SEQUENCE:7
    #EXT-X-MAP:URI="init.mp4",BYTERANGE="10@0"
    #EXTINF:2,
    a.m4s
    #EXT-X-KEY:METHOD=AES-128,URI="key"
    #EXTINF:2,
    #EXT-X-BYTERANGE:5@100
    b.m4s
    #EXT-X-GAP
    #EXTINF:2,
    gap.m4s
    #EXT-X-DISCONTINUITY
    #EXTINF:2,
    c.m4s
    #EXT-X-KEY:METHOD=SAMPLE-AES,URI="other"
    #EXTINF:2,
    d.m4s
    #EXT-X-KEY:METHOD=NONE
    #EXT-X-MAP:URI="second.mp4"
    #EXTINF:2,
    http://b.example/e.m4s

    """

  private func loader(_ change: (inout HLSReader.Options) -> Void = { _ in }, ending: String = "#EXT-X-ENDLIST\n") throws -> HLSLoader {
    var options = HLSReader.Options(decrypt: { blocks, _, _ in blocks })
    change(&options)
    var loader = HLSLoader(playlist: URIReference("http://a.example/show/index.m3u8"), options: options)
    #expect(loader.upcoming(9) == [])
    _ = try loader.receive(Array((Self.text + ending).utf8)[...])
    _ = try loader.complete(elapsed: .zero)
    return loader
  }

  private func names(_ loader: HLSLoader, _ count: Int = 99) -> [String] {
    loader.upcoming(count).map { resource in
      let range = resource.byteRange.map { " \($0.text)" } ?? ""
      return resource.uri.text.replacing("http://a.example/show/", with: "") + range
    }
  }

  @Test func everythingOfACompletePlaylistInOrder() throws {
    var loader = try loader()
    #expect(names(loader) == ["init.mp4 10@0", "a.m4s", "key", "b.m4s 5@100", "c.m4s", "second.mp4", "http://b.example/e.m4s"])
    #expect(names(loader, 2) == ["init.mp4 10@0", "a.m4s"])
    // What is loaded next is the first of them, to the end.
    var loaded: [String] = []
    while case .load(let resource) = loader.step {
      // An initialization segment is loaded again after others; it may be listed although it is there still.
      #expect(loader.upcoming(1).contains(resource))
      loaded.append(resource.uri.path)
      _ = try loader.receive([UInt8](repeating: 0, count: resource.kind == .key ? 16 : 10)[...])
      _ = try loader.complete(elapsed: .zero)
    }
    #expect(
      loaded
        == ["init.mp4", "a.m4s", "key", "b.m4s", "init.mp4", "c.m4s", "second.mp4", "e.m4s"].map {
          $0 == "e.m4s" ? "/e.m4s" : "/show/\($0)"
        })
    #expect(loader.upcoming(9) == [])
  }

  @Test func onlyWhatIsRead() throws {
    #expect(try names(loader { $0.skippedSegments = [7, 8] }).prefix(2) == ["key", "init.mp4 10@0"])
    #expect(try names(loader { $0.duration = MediaTime(seconds: 3) }) == ["init.mp4 10@0", "a.m4s", "key", "b.m4s 5@100"])
    #expect(try names(loader { $0.decrypt = nil }) == ["init.mp4 10@0", "a.m4s", "second.mp4", "http://b.example/e.m4s"])
  }

  @Test func nothingWhileThePlaylistMayGrow() throws {
    #expect(try names(loader(ending: "")) == [])
  }
}

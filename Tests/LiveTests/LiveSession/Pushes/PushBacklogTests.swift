import LiveHLS
import Testing

@testable import LiveSession

@Suite struct PushBacklogTests {
  private func update(_ number: Int, with files: [String] = [], removable: [String] = []) -> SegmentStore.Update {
    let files = (files + ["x-\(number).m4s"]).map { SegmentFile(name: $0, bytes: [UInt8(number)]) }
    return SegmentStore.Update(
      segments: files, playlists: [SegmentFile(name: "media.m3u8", bytes: [])], removable: removable, targetDuration: 2)
  }

  private func names(_ backlog: inout PushBacklog) -> [[String]] {
    var names: [[String]] = []
    while let update = backlog.take() { names.append(update.segments.map(\.name)) }
    return names
  }

  /// Initialization segments are sent with the next segment, even if the one that they came with is lost.
  @Test func atMostThreeWait() {
    var backlog = PushBacklog()
    backlog.add(update(1, with: ["x-init0.mp4"]))
    for number in 2...5 { backlog.add(update(number)) }
    #expect(backlog.segmentCount == 3 && backlog.isFull && backlog.lostCount == 2)
    #expect(backlog.lostNames == ["x-1.m4s", "x-2.m4s"])
    #expect(names(&backlog) == [["x-init0.mp4", "x-3.m4s"], ["x-4.m4s"], ["x-5.m4s"]])
    #expect(backlog.isEmpty && backlog.segmentCount == 0)
    backlog.add(update(6, removable: ["x-1.m4s"]))
    #expect(backlog.lostNames == ["x-2.m4s"])
  }

  @Test func lostWhileItIsSent() throws {
    var backlog = PushBacklog()
    backlog.add(update(1, with: ["x-init0.mp4"], removable: ["x-0.m4s"]))
    let taken = backlog.take()
    let sent = try #require(taken)
    backlog.lose(sent)
    #expect(backlog.lostCount == 1 && backlog.segmentCount == 0 && !backlog.isEmpty)
    backlog.add(update(2))
    let next = backlog.take()
    let kept = try #require(next)
    #expect(kept.segments.map(\.name) == ["x-init0.mp4"] && kept.removable == ["x-0.m4s"] && !kept.hasSegment)
    #expect(names(&backlog) == [["x-2.m4s"]])
  }

  /// Parts do not count, and go with their segment.
  @Test func parts() {
    var backlog = PushBacklog()
    let part = SegmentStore.Update(playlists: [], targetDuration: 2, parts: [SegmentFile(name: "x-1.0.m4s", bytes: [1])])
    backlog.add(part)
    for number in 1...4 { backlog.add(update(number)) }
    #expect(backlog.lostCount == 1 && backlog.lostNames == ["x-1.0.m4s", "x-1.m4s"])
  }
}

@Suite struct PushFilesTests {
  private func update(_ files: String..., removable: [String] = []) -> SegmentStore.Update {
    SegmentStore.Update(
      segments: files.map { SegmentFile(name: $0, bytes: [1]) }, playlists: [SegmentFile(name: "media.m3u8", bytes: [])],
      removable: removable,
      targetDuration: 2)
  }

  /// An origin that has failed may have lost the initialization segments, which are sent once otherwise.
  @Test func initializationSegmentsAfterFailures() throws {
    var files = PushFiles(try #require(PushAddress("https://origin.example/live/index.m3u8")))
    func names(_ update: SegmentStore.Update, isAfterFailure: Bool = false) -> [Substring] {
      files.requests(for: update, without: [], isAfterFailure: isAfterFailure).compactMap { $0.url.split(separator: "/").last }
    }
    #expect(names(update("x-init0.mp4", "x-1.m4s")) == ["x-init0.mp4", "x-1.m4s", "media.m3u8"])
    #expect(names(update("x-2.m4s")) == ["x-2.m4s", "media.m3u8"])
    #expect(names(update("x-3.m4s"), isAfterFailure: true) == ["x-init0.mp4", "x-3.m4s", "media.m3u8"])
    #expect(names(update("y-init1.mp4", "y-4.m4s")) == ["y-init1.mp4", "y-4.m4s", "media.m3u8"])
    #expect(
      names(update("y-init1.mp4", "y-5.m4s"), isAfterFailure: true) == ["x-init0.mp4", "y-init1.mp4", "y-5.m4s", "media.m3u8"])
    #expect(names(update("y-6.m4s", removable: ["x-init0.mp4"]), isAfterFailure: true) == ["y-init1.mp4", "y-6.m4s", "media.m3u8"])
    #expect(names(update("y-7.m4s")) == ["y-7.m4s", "media.m3u8"])
  }
}

@Suite struct PushedPlaylistTests {
  @Test func gapsAndWhatAServerWouldDo() {
    let playlist = """
      #EXTM3U
      #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=12,PART-HOLD-BACK=1.5
      #EXTINF:2,
      x-1.m4s
      #EXT-X-PART:DURATION=0.5,URI="x-2.0.m4s",INDEPENDENT=YES
      #EXTINF:2,
      x-2.m4s
      #EXT-X-PRELOAD-HINT:TYPE=PART,URI="x-3.0.m4s"
      #EXT-X-RENDITION-REPORT:URI="audio1.m3u8",LAST-MSN=2

      """
    let expected = """
      #EXTM3U
      #EXT-X-SERVER-CONTROL:PART-HOLD-BACK=1.5
      #EXTINF:2,
      x-1.m4s
      #EXT-X-PART:DURATION=0.5,URI="x-2.0.m4s",INDEPENDENT=YES,GAP=YES
      #EXTINF:2,
      #EXT-X-GAP
      x-2.m4s

      """
    let pushed = PushedPlaylist.bytes(of: Array(playlist.utf8), without: ["x-2.m4s", "x-2.0.m4s"])
    #expect(String(decoding: pushed, as: UTF8.self) == expected)
  }
}

import Basics
import EventReading
import Files
import Foundation
import GameEvents
import HLSPlaylist
import HLSReading
import StreamInput
import TestSupport
import Testing

/// Whatever a user names is read: files and playlists in folders.
@Suite struct StreamInputTests {
  /// A folder with a stamped stream, and playlists that name parts of it.
  private final class Folder {
    // A class: the folder is removed when nobody uses it any more.
    let url = FileManager.default.temporaryDirectory.appending(path: "cuelight-input-\(UUID().uuidString)")
    let stream: [UInt8]

    init() throws {
      stream = try stamp(SampleStream().bytes, with: SampleGame.plan()).bytes
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      try write(stream, to: "show.ts")
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func write(_ bytes: some Sequence<UInt8>, to name: String) throws { try Data(bytes).write(to: url.appending(path: name)) }

    /// A playlist of the stream in four parts.
    func playlist(_ uri: String = "show.ts") -> String {
      let size = stream.count / 188 / 4 * 188
      let parts = (0..<4).map { part in
        "#EXTINF:0.61,\n#EXT-X-BYTERANGE:\(part == 3 ? stream.count - 3 * size : size)@\(part * size)\n\(uri)\n"
      }
      return "#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:1\n\(parts.joined())#EXT-X-ENDLIST\n"
    }
  }

  private let folder: Folder

  init() throws { folder = try Folder() }

  private func items(_ name: String) throws(StreamInputError) -> (items: [HLSItem], progress: StreamInput.Progress) {
    var items: [HLSItem] = []
    let progress = try StreamInput(folder.path(name)).read { item, _ in
      items.append(item)
      return true
    }
    return (items, progress)
  }

  @Test func aStreamIsReadAsItsReaderReadsIt() throws {
    let found = try items("show.ts")
    let expected = try read(folder.stream).map { HLSItem.item($0, in: nil) }
    #expect(found.items == expected)
    #expect(found.progress.start == .zero && found.progress.end == MediaTime(ticks: 61 * 3_600))
    #expect(found.progress.container == .transportStream && found.progress.choices == [] && found.progress.losses == 0)
  }

  /// Parts of one file are one stream, with the same places. The playlist is known by its beginning, not its name.
  @Test(arguments: ["list.m3u8", "list.txt"]) func partsOfAFileAreReadAsTheWhole(name: String) throws {
    try folder.write(folder.playlist().utf8, to: name)
    let expected = try read(folder.stream)
    let found = try items(name).items.map { item -> StreamItem? in
      guard case .item(let item, in: .some) = item else { return nil }
      return item
    }
    #expect(found == expected)
  }

  /// All bytes pass through what looks at them, in order.
  @Test func everyPortionIsSeen() throws {
    try folder.write(folder.playlist().utf8, to: "list.m3u8")
    for name in ["show.ts", "list.m3u8"] {
      var stream: [UInt8] = []
      var starts: [UInt64] = []
      let looking: StreamInput.Change = { portion in
        if case .begin(let part) = portion { starts.append(part.start) }
        if case .bytes(let bytes) = portion { stream += bytes }
        return [portion]
      }
      var items: [HLSItem] = []
      _ = try StreamInput(folder.path(name)).read(through: looking) { item, _ in
        items.append(item)
        return true
      }
      #expect(stream == folder.stream)
      #expect(starts == (name == "show.ts" ? [] : (0..<4).map { UInt64(folder.stream.count / 188 / 4 * 188 * $0) }))
      #expect(try items == self.items(name).items)
    }
  }

  /// What is changed on the way is read as it was changed.
  @Test func whatIsChangedIsRead() throws {
    try folder.write(folder.playlist().utf8, to: "list.m3u8")
    for name in ["show.ts", "list.m3u8"] {
      var held = HeldBytes()
      let holding: StreamInput.Change = { held.change($0) }
      var items: [HLSItem] = []
      _ = try StreamInput(folder.path(name)).read(through: holding) { item, _ in
        items.append(item)
        return true
      }
      #expect(try items == self.items(name).items)
    }
  }

  /// A copy of a live playlist has no end, and nobody adds to it: it is read once, from its start.
  @Test(arguments: [1, 4, 100_000, -100_000]) func aSavedLivePlaylistEnds(age: Double) throws {
    let (whole, playlist) = (try read(folder.stream).map { Optional($0) }, folder.playlist())
    try folder.write("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlive.m3u8\n".utf8, to: "top.m3u8")
    for name in ["live.m3u8", "top.m3u8"] {
      try folder.write(playlist.utf8.dropLast("#EXT-X-ENDLIST\n".utf8.count), to: "live.m3u8")
      let path = folder.path("live.m3u8")
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: path)
      var (items, notices): ([StreamItem?], [HLSNotice]) = ([], [])
      // Whoever still writes has one that grows: reading stops here, and would go on. The target duration is one second.
      let isGrowing = age.magnitude < 3
      _ = try StreamInput(folder.path(name)).read { item, _ in
        switch item {
        case .item(let item, _): items.append(item)
        case .notice(let notice): notices.append(notice)
        }
        return !isGrowing || items.count < 3
      }
      #expect(items == (isGrowing ? Array(whole.prefix(3)) : whole))
      #expect(notices == (isGrowing ? [] : [.playlistUnended(uri: "live.m3u8")]))
    }
  }

  @Test func aMultivariantPlaylistOffersItsChoices() throws {
    try folder.write(folder.playlist().utf8, to: "media.m3u8")
    try folder.write("\u{FEFF}#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nmedia.m3u8\n".utf8, to: "top.m3u8")
    let choice = HLSChoice(uri: "media.m3u8", names: ["media.m3u8"])
    #expect(try StreamInput(folder.path("top.m3u8")).choices() == [choice])
    #expect(try StreamInput(folder.path("media.m3u8")).choices() == [])
    #expect(try StreamInput(folder.path("show.ts")).choices() == [])
    let found = try items("top.m3u8")
    let count = try read(folder.stream).count
    #expect(found.progress.choice == choice && found.items.count == count)
  }

  @Test func readingEndsWhenTheCallerHasEnough() throws {
    try folder.write(folder.playlist().utf8, to: "list.m3u8")
    for name in ["show.ts", "list.m3u8"] {
      var count = 0
      _ = try StreamInput(folder.path(name)).read { _, _ in
        count += 1
        return count < 3
      }
      #expect(count == 3)
    }
  }

  @Test func whatLiesElsewhereIsALoss() throws {
    try folder.write(folder.playlist("../show.ts").utf8, to: "list.m3u8")
    let found = try items("list.m3u8")
    let notices = (0..<4).map { number in
      HLSItem.notice(
        .segmentLost(HLSSource(uri: "../show.ts", mediaSequence: number), reason: "it is not in the playlist's folder", read: 0))
    }
    #expect(found.items == notices && found.progress.losses == 4)
  }

  @Test func errorsNameWhatIsWrong() throws {
    #expect(throws: StreamInputError.file(.missing(path: folder.path("none.ts")))) { try items("none.ts") }
    #expect(StreamInputError.file(.missing(path: "")).isMissing && !StreamInputError.file(.folder(path: "")).isMissing)
    #expect(StreamInputError.presentation(.playlistNotLoaded(uri: "", HLSLoadFailure(.missing, "gone"))).isMissing)
    #expect(!StreamInputError.presentation(.playlistNotLoaded(uri: "", HLSLoadFailure(.refused, "no such file"))).isMissing)
    try folder.write([], to: "empty.ts")
    #expect(throws: StreamInputError.stream(.empty)) { try items("empty.ts") }
    try folder.write("#EXTM3U\n#EXT-X-TARGETDURATION:x\n".utf8, to: "bad.m3u8")
    #expect {
      try items("bad.m3u8")
    } throws: { error in
      guard case .presentation(.playlist("bad.m3u8", let cause)) = error as? StreamInputError else { return false }
      return cause.line == 2
    }
    var interrupted = StreamInput(folder.path("show.ts"))
    interrupted.isInterrupted = { true }
    #expect(throws: StreamInputError.interrupted) { _ = try interrupted.read { _, _ in true } }
  }
}

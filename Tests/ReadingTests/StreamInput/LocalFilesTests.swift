import Foundation
import StreamInput
import TestSupport
import Testing

/// The files that reading an input takes.
@Suite struct LocalFilesTests {
  private let folder = Workshop.path("files-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  private func write(_ text: String, to name: String) throws { try Workshop.write(Array(text.utf8), to: "\(folder)/\(name)") }

  @Test(arguments: [("-", ["-"]), ("https://example.com/a.m3u8", []), ("/missing.ts", ["/missing.ts"]), ("/dev/null", ["/dev/null"])])
  func whatIsNoPresentationIsItsOnlyFile(name: String, files: [String]) { #expect(StreamInput(name).files == files) }

  @Test func whatIsNoPlaylistIsOneFile() throws {
    try write("no playlist", to: "text")
    try write("#EXTM3U\n#EXT-X-TARGETDURATION:x\n#EXTINF:1,\na.ts\n", to: "broken")
    for name in ["text", "broken"] { #expect(StreamInput("\(folder)/\(name)").files == ["\(folder)/\(name)"]) }
  }

  /// Playlists, segments, keys and initialization segments, with variables put in; what lies elsewhere is never read.
  @Test func allThatPlaylistsName() throws {
    try write(
      """
      #EXTM3U
      #EXT-X-VERSION:8
      #EXT-X-DEFINE:NAME="part",VALUE="first"
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",URI="audio.m3u8"
      #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
      low%20rate/media.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO="a"
      https://example.com/high.m3u8
      """, to: "index.m3u8")
    try FileManager.default.createDirectory(atPath: folder + "/low rate", withIntermediateDirectories: true)
    try write(
      """
      #EXTM3U
      #EXT-X-VERSION:8
      #EXT-X-TARGETDURATION:1
      #EXT-X-DEFINE:IMPORT="part"
      #EXT-X-KEY:METHOD=AES-128,URI="../key"
      #EXT-X-MAP:URI="init.mp4"
      #EXTINF:1,
      {$part}.m4s
      #EXTINF:1,
      ../../outside.m4s
      #EXT-X-ENDLIST
      """, to: "low rate/media.m3u8")
    let names = ["index.m3u8", "audio.m3u8", "low rate/media.m3u8", "key", "low rate/init.mp4", "low rate/first.m4s"]
    #expect(StreamInput("\(folder)/index.m3u8").files.sorted() == names.map { "\(folder)/\($0)" }.sorted())
  }
}

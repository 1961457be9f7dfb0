import TestSupport
import Testing

@testable import Files

#if os(Linux)
  /// A file that changes while it is watched.
  @Suite struct FileWatchTests {
    /// Writing to the file and putting another one in its place are noticed; other files are not.
    @Test func changes() throws {
      let folder = try Workshop.newFolder()
      try Workshop.write([1], to: "\(folder)/a")
      let watch = try #require(FileWatch(path: "\(folder)/a"))
      try Workshop.write([2], to: "\(folder)/b")
      try Workshop.write([3], to: "\(folder)/a")
      #expect(watch.wait())
      var sink = try FileSink(path: "\(folder)/a", overwrite: true)
      sink.write([4].span)
      try sink.commit()
      #expect(watch.wait())
      #expect(FileWatch(path: "\(folder)/missing/a") == nil)
    }

    /// What inotify gives, whole and cut anywhere.
    @Test func names() {
      func event(_ name: String) -> [UInt8] {
        let text = Array(name.utf8) + [UInt8](repeating: 0, count: 16 - name.utf8.count)
        return [1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0] + text
      }
      let bytes = event("a.yaml") + event("b")
      #expect(FileWatch.names(in: bytes[...]) == ["a.yaml", "b"])
      for length in 0..<bytes.count { #expect(FileWatch.names(in: bytes.prefix(length)) == (length < 32 ? [] : ["a.yaml"])) }
      #expect(FileWatch.names(in: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]) == [])
    }
  }
#endif

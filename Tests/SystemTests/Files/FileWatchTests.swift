import Foundation
import LibC
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

    private static let (closedAfterWriting, movedHere, made, overflow): (UInt32, UInt32, UInt32, UInt32) = (0x8, 0x80, 0x100, 0x4000)

    private func event(_ mask: UInt32, _ name: String) -> [FileWatch.Event] { [FileWatch.Event(watch: 1, mask: mask, name: name)] }

    /// A folder as Kubernetes makes it: the file is a link, through another link that leads to the folder with the files.
    private func mountedFolder() throws -> String {
      let folder = try Workshop.newFolder()
      for (number, name) in ["one", "two"].enumerated() {
        try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: false)
        try Workshop.write([UInt8(number)], to: "\(folder)/\(name)/a")
      }
      try FileManager.default.createSymbolicLink(atPath: "\(folder)/..data", withDestinationPath: "one")
      try FileManager.default.createSymbolicLink(atPath: "\(folder)/a", withDestinationPath: "..data/a")
      return folder
    }

    private func swap(_ folder: String, to target: String) throws {
      try FileManager.default.createSymbolicLink(atPath: "\(folder)/..next", withDestinationPath: target)
      // Unsafe: the strings are lent for the length of the call.
      let code = unsafe rename("\(folder)/..next", "\(folder)/..data")
      #expect(code == 0)
    }

    /// A link on the way to the file leads elsewhere, and back.
    @Test func links() throws {
      let folder = try mountedFolder()
      let watch = try #require(FileWatch(path: "\(folder)/a"))
      for target in ["two", "one"] {
        try swap(folder, to: target)
        #expect(watch.wait())
      }
    }

    /// Other files in the folder are not reported, neither beside a file nor beside a link.
    @Test func others() throws {
      let folder = try mountedFolder()
      try Workshop.write([1], to: "\(folder)/plain")
      for name in ["a", "plain"] {
        let watch = try #require(FileWatch(path: "\(folder)/\(name)"))
        try Workshop.write([2, 3], to: "\(folder)/b")
        for mask in [Self.closedAfterWriting, Self.movedHere, Self.made] { #expect(!watch.hasChanged(after: event(mask, "b"))) }
        // A file that is only begun is not read yet. What was dropped may have been anything.
        #expect(!watch.hasChanged(after: event(Self.made, name)) && !watch.hasChanged(after: event(Self.overflow, "")))
        #expect(watch.hasChanged(after: event(Self.closedAfterWriting, name)))
        try Workshop.write([4, 5, 6], to: "\(folder)/\(name)")
        #expect(watch.hasChanged(after: event(Self.overflow, "")) && !watch.hasChanged(after: event(Self.overflow, "")))
      }
    }

    /// Another folder takes the place of the one with the file, by a new name or after it was removed.
    @Test func otherFolder() throws {
      let folder = try Workshop.newFolder() + "/folder"
      func make(_ bytes: [UInt8]) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try Workshop.write(bytes, to: "\(folder)/a")
      }
      try make([1])
      let watch = try #require(FileWatch(path: "\(folder)/a"))
      try FileManager.default.moveItem(atPath: folder, toPath: "\(folder).old")
      try make([1, 2])
      #expect(watch.wait())
      try FileManager.default.removeItem(atPath: folder)
      try make([1, 2, 3])
      #expect(watch.wait())
      try Workshop.write([4], to: "\(folder)/a")
      #expect(watch.wait())
    }

    /// What inotify gives, whole and cut anywhere.
    @Test func events() {
      func event(_ name: String) -> [UInt8] {
        let text = Array(name.utf8) + [UInt8](repeating: 0, count: 16 - name.utf8.count)
        return [1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0] + text
      }
      let bytes = event("a.yaml") + event("b")
      let events = ["a.yaml", "b"].map { FileWatch.Event(watch: 1, mask: Self.closedAfterWriting, name: $0) }
      #expect(FileWatch.events(in: bytes[...]) == events)
      for length in 0..<bytes.count { #expect(FileWatch.events(in: bytes.prefix(length)) == (length < 32 ? [] : [events[0]])) }
      let overflow: [UInt8] = [255, 255, 255, 255, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
      #expect(FileWatch.events(in: overflow[...]) == [FileWatch.Event(watch: -1, mask: Self.overflow, name: "")])
      #expect(FileWatch.events(in: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]) == [])
    }
  }
#endif

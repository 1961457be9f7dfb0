import Foundation
import TestSupport
import Testing

@testable import Files

@Suite("Files that appear when they are complete")
struct FileSinkTests {
  /// A folder of its own, as tests look at everything that is in it.
  private let folder: String

  init() throws {
    folder = Workshop.path("sink-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func entries() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

  private func write(_ parts: [[UInt8]], to path: String, overwrite: Bool = false) throws {
    var sink = try FileSink(path: path, overwrite: overwrite)
    for part in parts { sink.write(part.span) }
    try sink.commit()
  }

  @Test(
    "What is written arrives whole",
    arguments: [
      [], [0], [1, 2], [300_000], [262_143, 1, 1], [100, 262_144, 5], [200_000, 200_000], [3_000_000], [2_097_151, 1, 1],
      .init(repeating: 100_001, count: 80), .init(repeating: 262_144, count: 20), [7, 5_000_000, 1, 1_000_000],
    ])
  func whole(sizes: [Int]) throws {
    let parts = sizes.enumerated().map { number, size in (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) } }
    try write(parts, to: folder + "/out.ts")
    #expect(try Workshop.bytes(folder + "/out.ts") == parts.flatMap { $0 })
    #expect(try entries() == ["out.ts"])
  }

  @Test("The file has no name before it is complete, and nothing stays without commit")
  func uncommitted() throws {
    do {
      var sink = try FileSink(path: folder + "/out.ts")
      sink.write([1, 2, 3].span)
      #expect(try entries().contains("out.ts") == false)
      #expect(try entries().count == 1)
      sink.write([UInt8](repeating: 0, count: 1_000_000).span)
    }
    #expect(try entries() == [])
  }

  @Test("A large file that is given up leaves nothing either")
  func givenUp() throws {
    do {
      var sink = try FileSink(path: folder + "/out.ts")
      for _ in 0..<50 { sink.write([UInt8](repeating: 1, count: 100_000).span) }
      #expect(try entries().count == 1)
    }
    #expect(try entries() == [])
  }

  @Test("A new file's permissions are those of the process")
  func permissions() throws {
    #expect(FileManager.default.createFile(atPath: folder + "/model", contents: nil))
    try write([[1]], to: folder + "/out.ts")
    let modes = try ["/model", "/out.ts"].map { try FileManager.default.attributesOfItem(atPath: folder + $0)[.posixPermissions] as? Int }
    #expect(modes[0] == modes[1])
  }

  @Test("What replaces a file has its permissions")
  func keptPermissions() throws {
    let path = folder + "/out.ts"
    try write([[1]], to: path)
    for mode in [0o600, 0o664, 0o755] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      try write([[2]], to: path, overwrite: true)
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
    }
  }

  @Test("A link that leads nowhere has the name, and is replaced only where that is asked for")
  func brokenLink() throws {
    let path = folder + "/out.ts"
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "missing")
    #expect(throws: FileSinkError(.create, path: path, code: EEXIST)) { try write([[1]], to: path) }
    try write([[2]], to: path, overwrite: true)
    #expect(try entries() == ["out.ts"] && Workshop.bytes(path) == [2])
  }

  @Test("Whether there is a place is known without opening a pipe, whose other end would notice")
  func place() throws {
    let pipe = folder + "/pipe"
    // The path lives as long as the call.
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    try FileSink.requirePlace(for: pipe, overwrite: false)
    try FileSink.requirePlace(for: folder + "/new", overwrite: false)
    #expect(throws: FileSinkError(.create, path: folder, code: EISDIR)) { try FileSink.requirePlace(for: folder, overwrite: true) }
    #expect(try entries() == ["pipe"])
  }

  @Test("A file that is there stays, unless overwriting is asked for")
  func existing() throws {
    let path = folder + "/out.ts"
    try write([[1]], to: path)
    #expect(throws: FileSinkError(.create, path: path, code: EEXIST)) { try write([[2]], to: path) }
    #expect(try Workshop.bytes(path) == [1])
    try write([[2]], to: path, overwrite: true)
    #expect(try Workshop.bytes(path) == [2])
    #expect(try entries() == ["out.ts"])
  }

  @Test("A file that appears meanwhile is not replaced")
  func appeared() throws {
    let path = folder + "/out.ts"
    var sink = try FileSink(path: path)
    sink.write([2].span)
    try Data([1]).write(to: URL(filePath: path))
    do {
      try sink.commit()
      Issue.record("the file was replaced")
    } catch {
      #expect(error == FileSinkError(.commit, path: path, code: EEXIST))
    }
    #expect(try Workshop.bytes(path) == [1])
    #expect(try entries() == ["out.ts"])
  }

  @Test("Overwriting goes through a symbolic link")
  func link() throws {
    try write([[1]], to: folder + "/real.ts")
    try FileManager.default.createSymbolicLink(atPath: folder + "/link.ts", withDestinationPath: "real.ts")
    try write([[2]], to: folder + "/link.ts", overwrite: true)
    #expect(try Workshop.bytes(folder + "/real.ts") == [2])
    #expect(try entries() == ["link.ts", "real.ts"])
  }

  @Test(
    "Where no file can be made it says why",
    arguments: [
      ("/missing/out.ts", ENOENT, .folderMissing), ("", EISDIR, .isDirectory), ("/file/out.ts", ENOTDIR, .folderMissing),
      ("/" + String(repeating: "x", count: 300), ENAMETOOLONG, .other),
    ] as [(String, Int32, FileSinkError.Reason)])
  func impossible(name: String, code: Int32, reason: FileSinkError.Reason) throws {
    try write([[1]], to: folder + "/file")
    let error = #expect(throws: FileSinkError.self) { try write([[1]], to: folder + name, overwrite: true) }
    #expect(error == FileSinkError(.create, path: folder + name, code: code))
    #expect(error?.reason == reason)
  }

  @Test("Errors are one line that says what, where and why")
  func description() {
    let error = FileSinkError(.create, path: "out.ts", code: EEXIST)
    #expect(error.description == "out.ts: cannot be created: File exists")
    #expect(error.reason == .exists)
    #expect(FileSinkError(.create, path: "", code: EACCES).reason == .denied)
  }

  @Test("A device is written to directly, and a full one is an error", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func devices() throws {
    try write([[1], [UInt8](repeating: 0, count: 300_000)], to: "/dev/null")
    let error = #expect(throws: FileSinkError.self) { try write([[1, 2, 3]], to: "/dev/full") }
    #expect(error == FileSinkError(.write, path: "/dev/full", code: ENOSPC))
    #expect(error?.reason == .full)
  }
}

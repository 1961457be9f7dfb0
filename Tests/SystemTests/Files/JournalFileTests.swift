import Foundation
import TestSupport
import Testing

@testable import Files

/// A file whose bytes are on the disk when they were added.
@Suite struct JournalFileTests {
  private let path: String

  init() throws { path = try Workshop.newFolder() + "/journal" }

  private static func bytes(_ count: Int, _ first: UInt8 = 1) -> [UInt8] {
    (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0 % 100) }
  }

  /// What is in a journal, without the room behind it.
  private func contents() throws -> [UInt8] {
    let bytes = try Workshop.bytes(path)
    return Array(bytes[..<((bytes.lastIndex { $0 != 0 } ?? -1) + 1)])
  }

  @Test func anEmptyOne() throws {
    let file = try JournalFile(path: path)
    #expect(file.contents == [] && file.room == 0 && file.path == path)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test(arguments: [1, 188, JournalFile.blockSize - 1, JournalFile.blockSize, 3 * JournalFile.blockSize]) func whatIsAdded(count: Int)
    throws
  {
    let parts = [Self.bytes(count), Self.bytes(7, 3), Self.bytes(count, 5)]
    do {
      var file = try JournalFile(path: path)
      try file.start(at: 0)
      for part in parts { try file.append(part.span) }
      #expect(try contents() == parts.flatMap { $0 })
    }
    // Another process finds it, with the room behind it, and goes on.
    var again = try JournalFile(path: path)
    let count = parts.flatMap { $0 }.count
    #expect(Array(again.contents[..<count]) == parts.flatMap { $0 } && again.contents[count...].allSatisfy { $0 == 0 })
    let size = again.contents.count
    try again.start(at: count)
    #expect(again.contents == [] && again.room == size - count)
    try again.append(Self.bytes(9, 9).span)
    #expect(try contents() == parts.flatMap { $0 } + Self.bytes(9, 9))
  }

  /// What a process left unfinished is given up, and nothing of it is behind what comes next.
  @Test(arguments: [0, 1, 99, 100]) func aTornEnd(kept: Int) throws {
    do {
      var file = try JournalFile(path: path)
      try file.append(Self.bytes(100).span)
    }
    do {
      var file = try JournalFile(path: path)
      try file.start(at: kept)
      try file.append(Self.bytes(3, 50).span)
    }
    #expect(try contents() == Self.bytes(100)[..<kept] + Self.bytes(3, 50))
  }

  @Test func onlyOneProcess() throws {
    do {
      var file = try JournalFile(path: path)
      try file.append(Self.bytes(5).span)
      let error = #expect(throws: FileSinkError.self) { _ = try JournalFile(path: path) }
      #expect(error.map { "\($0)" } == "\(path): in use by another cuelight live (process \(getpid()))")
      try file.append(Self.bytes(5).span)
    }
    #expect(try JournalFile(path: path).contents.prefix(10) == (Self.bytes(5) + Self.bytes(5))[...])
  }

  /// Room is made before there is less than half a block.
  @Test func room() throws {
    var file = try JournalFile(path: path)
    try file.makeRoom()
    #expect(file.room == JournalFile.blockSize)
    try file.append(Self.bytes(1_000).span)
    #expect(file.room == JournalFile.blockSize - 1_000)
    try file.makeRoom()
    #expect(file.room == JournalFile.blockSize - 1_000)
    try file.append(Self.bytes(JournalFile.blockSize / 2).span)
    #expect(file.room >= JournalFile.blockSize / 2 - 1_000)
    try file.makeRoom()
    #expect(file.room == JournalFile.blockSize)
    try file.makeRoom(for: JournalFile.blockSize)
    #expect(file.room == 2 * JournalFile.blockSize)
  }

  @Test func placesWhereNoneCanBe() throws {
    let missing = try Workshop.newFolder() + "/missing/journal"
    #expect(throws: FileSinkError(.create, path: missing, code: ENOENT)) { _ = try JournalFile(path: missing) }
    let folder = try Workshop.newFolder()
    #expect(throws: FileSinkError(.create, path: folder, code: EISDIR)) { _ = try JournalFile(path: folder) }
    #expect(throws: FileSinkError(.create, path: "/dev/null", code: EINVAL)) { _ = try JournalFile(path: "/dev/null") }
  }
}

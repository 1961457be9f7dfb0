import Foundation
import TestSupport
import Testing

@testable import Files

/// A file that others read while it grows.
@Suite struct GrowingFileTests {
  private let path: String

  init() throws { path = try Workshop.newFolder() + "/out.ts" }

  @Test func whatIsWrittenIsThereAtOnce() throws {
    var file = try GrowingFile(path: path, overwrite: false)
    #expect(try Workshop.bytes(path) == [])
    var written: [UInt8] = []
    for count in [1, 0, 188, 100_000] {
      let part = [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count)
      try file.write(part.span)
      written += part
      #expect(try Workshop.bytes(path) == written)
    }
    #expect(file.path == path)
  }

  @Test func whatIsThereStays() throws {
    try Workshop.write([1, 2, 3], to: path)
    #expect(throws: FileSinkError(.create, path: path, code: EEXIST)) { _ = try GrowingFile(path: path, overwrite: false) }
    #expect(try Workshop.bytes(path) == [1, 2, 3])
    var file = try GrowingFile(path: path, overwrite: true)
    try file.write([9].span)
    #expect(try Workshop.bytes(path) == [9])
  }

  @Test func failures() throws {
    let missing = try Workshop.newFolder() + "/missing/out.ts"
    #expect(throws: FileSinkError(.create, path: missing, code: ENOENT)) { _ = try GrowingFile(path: missing, overwrite: true) }
    var full = try GrowingFile(path: "/dev/full", overwrite: true)
    #expect(throws: FileSinkError(.write, path: "/dev/full", code: ENOSPC)) { try full.write([1].span) }
    #expect(try GrowingFile(path: "-", overwrite: false).path == "standard output")
  }
}

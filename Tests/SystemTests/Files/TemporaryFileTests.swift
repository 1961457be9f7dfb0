import Foundation
import TestSupport
import Testing

@testable import Files

/// What killed processes leave is removed by the next one, and nothing else.
@Suite struct TemporaryFileTests {
  private let folder: String

  init() throws {
    folder = Workshop.path("temporary-\(UUID().uuidString)/")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } }

  private func name(_ file: TemporaryFile) -> String { PathParts(file.path).name }

  private func make() throws -> TemporaryFile { try TemporaryFile.makeFile(in: folder, permissions: nil).get() }

  @Test func filesWithoutAnOwnerAreRemoved() throws {
    let first = try make()
    let second = try make()
    #expect(try names == [name(first), name(second)].sorted())
    // A process that is killed closes its files.
    close(first.descriptor)
    let third = try make()
    #expect(try names == [name(second), name(third)].sorted())
    close(second.descriptor)
    close(third.descriptor)
  }

  @Test func foldersWithoutAnOwnerAreRemovedWithTheirFiles() throws {
    let staging = try TemporaryFile.makeFolder(in: folder).get()
    for name in ["a.ts", "b.ts"] { try Data([1]).write(to: URL(filePath: staging.path + "/" + name)) }
    let kept = try TemporaryFile.makeFolder(in: folder).get()
    try Data([1]).write(to: URL(filePath: kept.path + "/c.ts"))
    close(staging.descriptor)
    let file = try make()
    #expect(try names == [name(kept), name(file)].sorted())
    #expect(try FileManager.default.contentsOfDirectory(atPath: kept.path) == ["c.ts"])
    close(kept.descriptor)
    close(file.descriptor)
  }

  /// Names of other machines, whose locks may not reach this one, and names that this program does not give.
  @Test func whatOthersMadeStays() throws {
    let file = try make()
    let parts = name(file).split(separator: "-")
    close(file.descriptor)
    let others = [
      ".cuelight-0000000-\(parts[2])-\(parts[3])", ".cuelight-\(parts[1])-x-\(parts[3])", ".cuelight-\(parts[1])-\(parts[2])-",
      ".cuelight-\(parts[1])-\(parts[2])-\(parts[3])-1", ".cuelight-\(parts[1])-\(parts[2])-\(parts[3]).ts", ".cuelight-notes",
      ".cuelight-",
    ]
    for name in others { try Data([1]).write(to: URL(filePath: folder + name)) }
    let link = ".cuelight-\(parts[1])-\(parts[2])-link"
    try FileManager.default.createSymbolicLink(atPath: folder + link, withDestinationPath: others[0])
    let next = try make()
    #expect(try names == (others + [link, name(next)]).sorted())
    close(next.descriptor)
  }

  /// A folder in which somebody has put a folder is not ours alone.
  @Test func foldersWithinStay() throws {
    let staging = try TemporaryFile.makeFolder(in: folder).get()
    try FileManager.default.createDirectory(atPath: staging.path + "/deep", withIntermediateDirectories: false)
    close(staging.descriptor)
    let file = try make()
    #expect(try FileManager.default.contentsOfDirectory(atPath: staging.path) == ["deep"])
    close(file.descriptor)
  }

  @Test func whatCannotBeMadeHasTheSystemsReason() {
    let missing = TemporaryFile.makeFile(in: folder + "missing/", permissions: nil)
    #expect(throws: SystemFailure(code: ENOENT)) { _ = try missing.get() }
  }
}

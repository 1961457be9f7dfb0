import ArgumentParser
import Files
import Foundation
import HTTPClient
import Sheets
import Testing

@testable import CommandSupport

/// Why commands end, and with which status.
@Suite struct CommandFailureTests {
  private func check(_ failure: CommandFailure, _ status: Int32, _ message: String?) {
    #expect(failure.status == status && failure.message == message, "\(failure)")
  }

  @Test func files() {
    for (error, status) in [
      (FileInputError.missing(path: "a"), 66 as Int32), (.unreadableName(path: "a"), 66), (.folder(path: "a"), 65),
      (.special(path: "a"), 65),
      (.system(path: "a", code: EIO), 74),
    ] { check(CommandFailure(error), status, "\(error)") }
    check(CommandFailure(FileInputError.interrupted), 130, "interrupted")
  }

  @Test func networks() {
    for (reason, status) in [
      (NetworkInputError.Reason.notFound(status: 404), 66 as Int32), (.refused(status: 403), 74), (.server(status: 500), 74),
      (.connection("refused"), 74), (.libraryMissing("libcurl"), 69),
    ] {
      let error = NetworkInputError(url: "http://a", reason: reason)
      check(CommandFailure(error), status, "\(error)")
    }
    check(CommandFailure(NetworkInputError(url: "http://a", reason: .interrupted)), 130, "interrupted")
  }

  /// A line for each mistake, and no more than anybody reads.
  @Test func sheets() {
    let place = SheetPlace(line: 2, column: 3)
    check(CommandFailure([SheetProblem(at: place, "bad"), SheetProblem(at: place, "worse")], cues: "s"), 65, "s:2:3: bad\ns:2:3: worse")
    check(CommandFailure([SheetProblem(at: place, "bad")], cues: "s", programme: "p"), 65, "s:2:3: bad (p)")
    let many = CommandFailure((0..<150).map { SheetProblem(at: place, "\($0)") }, cues: "s")
    let lines = many.message?.split(separator: "\n") ?? []
    #expect(lines.count == 101 && lines.last == "s: 50 more mistakes")
  }

  @Test func words() {
    #expect(["a-b_c./,+@%9", "", "it's", "a b", "é"].map(\.shellWord) == ["a-b_c./,+@%9", "''", "'it'\\''s'", "'a b'", "'é'"])
  }
}

/// Small files, some of them secret.
@Suite struct SmallFileTests {
  private let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("cuelight-tests-\(UUID().uuidString)").path
    try Data("secret".utf8).write(to: URL(filePath: path))
  }

  private func allow(_ permissions: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
  }

  @Test func secrets() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = SmallFile(path: path)
    try allow(0o600)
    #expect(try file.secret(limit: 6, ("this token", "it")) == Array("secret".utf8))
    try allow(0o604)
    #expect(try file.contents(limit: 6).isReadableByOthers && file.bytes() == Array("secret".utf8))
    let open = #expect(throws: CommandFailure.self) { try file.secret(limit: 6, ("these tokens", "them")) }
    #expect(open?.message == "\(path): others may read these tokens; keep them to yourself with chmod 600" && open?.status == 65)
    let large = #expect(throws: CommandFailure.self) { try file.bytes(limit: 5) }
    #expect(large?.status == 74)
  }
}

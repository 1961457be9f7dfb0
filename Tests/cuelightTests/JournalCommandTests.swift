import Basics
import Foundation
import LiveGame
import TestSupport
import Testing

@testable import cuelight

/// `cuelight journal`, and how `post` waits for an input.
@Suite struct JournalCommandTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func journal(_ arguments: String...) throws -> Command.Outcome {
    try Command.run(Command.executable, ["journal"] + arguments, in: scratch.folder)
  }

  private static let records: [JournalRecord] = [
    .started(game: "friday", sealKey: "00"), .reserved(sequence: 7), .led(term: 1, isAlone: true),
  ]

  @Test func checkAndRepair() throws {
    var bytes = JournalText.bytes(Self.records, room: 100)
    let path = scratch.folder.appendingPathComponent("j").path
    try Workshop.write(bytes, to: path)
    let whole = try journal("check", "j")
    #expect(whole.status == 0 && whole.output == "j: the game \"friday\", records: 3, highest number: 7\n")
    let end = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
    bytes[end + 3] ^= 1
    try Workshop.write(bytes, to: path)
    let problem = "j: line 2, at byte \(end + 1): this is no line of a journal, or it was changed"
    let damaged = try journal("check", "j")
    #expect(damaged.status == 1 && damaged.output == problem + "\n")
    let refused = try journal("repair", "j", "-o", "k")
    #expect(refused.status == 65 && refused.errors.contains("--last-number"))
    let repaired = try journal("repair", "j", "-o", "k", "--last-number", "9")
    #expect(repaired.status == 0 && repaired.errors == problem + "\nk: written without what was wrong\n")
    let again = try journal("check", "k")
    #expect(again.output == "k: the game \"friday\", records: 3, highest number: 9\n")
    let mode = try FileManager.default.attributesOfItem(atPath: scratch.folder.appendingPathComponent("k").path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func noJournal() throws {
    try Workshop.write([], to: scratch.folder.appendingPathComponent("empty").path)
    #expect(try journal("check", "empty").status == 65)
    #expect(try journal("check", "missing").status == 66)
    try Workshop.write(Array("hello\n".utf8), to: scratch.folder.appendingPathComponent("other").path)
    #expect(try journal("repair", "other", "-o", "k", "--last-number", "1").status == 65)
  }

  /// Nothing comes from the input: that is said at once, and after a minute it is enough; an input that comes back gives a minute more.
  @Test func patience() {
    var patience = InputPatience()
    let steps = [false, false, false, true, false, false, false].map { patience.step(isInputUp: $0) }
    #expect(steps == [.tell, .wait, .end, .wait, .tell, .wait, .end])
  }
}

import Files
import LiveGame
import LiveHLS
import Synchronization
import TestSupport
import Testing

@testable import LiveSession

/// Sessions that begin with the command of an earlier one.
@Suite struct ContinuedOutputTests {
  @Test(
    arguments: [
      (["show.ts"], "show.2.ts"), (["show.ts", "show.2.ts", "show.3.ts"], "show.4.ts"), (["a/b.TS"], "a/b.2.TS"), ([], nil),
      (["show.2.ts"], nil),
    ] as [([String], String?)]) func recordings(known: [String], name: String?)
  {
    let path = known.first.map { $0 == "show.2.ts" ? "show.ts" : $0 } ?? "show.ts"
    #expect(LiveOutputAddress.recording(path).continued { known.contains($0) } == .recording(name ?? path))
    for other in [LiveOutputAddress.standardOutput, .presentation("x/index.m3u8"), .network("udp://a:1")] {
      #expect(other.continued { _ in true } == other)
    }
  }

  /// An input without a publisher.
  private static let input = "rtmp://127.0.0.1:1935/live"

  private func settings(_ folder: String, _ change: (inout LiveSettings) -> Void = { _ in }) throws -> LiveSettings {
    var settings = LiveSettings(
      input: try #require(LiveInput(Self.input)), outputs: [.recording("\(folder)/show.ts")], game: "live-2026-11-26", playlist: .event)
    settings.isGameNamed = false
    settings.journal = "\(folder)/journal"
    change(&settings)
    return settings
  }

  /// Without a name, the journal's game continues, and the recording in a further file, with --force too. Earlier recordings stay.
  @Test(arguments: [false, true]) func theSameCommand(isForced: Bool) throws {
    let folder = try Workshop.newFolder()
    try Workshop.write(
      JournalText.bytes([.started(game: "friday", sealKey: "\(String(repeating: "0", count: 64))"), .ended], room: 0),
      to: "\(folder)/journal")
    try Workshop.write([1, 2, 3], to: "\(folder)/show.ts")
    let said = Mutex<[String]>([])
    let session = try LiveSession(try settings(folder) { $0.overwrite = isForced }) { message in said.withLock { $0.append(message) } }
    #expect(session.settings.game == "friday" && session.settings.outputs == [.recording("\(folder)/show.2.ts")])
    #expect(said.withLock { $0 } == ["\(folder)/show.ts exists from an earlier session; the recording continues in \(folder)/show.2.ts"])
    #expect(try Workshop.bytes("\(folder)/show.ts") == [1, 2, 3])
    session.start()
    session.stop()
    // Another name is refused.
    #expect(throws: LiveSessionError.self) {
      try LiveSession(try settings(folder) { ($0.isGameNamed, $0.outputs) = (true, []) }) { _ in }
    }
  }

  /// Without a journal to continue, existing outputs are refused.
  @Test func aNewSession() throws {
    let folder = try Workshop.newFolder()
    try Workshop.write([1, 2, 3], to: "\(folder)/show.ts")
    for journal in [nil, "\(folder)/journal"] {
      let error = #expect(throws: LiveSessionError.self) { try LiveSession(try settings(folder) { $0.journal = journal }) { _ in } }
      guard case .output(let failure) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(failure.reason == .exists)
    }
  }

  /// Two sessions do not write to one folder, and the second one learns which process has it. The lock ends with the session.
  @Test func oneFolder() throws {
    let folder = try Workshop.newFolder() + "/www"
    let settings = LiveSettings(
      input: try #require(LiveInput(Self.input)), outputs: [.presentation("\(folder)/index.m3u8")], game: "g", playlist: .event)
    let first = try LiveSession(settings) { _ in }
    let error = #expect(throws: LiveSessionError.self) { try LiveSession(settings) { _ in } }
    guard case .output(let failure) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.operation == .lock && "\(failure)".hasPrefix("\(folder): in use by another cuelight live"))
    first.start()
    first.stop()
    _ = try LiveSession(settings) { _ in }
  }

  /// A session that is given up before it begins lets go of its outputs, its folder and its journal, and does not begin any more.
  @Test func givenUp() throws {
    let folder = try Workshop.newFolder()
    let settings = try settings(folder) {
      $0.outputs += [.presentation("\(folder)/www/index.m3u8"), .network("udp://127.0.0.1:9")]
    }
    let first = try LiveSession(settings) { _ in }
    first.abandon()
    #expect(first.situation.hasEnded && first.failure == nil && first.sinks.allSatisfy { $0.join(until: .now + .seconds(10)) })
    #expect(first.inboxes.allSatisfy { $0.begin() == nil })
    first.start()
    first.stop()
    // The other one continues the journal.
    let second = try LiveSession(settings) { _ in }
    #expect(second.isContinuation)
    second.start()
    // One that has begun ends as usual.
    second.abandon()
    #expect(second.situation.hasEnded && second.failure == nil)
    let records = try JournalText.contents(try Workshop.bytes("\(folder)/journal")).records
    #expect(records.count { $0 == .ended } == 1)
  }
}

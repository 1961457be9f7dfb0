import Basics
import CuelightKit
import EventSchedule
import Foundation
import GameEvents
import StateMachine
import TestSupport
import Testing

/// The events of files and presentations come one after the other.
@Suite struct CuelightEventsTests {
  private static let plan = SampleGame.plan("friday", .open)

  /// A folder with the sample game as a stream, and as a presentation of one segment.
  private func folder() throws -> URL {
    let folder = URL(filePath: try Workshop.newFolder())
    try Data(try stamp(SampleStream().bytes, with: Self.plan).bytes).write(to: folder.appending(path: "a.ts"))
    try playlist(of: "a.ts").write(to: folder.appending(path: "show.m3u8"))
    return folder
  }

  private func playlist(of segment: String) -> Data {
    Data("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:2.44,\n\(segment)\n#EXT-X-ENDLIST\n".utf8)
  }

  private func elements(_ events: CuelightEvents) async throws -> [CuelightEvents.Element] {
    var elements: [CuelightEvents.Element] = []
    for try await element in events { elements.append(element) }
    return elements
  }

  @Test(arguments: ["a.ts", "show.m3u8"]) func eachEventComesOnce(name: String) async throws {
    let url = try folder().appending(path: name)
    let events = try await elements(CuelightEvents(url))
    #expect(events.map { $0.event } == Self.plan.map { $0.event })
    #expect(events.allSatisfy { !$0.isRepeat && $0.time == $0.copy.programmeTime })
    let copies = try await elements(CuelightEvents(url, includesRepeats: true))
    #expect(copies.count > events.count && copies.filter { !$0.isRepeat }.map { $0.copy } == events.map { $0.copy })
  }

  @Test func aLocalPlaylistReadsNothingElsewhere() async throws {
    let folder = try folder()
    let inner = folder.appending(path: "inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
    for reference in ["../a.ts", folder.appending(path: "a.ts").absoluteString, "http://127.0.0.1:9/a.ts"] {
      let url = inner.appending(path: "show.m3u8")
      try playlist(of: reference).write(to: url)
      #expect(try await elements(CuelightEvents(url)).isEmpty, "\(reference)")
    }
  }

  @Test func whatIsNoStreamIsAnError() async throws {
    let folder = try folder()
    let url = folder.appending(path: "text")
    try Data(String(repeating: "nothing that plays\n", count: 500).utf8).write(to: url)
    await #expect(throws: CuelightEventsError.self) { try await elements(CuelightEvents(url)) }
    await #expect(throws: CuelightEventsError.self) { try await elements(CuelightEvents(folder.appending(path: "missing"))) }
  }

  @MainActor @Test func aModelPlaysThem() async throws {
    let model = GameModel()
    #expect(model.state == GameState())
    try await model.play(CuelightEvents(try folder().appending(path: "show.m3u8")))
    #expect(model.state.phase == .ended)
    #expect(model.transitions.map { $0.kind.text }.last == "gameEnded" && model.transitions.count >= 5)
  }

  @MainActor @Test func aModelShowsAPreview() {
    let state = GameState(phase: .playing, game: GameID("preview"))
    #expect(GameModel(showing: state).state == state)
  }
}

import Basics
import CueSheet
import EventSchedule
import GameEvents
import Seals
import Testing

/// Cue sheets that are written are read as what they were.
@Suite struct CueSheetTextTests {
  private func object(_ text: String) throws -> JSONObject { try #require(try JSONValue(parsing: text).object) }

  @Test func textIsReadable() throws {
    let sheet = CueSheetText(
      comments: ["Made for\na test."], game: "g: 1", title: "Émile's \"quiz\"",
      cues: [
        try object(#"{"at":1.5,"event":"startGame"}"#),
        try object(#"{"at":2,"event":"poll","on-air":{"style":{},"list":[1,"yes",null,true]},"":"a #x: y"}"#),
      ])
    #expect(
      sheet.yaml == """
        # Made for a test.

        game: "g: 1"
        title: "Émile's \\"quiz\\""

        cues:
          - at: 1.5
            event: "startGame"
          - at: 2
            event: "poll"
            "on-air": { style: {}, list: [1, "yes", null, true] }
            "": "a #x: y"

        """)
  }

  @Test func textsAreReadAsTheyWere() throws {
    let texts = [
      "yes", "#", "a: b", "- x", "'", "\"\\", "\u{1}\t\n\r", "\u{7F}\u{80}\u{85}\u{9F}", "\u{2028}\u{2029}\u{FEFF}", "\u{FFFE}x", "😀 é",
      " a ", "{x}", "[", "&a *b", "%", "@", "`", "1.10", "~",
    ]
    let keys = JSONObject(texts.enumerated().map { .init(key: "k\($0.offset)", value: .string($0.element)) })
    var cue = try object(#"{"at":1,"event":"custom"}"#)
    cue.append("all", .object(keys))
    for text in texts { cue.append("key \(text)", .string(text)) }
    let sheet = try CueSheet.parse(
      CueSheetText(game: "g", cues: [cue]).yaml, policy: CopyPolicy(largestTagSize: CopyPolicy.largestPESPayload), answers: .open)
    let expected = cue.removing(["at", "event"])
    #expect(sheet.events.map(\.event.content) == [.custom(EventType("custom"), expected)])
  }

  @Test func eventsBecomeTheSameEvents() throws {
    let text = """
      game: g
      title: T
      cues:
      - { at: 0.04, event: startGame, startsIn: 5.000011, startsAt: 2026-11-20T20:00:00Z }
      - { at: 1, event: periodicInfo, viewers: 3, likes: 1.50, region: Europe }
      - { at: 6, event: askQuestion, question: Which?, answers: [Yes, "No"], correct: "No", allottedTime: 2.5, category: c, difficulty: d }
      - { at: 7, event: adjustTime, allottedTime: 10 }
      - { at: 9, event: showResults, counts: [1, 2], points: [-1, 5], explanation: Because., url: "https://example.com/?a=b",
          leaderboard: [{ nickname: Ada, score: -3, team: Blue }] }
      - { at: 10, event: poll, sequence: 17, guid: own, options: [a, { b: 1 }] }
      - { at: 12, event: endGame, winners: [], leaderboard: [] }
      """
    let sheet = try CueSheet.parse(text, policy: CopyPolicy(), answers: .open)
    let written = CueSheetText(
      game: "g", title: "T", cues: sheet.events.map { CueSheetText.cue(for: $0.event, keepsGUID: true, keepsSequence: true) })
    let read = try CueSheet.parse(written.yaml, policy: CopyPolicy(), answers: .open)
    #expect(read.events == sheet.events)
    // Sealed answers are filled in, and identifiers derived again.
    let key = try #require(SealKey(bytes: [UInt8](repeating: 7, count: 32)))
    let sealed = try CueSheet.parse(text, policy: CopyPolicy(), answers: .sealed(key))
    let cues = sealed.events.map {
      CueSheetText.cue(for: $0.event, keepsGUID: $0.event.guid.text == "own", keepsSequence: $0.event.sequence == 17, right: .one(1))
    }
    let resealed = try CueSheet.parse(CueSheetText(game: "g", title: "T", cues: cues).yaml, policy: CopyPolicy(), answers: .sealed(key))
    #expect(resealed.events == sealed.events)
  }
}

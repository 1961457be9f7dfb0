import Basics
import EventSchedule
import GameEvents
import Sheets
import TestSupport
import Testing

@testable import LiveGame

/// Sheets of cues for a running stream.
@Suite struct LiveSheetTests {
  private static let text = """
    game: friday
    title: Friday
    defaults: { allottedTime: 5 }
    cues:
      - { at: go, event: startGame }
      - { at: go, event: askQuestion, question: Q, answers: [A, B], correct: B }
      - { in: 2, event: poll }
      - { in: 2, event: poll }
      - { event: poll, guid: own }
    """

  private func mistakes(_ text: String) -> [String] {
    let error = #expect(throws: SheetError.self) { try LiveSheet(text).check() }
    return (error?.problems ?? []).map(\.description)
  }

  /// Every mistake has its line, whatever part of the sheet it is in.
  @Test func mistakesHaveTheirPlaces() {
    #expect(mistakes("game: g\ncues:\n  - [").count == 1)
    #expect(mistakes("") == ["1:1: a cue sheet is expected here; write game: and cues:"])
    #expect(
      mistakes("game: g\ncues:\n  - { at: 1m, event: poll }\n  - 5\n  - { event: poll, late: x }") == [
        "3:11: \"at\" is \"1m\", which is no time; write seconds (12.5), mm:ss or hh:mm:ss.mmm",
        "4:5: a cue is a single value here; write a mapping such as { event: askQuestion, … }",
        "5:26: \"late\" is \"x\"; write next or refuse",
      ])
    #expect(
      mistakes("game: g\ndefaults: { allottedTime: no }\ncues:\n  - { event: askQuestion, question: Q, answers: [A, B], correct: C }") == [
        "2:27: \"allottedTime\" is \"no\", which is no time; write seconds (12.5), mm:ss or hh:mm:ss.mmm",
        "4:66: \"correct\" is \"C\", which is none of the answers; write one of \"A\", \"B\"",
      ])
    // A time of day would be taken for a time from the beginning.
    #expect(
      mistakes("game: g\ntimeOfDay: 20:15\ncues:\n  - { at: 20:15:30, event: poll }") == [
        "2:1: the times of a live sheet count from the stream's beginning, so that \"timeOfDay\" says nothing here; remove it, and write seconds (12.5)"
      ])
    #expect(mistakes("game: g\ngame: h\ncues: []") == ["2:1: the key \"game\" is already in line 1, column 1; remove one of them"])
  }

  /// What only the game that runs can know is left to it.
  @Test func theServerKnowsTheRest() throws {
    try LiveSheet("game: g\ncues: [{ event: startGame }, { event: showResults, counts: [1, 2] }]").check()
    // The question comes before its result, though not in the text.
    try LiveSheet(
      "cues: [{ at: 9, event: showResults, counts: [1, 2, 3] }, { at: 1, event: askQuestion, question: Q, answers: [A, B, C], correct: A }]"
    ).check()
    try LiveSheet(Self.text).check()
  }

  /// The server makes the same of what is sent as of the sheet.
  @Test func theSameAsJSON() throws {
    let sheet = try LiveSheet(Self.text)
    let again = try LiveSheet(request: JSONValue.object(sheet.object).text)
    #expect(again.requests.map(\.object) == sheet.requests.map(\.object) && again.requests.map(\.due) == sheet.requests.map(\.due))
    #expect(sheet.object["game"]?.string == "friday" && sheet.requests[0].object["title"]?.string == "Friday")
    #expect(again.requests(for: "g").map(\.guid) == sheet.requests(for: "g").map(\.guid))
  }

  /// Identifiers come from the game, from what a cue says, and from how often that was said.
  @Test func identifiers() throws {
    let sheet = try LiveSheet(Self.text)
    let guids = sheet.requests(for: "g").compactMap(\.guid?.text)
    #expect(Set(guids).count == 5 && guids[4] == "own" && guids[0] == "90395a55-ce10-5b85-a0a2-75c8bd84238a")
    let longer = try LiveSheet(
      Self.text.replacing("  - { at: go, event: startGame }", with: "  - { event: new }\n  - { at: go, event: startGame }"))
    #expect(longer.requests(for: "g").compactMap(\.guid?.text).dropFirst().elementsEqual(guids))
    #expect(Set(sheet.requests(for: "h").compactMap(\.guid?.text)).intersection(guids) == ["own"])
  }

  /// The sheet of a start holds over restarts: it may grow at its end, and nothing else of it may change.
  @Test func start() throws {
    func mistake(_ game: LiveGame, _ text: String) -> String? {
      var game = game
      let error = #expect(throws: SheetError.self) { try game.start(with: LiveSheet(text), now: LiveSample.now(9)) }
      return error?.problems.first?.description
    }
    var game = LiveGame(LiveSample.settings)
    let change = try game.start(with: try LiveSheet(Self.text), now: LiveSample.now(nil))
    #expect(change.records.count == 6 && change.arrivals.map(\.planned.event.guid.text) == ["own"])
    var (restored, _) = try LiveGame.restored(change.records, LiveSample.settings)
    #expect(try restored.start(with: LiveSheet(Self.text), now: LiveSample.now(9)) == .init())
    #expect(restored.statuses == game.statuses)
    let advice = "start with the sheet as it was, or with a new journal"
    let other = "the journal has another event in the place of this cue; \(advice)"
    #expect(mistake(restored, Self.text.replacing("question: Q", with: "question: R")) == "6:5: \(other)")
    #expect(mistake(restored, Self.text.replacing("  - { at: go, event: startGame }\n", with: "")) == "5:5: \(other)")
    #expect(
      mistake(restored, Self.text.replacing("\n  - { event: poll, guid: own }", with: ""))
        == "8:5: the journal has further cues after this one; \(advice)")
    let longer = try restored.start(with: LiveSheet(Self.text + "\n  - { at: go, event: endGame }"), now: LiveSample.now(9))
    #expect(longer.records.count == 1)
    // What was posted by hand under the same identifier is another event.
    var posted = LiveGame(LiveSample.settings)
    _ = try posted.accept(LiveSample.poll("own", ",\"options\":[1]"), now: LiveSample.now(1))
    #expect(mistake(posted, Self.text) == "9:5: \(other)")
  }

  /// A sheet that is posted again changes nothing; one with another cue adds that one.
  @Test func again() throws {
    var game = LiveGame(LiveSample.settings)
    let (first, change) = try game.accept(try LiveSheet(Self.text), now: LiveSample.now(1))
    #expect(first.map(\.isNew) == [true, true, true, true, true] && change.records.count == 6)
    let (second, nothing) = try game.accept(try LiveSheet(Self.text), now: LiveSample.now(9))
    #expect(second.map(\.status) == first.map(\.status) && !second.contains(where: \.isNew) && nothing == .init())
    let (third, one) = try game.accept(try LiveSheet(Self.text + "\n  - { at: go, event: endGame }"), now: LiveSample.now(9))
    #expect(third.map(\.isNew) == [false, false, false, false, false, true] && one.records.count == 1)
    // What an identifier stood for, it stands for.
    let other = Self.text.replacing("guid: own", with: "guid: own, options: [A]")
    #expect(throws: LiveProblem.conflict("own")) { try game.accept(try LiveSheet(other), now: LiveSample.now(9)) }
  }
}

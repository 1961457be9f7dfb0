import Basics
import CueSheet
import EventSchedule
import GameEvents
import Sheets
import TestSupport
import Testing

/// Cue sheets whose cues are moved, with all the rest as it was.
@Suite struct ShiftedSheetTests {
  private static let text = """
    # A show.
    game: g   # its name
    title: T
    cues:

      - at: 2.50      # the start
        event: startGame

      # The first question.
      - { at: 5s, event: askQuestion, question: 'At 5s?', answers: ["5s", 6s], correct: 6s }
      - event: showResults
        at: "00:16"
        explanation: |
          It was 5s.

          Later.

      - {at: 01:00:00.5,event: poll}   # an hour
      - at: +3s
        event: endGame

    """

  private func shifted(_ text: String, _ seconds: Double, drops: Bool = false) throws -> ShiftedSheet {
    try ShiftedSheet(Array(text.utf8), by: MediaTime(seconds: seconds), dropsEarly: drops)
  }

  private func mistakes(_ text: String, _ seconds: Double, drops: Bool = false) -> [String] {
    do throws(SheetError) {
      _ = try ShiftedSheet(Array(text.utf8), by: MediaTime(seconds: seconds), dropsEarly: drops)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test func onlyTheTimesChange() throws {
    let later = try shifted(Self.text, 61.25)
    let expected = Self.text.replacing("at: 2.50 ", with: "at: 63.75 ").replacing("at: 5s", with: "at: 66.25s")
      .replacing("\"00:16\"", with: "\"01:17.25\"").replacing("01:00:00.5,", with: "01:01:01.75,")
    #expect(later.text == expected && later.cues == 5 && later.dropped == [])
    let back = try shifted(later.text, -61.25)
    let was = Self.text.replacing("2.50", with: "2.5").replacing("00:16", with: "00:16.00").replacing("00.5,", with: "00.50,")
    #expect(back.text == was)
    #expect(try parse(back.text).events == parse(Self.text).events)
    #expect(try shifted(Self.text, 0).text == Self.text.replacing("2.50", with: "2.5"))
  }

  /// Every event of a sheet is moved by the same time, whatever its times are written in, and back again.
  @Test(arguments: ["", "\u{FEFF}"], ["\n", "\r\n"]) func allFormsOfTimes(mark: String, lineEnd: String) throws {
    for head in ["timecode: { rate: 29.97, start: 23:59:50;00 }", "timeOfDay: 20:15:00"] {
      let cue = head.contains("Day") ? "20:16:40.5" : "00:00:59;29"
      let text =
        mark
        + "game: g\ntitle: Ä\n\(head)\ncues:\n- {at: \(cue), event: a}\n- {at: '\(cue)', event: b}\n- {at: 90s, event: c}\n- {at: next, event: d}\n- {at: 7.25, event: e}\n"
        .replacing("\n", with: lineEnd)
      // 900 frames of 29.97 are 30.03 s; the others are no whole number of them.
      for seconds in [30.03, 0.01, 86.4, -5] {
        let moved = try shifted(text, seconds)
        let old = try parse(text).events
        #expect(try parse(moved.text).events.map(\.time) == old.map { $0.time + MediaTime(seconds: seconds) }, "\(moved.text)")
        #expect(seconds != 30.03 || head.contains("Day") || moved.text.contains("{at: 00:01:30;01,"))
        #expect(try parse(try shifted(moved.text, -seconds).text).events == old)
      }
    }
  }

  @Test func timesBeforeTheBeginning() throws {
    #expect(
      mistakes(Self.text, -6) == [
        "6:5: this startGame would come 3.5 s before the programme begins",
        "10:5: this askQuestion would come 1 s before the programme begins",
        "11:5: this showResults is of a question that would come before the programme begins",
      ])
    #expect(mistakes(Self.text, -9000, drops: true) == ["1:1: all cues would come before the programme begins, so that none is left"])
    let cut = try shifted(Self.text, -6, drops: true)
    #expect(
      cut.text == """
        # A show.
        game: g   # its name
        title: T
        cues:


          # The first question.

          - {sequence: 4, at: 00:59:54.5,event: poll}   # an hour
          - totalQuestions: 1
            at: +3s
            event: endGame

        """)
    #expect(cut.cues == 2 && cut.dropped.map(\.line) == [6, 10, 11])
    // What counted from a cue that is gone has a time of its own.
    let chain = sheet("at: 1, event: a", "at: +2, event: b", "at: +2, event: c", "at: previous, event: d")
    #expect(
      try shifted(chain, -4, drops: true).text
        == "game: g\ntitle: T\ncues:\n  - { sequence: 3, at: 1s, event: c }\n  - { at: previous, event: d }\n")
  }

  @Test(arguments: [
    (
      #"{"game":"g","cues":[{"at":1,"event":"a"}, {"at":"5s","event":"b","x":"}]{\""},{"at":9,"event":"c"}]}"#,
      #"{"game":"g","cues":[{"sequence": 2, "at":"1s","event":"b","x":"}]{\""},{"at":5,"event":"c"}]}"#
    ),
    ("game: g\ncues: [{at: 5, event: a}, {at: 1, event: it's}, {at: 2, event: b}]\n", "game: g\ncues: [{sequence: 3, at: 1, event: a}]\n"),
    ("game: g\ncues: [ {at: 1, event: \"a\"}, {at: 5, event: 'b'} , ]\n", "game: g\ncues: [ {sequence: 2, at: 1, event: 'b'} , ]\n"),
    (
      "game: g\ncues:\n- at: 1\n  event: a\n# about b\n- at: 5\n  event: b", "game: g\ncues:\n# about b\n- sequence: 2\n  at: 1\n  event: b"
    ),
    ("game: g\ncues:\n- at: 5\n  event: b\n- at: 1\n  event: a", "game: g\ncues:\n- sequence: 2\n  at: 1\n  event: b\n"),
    (
      "cues:\n  -   at: 1\n      event: a\n\n  -   at: 5\n      event: b\ngame: g\n",
      "cues:\n\n  -   sequence: 2\n      at: 1\n      event: b\ngame: g\n"
    ),
  ])
  func cuesThatGo(text: String, expected: String) throws { #expect(try shifted(text, -4, drops: true).text == expected) }

  /// Three questions, whose GUIDs and numbers depend on all cues of the sheet.
  private static let show = """
    game: show
    title: Three
    cues:
    - { at: 5, event: startGame }
    - { at: 1:00, event: askQuestion, question: First?, answers: [a, b], correct: a }
    - { at: timeUp + 2s, event: showResults }
    - at: 2:00
      event: askQuestion
      question: Second?
      answers: [a, b]
      correct: b
    - { at: timeUp + 2s, event: showResults }
    - { at: 3:00, event: askQuestion, question: Third?, answers: [a, b], correct: a }
    - { at: timeUp + 2s, event: showResults }
    - { at: +20s, event: endGame }

    """

  private static func part(_ from: Double, _ to: Double) -> Range<MediaTime> { MediaTime(seconds: from)..<MediaTime(seconds: to) }

  /// The events of the sheet, by their GUIDs, without their times.
  private func contents(_ text: String) throws -> [GUID: GameEvent] {
    let events = try parse(text).events.map { planned in
      var event = planned.event
      event.at = nil
      return event
    }
    return Dictionary(events.map { ($0.guid, $0) }) { first, _ in first }
  }

  private func times(_ text: String) throws -> [Double] { try parse(text).events.map { Double($0.time.ticks) / 90_000 } }

  /// Whatever is left out, the events that stay are what they were, but for their times.
  @Test(
    arguments: [
      (CueShift(by: MediaTime(seconds: -70)), [50, 62, 110, 122, 142]),
      (CueShift(cutting: [part(110, 140)]), [5, 60, 72, 150, 162, 182]),
      (CueShift(by: MediaTime(seconds: 1), cutting: [part(150, 160), part(20, 30)]), [6, 51, 63, 111, 123, 161, 173, 193]),
      (CueShift(by: MediaTime(seconds: 2.5), in: part(125, 190)), [5, 60, 72, 120, 134.5, 182.5, 192, 212]),
      (CueShift(by: MediaTime(seconds: -5), in: part(180, 181)), [5, 60, 72, 120, 132, 175, 192, 212]),
    ] as [(CueShift, [Double])])
  func eventsStayWhatTheyWere(shift: CueShift, expected: [Double]) throws {
    let shifted = try ShiftedSheet(Array(Self.show.utf8), shift, dropsEarly: true)
    let (old, new) = (try contents(Self.show), try contents(shifted.text))
    #expect(new.allSatisfy { old[$0.key] == $0.value } && new.count == expected.count, "\(shifted.text)")
    #expect(try times(shifted.text) == expected)
    #expect(shifted.cues == expected.count && shifted.dropped.count == old.count - expected.count)
  }

  /// The numbers of events tell their order, so it does not change.
  @Test func anotherOrder() throws {
    let shift = CueShift(by: MediaTime(seconds: -90), in: Self.part(170, 1_000))
    let error = #expect(throws: SheetError.self) { try ShiftedSheet(Array(Self.show.utf8), shift) }
    #expect(
      error?.problems.map(\.description) == [
        "13:3: this askQuestion would come before the showResults in line 12, which it follows now",
        "14:3: this showResults would come before the showResults in line 12, which it follows now",
        "15:3: this endGame would come before the showResults in line 12, which it follows now",
      ])
  }

  /// A time that is written elsewhere cannot be changed here, and is not changed wrongly.
  @Test func whatCannotBeEdited() {
    let alias = "game: g\ncues:\n- { at: &t 5, event: a }\n- { at: *t, event: b }\n"
    #expect(
      mistakes(alias, 1) == ["3:9: this cannot be edited here, since it is written somewhere else or across lines; write it in one line"])
    #expect(mistakes("game: g\ncues: []", 1) == ["2:7: \"cues\" is empty; add a cue such as { at: 5s, event: startGame }"])
  }

  /// Wherever a sheet is cut off, it is shifted rightly or refused.
  @Test func cutAtEveryLength() throws {
    let flow = "game: g\ncues: [{at: 5, event: a}, { at: 1, event: b, x: \"}\\\"\" }, {at: \"+2s\", event: 'c'}]\n"
    for text in [Self.text, flow] {
      for count in 0...text.utf8.count {
        let bytes = Array(text.utf8.prefix(count))
        for by in [MediaTime(seconds: -6), MediaTime(seconds: 1)] {
          guard let moved = try? ShiftedSheet(bytes, by: by, dropsEarly: true) else { continue }
          let old = try CueSheet.parse(bytes, policy: CopyPolicy(), answers: .open)
          let new = try CueSheet.parse(Array(moved.text.utf8), policy: CopyPolicy(), answers: .open)
          #expect(new.events.count == old.events.count - moved.dropped.count)
          let kept = zip(old.events, old.places).filter { pair in !moved.dropped.contains { $0.place == pair.1 } }.map { $0.0.time + by }
          #expect(new.events.map(\.time) == kept)
        }
      }
    }
  }
}

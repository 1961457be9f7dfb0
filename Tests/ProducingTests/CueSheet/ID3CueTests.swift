import Basics
import CueSheet
import EventSchedule
import GameEvents
import ID3
import Sheets
import TestSupport
import Testing

/// Tags that are no events of the game, in cue sheets and in macro files.
@Suite struct ID3CueTests {
  /// The bytes of a file among these.
  static func read(_ name: String, _ files: [String: [UInt8]]) throws(TagFileError) -> [UInt8] {
    guard let bytes = files[name] else { throw TagFileError("\(name): No such file or directory") }
    return bytes
  }

  static func frames(_ text: String) throws -> [ID3Frame] {
    let tags = try parse(text).tags
    return try ID3Tag.decode(try #require(tags.first?.tag)).frames
  }

  @Test func frames() throws {
    let text = sheet(
      #"at: 5s, event: id3, frames: { TIT2: A title, TPE1: [One, Two], TXXX: { description: d, value: v }, PRIV: { owner: a.b, data: x } }"#
    )
    #expect(
      try Self.frames(text) == [
        .text(id: "TIT2", values: ["A title"]), .text(id: "TPE1", values: ["One", "Two"]), .userText(description: "d", value: "v"),
        .privateData(owner: "a.b", data: [0x78]),
      ])
    #expect(
      try Self.frames(sheet("at: 5s, event: id3, frames: [{ PRIV: { owner: o, base64: AAH/ } }, { TIT2: a }, { TIT2: b }]")) == [
        .privateData(owner: "o", data: [0, 1, 0xFF]), .text(id: "TIT2", values: ["a"]), .text(id: "TIT2", values: ["b"]),
      ])
  }

  /// A tag takes no number, has one copy, and neither changes the game nor is one of its events.
  @Test func besidesAGame() throws {
    let text = sheet(
      "at: 1s, event: startGame", "at: 2s, event: id3, frames: { TIT2: a }, copies: 4, currentFor: 9s", "at: 3s, event: endGame",
      "at: 4s, event: id3, frames: { TIT2: a }")
    let sheet = try parse(text)
    #expect(sheet.gameEvents.map(\.event.sequence) == [1, 2] && sheet.tags.map(\.time) == [MediaTime(seconds: 2), MediaTime(seconds: 4)])
    #expect(sheet.tags.map(\.copies) == [4, 1] && sheet.tags.map(\.currentFor) == [MediaTime(seconds: 9), nil])
    #expect(sheet.warnings == [])
    #expect(Set(sheet.events.map(\.event.guid)).count == 4)
    #expect(EventSchedule(sheet.tags, policy: CopyPolicy()).games == [])
  }

  @Test func files() throws {
    let tag = try ID3Tag(frames: [.text(id: "TIT2", values: ["from a file"])]).encode()
    let text = sheet("at: 5s, event: id3, tag: a.id3", "at: 6s, event: id3, tag: b.id3", "at: 7s, event: id3, tag: c.id3")
    let read: TagFileReader = { (name) throws(TagFileError) in try Self.read(name, ["a.id3": tag, "b.id3": tag.dropLast()]) }
    let reading = CueSheet.read(Array(text.utf8), policy: CopyPolicy(), answers: .open, readTag: read)
    #expect(
      reading.mistakes.map(\.description) == [
        "5:32: b.id3 is not one whole ID3 tag: cut off: 22 bytes needed, 21 there (at byte 10)", "6:32: c.id3: No such file or directory",
      ])
    #expect(problems(sheet("at: 5s, event: id3, tag: a.id3")) == ["4:32: a.id3 cannot be read here; write frames: instead of tag:"])
  }

  @Test(arguments: [
    ("frames: { TIT2: a }, tag: b", "4:5: this id3 cue has \"frames\" and \"tag\"; write one of them"),
    ("copies: 2", "4:5: this id3 cue has no tag; write frames: { TIT2: A title } or tag: file.id3"),
    (
      "frames: { APIC: a }",
      "4:37: \"APIC\" is no frame that can be written here; write text frames such as TIT2, TXXX or PRIV, or name a file with tag:"
    ),
    ("frames: { PRIV: { owner: o } }", "4:43: this PRIV frame has no content; write data: or base64:"),
    ("frames: { PRIV: { owner: o, base64: '*' } }", "4:63: \"base64\" is \"*\", which is not base64"),
    ("frames: {}", "4:35: \"frames\" is empty; write a frame such as { TIT2: A title }"),
    ("frames: { TIT2: a }, copies: 17", "4:56: \"copies\" is \"17\"; write an integer from 1 to 16"),
  ]) func mistakes(cue: String, problem: String) { #expect(problems(sheet("at: 5s, event: id3, \(cue)")) == [problem]) }

  @Test func largeTags() throws {
    let text = sheet("at: 5s, event: id3, frames: { TIT2: \(String(repeating: "a", count: 2_100)) }")
    #expect(problems(text) == ["4:5: the tag has 2121 bytes, above the limit of 2048; make it smaller or raise --max-tag-size"])
  }

  // MARK: Macro files

  static func macro(_ text: String) -> CueSheet.Reading {
    let tag = (try? ID3Tag(frames: [.text(id: "TIT2", values: ["t"])]).encode()) ?? []
    let read: TagFileReader = { (name) throws(TagFileError) in try Self.read(name, ["a title.id3": tag]) }
    return CueSheet.read(Array(text.utf8), policy: CopyPolicy(), answers: .open, offset: MediaTime(seconds: 1), readTag: read)
  }

  @Test func macroFiles() throws {
    let reading = Self.macro("# A comment\r\n 12.5 id3 \"a title.id3\"\r\n\r\n3 plaintext 'Hello there'\r\n12.5\tid3\t\"a title.id3\"\r\n")
    let sheet = try #require(reading.sheet)
    #expect(sheet.events.map(\.time) == [MediaTime(seconds: 4), MediaTime(seconds: 13.5), MediaTime(seconds: 13.5)])
    #expect(sheet.places.map(\.line) == [4, 2, 5] && sheet.gameEvents == [] && Set(sheet.events.map(\.event.guid)).count == 3)
    let frames = try sheet.tags.map { try ID3Tag.decode(try #require($0.tag)).frames }
    let title: [ID3Frame] = [.text(id: "TIT2", values: ["t"])]
    #expect(frames == [[.userText(description: "", value: "Hello there")], title, title])
  }

  @Test func mistakesInMacroFiles() {
    let reading = Self.macro("1 id3 \"a title.id3\"\n2 id3 b.id3\nsoon id3 \"a title.id3\"\n4 picture \"a.png\"\n5 id3\n")
    #expect(reading.sheet == nil)
    #expect(
      reading.mistakes.map(\.description) == [
        "2:7: b.id3: No such file or directory",
        "3:1: \"soon\" is no time of the programme in seconds; write a number such as 12.5",
        "4:3: \"picture\" cannot be read; make a tag of it, and write id3 with its file",
        "5:1: a line has a time, id3 or plaintext, and a file or a text; write 12.5 id3 \"title.id3\"",
      ])
  }
}

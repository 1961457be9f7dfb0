import Basics
import GameEvents
import ID3
import Testing

/// Copies in ID3 tags.
@Suite struct EventTagTests {
  @Test(arguments: copyTexts) func aTagHoldsOneCopy(_ row: CopyText) throws {
    let frame = ID3Frame.userText(description: row.copy.event.type.text, value: row.text)
    #expect(row.copy.tag == ID3Tag(frames: [frame]))
    let bytes = try row.copy.encodedTag()
    // Header, frame header, encoding, the description's NUL.
    #expect(bytes.count == 10 + 10 + 1 + row.copy.event.type.text.utf8.count + 1 + row.text.utf8.count)
    #expect(EventCopy.copies(in: try ID3Tag.decode(bytes.span)) == [.success(row.copy)])
  }

  @Test func everyUserTextOfATagIsLookedAt() {
    let copy = EventCopy(of: Sample.start())
    let tag = ID3Tag(frames: [
      .text(id: "TIT2", values: ["A title"]), .userText(description: "comment", value: "Nothing to do with a game"),
      .userText(description: "startGame", value: copy.text), .privateData(owner: "me", data: [1]),
      .userText(description: "endGame", value: #"{"guid":"g"}"#),
    ])
    #expect(EventCopy.copies(in: tag) == [.success(copy), .failure(.missing(key: "totalQuestions"))])
  }

  @Test func whatNoTagCanHoldIsRefused() {
    let event = GameEvent(guid: .of("g"), content: .custom(EventType("a\0b"), JSONObject()))
    #expect(throws: EventError.tag(ParseError(.invalid("a NUL in the description of a TXXX frame"), at: 0))) {
      try EventCopy(of: event).encodedTag()
    }
  }
}

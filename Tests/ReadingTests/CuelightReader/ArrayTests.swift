import CuelightReader
import Testing

/// Apps have bytes in arrays: what takes spans takes these too.
@Suite struct ArrayTests {
  @Test func arraysAreReadAsSpansAre() throws {
    let stream = try PhoneSample.stream()
    var reader = EventReader()
    var other = EventReader()
    let items = try reader.push(stream)
    #expect(try items == other.push(stream.span))
    #expect(Container(startingWith: stream) == .transportStream)
    let tag = try PhoneSample.copies()[0].encodedTag()
    #expect(try ID3Tag.decode(tag) == ID3Tag.decode(tag.span))
    #expect(try JSONValue(parsing: Array("[1]".utf8)) == JSONValue(parsing: "[1]"))
    #expect(try AudienceRecord(parsing: Array(#"{"player":"Ada"}"#.utf8)) == .join(nickname: "Ada", at: nil))
  }
}

import HTTPTypes
import Testing

@testable import WebSupport

/// The number of the last message that a listener has.
@Suite struct MessageNumberTests {
  /// Only counts are numbers of messages. All others, which arithmetic could overflow with, count as none.
  @Test(
    arguments: [
      ("0", 0), ("17", 17), ("9007199254740992", 1 << 53), ("9007199254740993", nil), ("-1", nil), ("-9223372036854775808", nil),
      ("9223372036854775807", nil), ("9223372036854775808", nil), ("", nil), ("1.5", nil), ("0x10", nil),
    ] as [(String, Int?)])
  func numbers(_ text: String, _ number: Int?) throws {
    var fields = HTTPFields()
    fields[try #require(HTTPField.Name("Last-Event-ID"))] = text
    #expect(fields.lastEventID == number)
  }

  @Test func none() { #expect(HTTPFields().lastEventID == nil) }
}

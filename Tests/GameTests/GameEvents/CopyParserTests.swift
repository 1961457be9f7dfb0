import Basics
import GameEvents
import TestSupport
import Testing

/// A parser that knows the last events says what one says that knows none.
@Suite struct CopyParserTests {
  static let question = GameEvent(
    guid: .of("ask-1"), game: "friday", sequence: 2, at: MediaTime(seconds: 5),
    content: .askQuestion(
      AskQuestion(question: "What is \"copy\":3?", answers: ["\u{1F600}", "{}"], questionNumber: 1, allottedTime: MediaTime(seconds: 10))))
  static let info = GameEvent(
    guid: .of("info-1"), game: "friday", sequence: 3, at: MediaTime(seconds: 7),
    content: .periodicInfo(PeriodicInfo(viewers: 12)))

  static func copies(of event: GameEvent) -> [EventCopy] {
    (1...40).map { number in
      EventCopy(of: event, copy: number, copies: 3, age: MediaTime(ticks: Int64(number - 1) * 3_601))
    } + [EventCopy(of: event, copy: 999_999, copies: 3, age: EventCopy.largestAge)]
  }

  static func outcome(_ parse: () throws(EventError) -> EventCopy) -> Result<EventCopy, EventError> {
    do throws(EventError) { return .success(try parse()) } catch { return .failure(error) }
  }

  @Test func readsEveryRepeat() throws {
    var parser = CopyParser()
    let copies = zip(Self.copies(of: Self.question), Self.copies(of: Self.info)).flatMap { [$0, $1] }
    for copy in copies {
      #expect(try parser.parse(copy.text, description: copy.event.type.text) == copy)
    }
  }

  /// What differs in any byte, with a checksum that is right nevertheless, is read as if it came first.
  @Test(arguments: 0..<20) func agreesOnWhateverDiffers(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    let texts = Self.copies(of: Self.question).map(\.text)
    let alphabet = Array(#"{}[]",:.-+0123456789eEcopiesagu\ "#.utf8)
    for _ in 0..<30 {
      var parser = CopyParser()
      for text in texts.prefix(2) { _ = try? parser.parse(text, description: "") }
      var bytes = Array(texts[Int.random(in: 0..<texts.count, using: &random)].utf8.dropLast(18))
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        case 1: bytes.insert(alphabet[Int.random(in: 0..<alphabet.count, using: &random)], at: index)
        default: bytes.remove(at: index)
        }
      }
      let digits = String(CRC32MPEG2.checksum(bytes.span), radix: 16)
      let text =
        String(decoding: bytes, as: UTF8.self) + ",\"crc\":\"\(String(repeating: "0", count: 8 - digits.count))\(digits)\"}"
      #expect(
        Self.outcome { () throws(EventError) in try parser.parse(text, description: "") }
          == Self.outcome { () throws(EventError) in try EventCopy(parsing: text, description: "") }, "\(text)")
    }
  }

  /// Numbers that JSON or the schema does not allow, or that are written in another way, do not make a text a repeat of an event.
  @Test(arguments: [
    (#""copy":2,"#, #""copy":02,"#), (#""copy":2,"#, #""copy":0,"#), (#""copy":2,"#, #""copy":2.0,"#), (#""copy":2,"#, #""copy":-2,"#),
    (#""copy":2,"#, #""copy":2222222222,"#), (#""copies":3,"#, #""copies":3e0,"#), (#""age":0.040011"#, #""age":00.040011"#),
    (#""age":0.040011"#, #""age":0.04"#), (#""age":0.040011"#, #""age":86400.000001"#), (#""age":0.040011"#, #""age":99999.000000"#),
    (#""age":0.040011"#, #""age":.040011"#), (#""age":0.040011"#, #""age":1e1"#), (#","copies":3"#, ""),
  ])
  func agreesOnNumbers(part: String, replacement: String) throws {
    let texts = Self.copies(of: Self.info).map(\.text)
    var parser = CopyParser()
    _ = try parser.parse(texts[0], description: "")
    let changed = String(texts[1].dropLast(18)).replacing(part, with: replacement)
    try #require(changed != String(texts[1].dropLast(18)))
    let digits = String(CRC32MPEG2.checksum(changed), radix: 16)
    let text = changed + ",\"crc\":\"\(String(repeating: "0", count: 8 - digits.count))\(digits)\"}"
    #expect(
      Self.outcome { () throws(EventError) in try parser.parse(text, description: "") }
        == Self.outcome { () throws(EventError) in try EventCopy(parsing: text, description: "") })
  }

  /// An object in the envelope may have a key `copy` of its own.
  @Test func isNotMisledByNestedKeys() throws {
    func text(_ copy: Int, _ nested: Int) throws -> String {
      let covered =
        #"{"eventType":"periodicInfo","guid":"g","x":{"copy":\#(nested),"copies":3,"age":0.000000},"copy":\#(copy),"copies":3,"age":0.000000,"viewers":5"#
      let digits = String(CRC32MPEG2.checksum(covered), radix: 16)
      return covered + ",\"crc\":\"\(String(repeating: "0", count: 8 - digits.count))\(digits)\"}"
    }
    var parser = CopyParser()
    let first = try parser.parse(try text(1, 1), description: "")
    let second = try parser.parse(try text(1, 2), description: "")
    #expect(first.event != second.event)
    #expect(second == (try EventCopy(parsing: try text(1, 2), description: "")))
  }
}

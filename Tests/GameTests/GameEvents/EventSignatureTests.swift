import Basics
import EventSchedule
import GameEvents
import Synchronization
import TestSupport
import Testing

/// What a signature covers, how it travels, and what becomes of copies without one.
@Suite struct EventSignatureTests {
  private let signature = EventSignature(bytes: Array(0..<64))
  private let base64 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw=="

  private func signed(_ event: GameEvent, copy: Int = 1, age: MediaTime = .zero) -> EventCopy {
    EventCopy(of: event, copy: copy, copies: 3, age: age, signature: TestSignature.sign(event.signedBytes))
  }

  private func outcome(_ parse: () throws(EventError) -> EventCopy) -> Result<EventCopy, EventError> {
    do throws(EventError) { return .success(try parse()) } catch { return .failure(error) }
  }

  @Test func itStandsBeforeTheChecksum() {
    let copy = EventCopy(of: Sample.end(sequence: 2, at: 10), copy: 2, copies: 3, age: MediaTime(ticks: 3_600), signature: signature)
    #expect(
      copy.text.hasPrefix(
        #"{"eventType":"endGame","guid":"end","game":"friday","sequence":2,"at":10.000000,"copy":2,"copies":3,"age":0.040000,"#
          + #""totalQuestions":3,"signature":"\#(base64)","crc":""#))
  }

  @Test(arguments: copyTexts) func itCoversAllButTheCopy(_ row: CopyText) throws {
    let event = row.copy.event
    let message = String(decoding: event.signedBytes, as: UTF8.self)
    let ofCopies = #/,"copy":\d+,"copies":\d+,"age":\d+\.\d{6}|,"crc":"[0-9a-f]{8}"/#
    #expect(message == row.text.replacing(ofCopies, with: ""))
    // What was read is signed as what was written.
    let copy = signed(event, copy: 17, age: row.copy.age)
    #expect(try EventCopy(parsing: copy.text, description: "", requiring: TestSignature.check) == copy)
  }

  @Test func othersAreRefused() throws {
    let (event, other) = (Sample.end(sequence: 2, at: 10), Sample.end(sequence: 3, at: 10))
    let unsigned = EventCopy(of: event).text
    let forged = EventCopy(of: other, signature: TestSignature.sign(event.signedBytes)).text
    for text in [unsigned, forged] { #expect(throws: Never.self) { try EventCopy(parsing: text, description: "") } }
    #expect(throws: EventError.unsigned) { try EventCopy(parsing: unsigned, description: "", requiring: TestSignature.check) }
    #expect(throws: EventError.wrongSignature) { try EventCopy(parsing: forged, description: "", requiring: TestSignature.check) }
    // Without a checksum a copy may be signed all the same, and with a damaged one it is damaged.
    let right = signed(event).text
    let bare = right.replacing(#/,"crc":"[0-9a-f]{8}"/#, with: "")
    #expect(try !EventCopy(parsing: bare, description: "", requiring: TestSignature.check).isVerified)
    #expect(throws: EventError.checksumMismatch) {
      try EventCopy(parsing: right.replacing("\"at\":10", with: "\"at\":11"), description: "", requiring: TestSignature.check)
    }
  }

  /// Another system may use the name for something else.
  @Test(arguments: [#""yours, Ann""#, "7", "null", #""AAEC""#]) func whatIsNoSignatureIsAnUnknownKey(value: String) throws {
    let text = #"{"eventType":"periodicInfo","guid":"i","viewers":5,"signature":\#(value)}"#
    let copy = try EventCopy(parsing: text, description: "")
    #expect(copy.signature == nil && copy.event.unknownKeys.text == #"{"signature":\#(value)}"#)
    #expect(throws: EventError.unsigned) { try EventCopy(parsing: text, description: "", requiring: TestSignature.check) }
    // A copy that Cuelight writes leaves it out: there the key is that of its own signature.
    #expect(!copy.text.contains("signature"))
  }

  /// A parser that knows the last events checks a signature once, and says what one says that knows none.
  @Test(arguments: 0..<10) func repeatsAreCheckedOnce(seed: UInt64) throws {
    let checks = Mutex(0)
    var parser = CopyParser { message, signature in
      checks.withLock { $0 += 1 }
      return TestSignature.check(message, signature)
    }
    let copies = (1...40).map { signed(CopyParserTests.question, copy: $0, age: MediaTime(ticks: Int64($0) * 3_601)) }
    for copy in copies { #expect(try parser.parse(copy.text, description: "") == copy) }
    #expect(checks.withLock { $0 } == 1)
    // Without the key, only what was signed before passes; every change is refused.
    var random = SeededNumbers(seed: seed)
    for _ in 0..<50 {
      var bytes = Array(copies[Int.random(in: 0..<40, using: &random)].text.utf8.dropLast(18))
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0x20...0x7E, using: &random)
      let crc = String(CRC32MPEG2.checksum(bytes.span), radix: 16)
      let text = String(decoding: bytes, as: UTF8.self) + ",\"crc\":\"\(String(repeating: "0", count: 8 - crc.count))\(crc)\"}"
      let result = outcome { () throws(EventError) in try parser.parse(text, description: "") }
      #expect(
        result == outcome { () throws(EventError) in try EventCopy(parsing: text, description: "", requiring: TestSignature.check) })
      if case .success(let copy) = result { #expect(copy.event == CopyParserTests.question) }
    }
  }

  @Test func copiesOfAPlannedEventCarryIt() throws {
    let plan = SampleGame.plan().map { TestSignature.signed($0) }
    var schedule = EventSchedule(plan, policy: CopyPolicy())
    var copies = 0
    for frame in 0..<75 {
      let unit = EventSchedule.AccessUnit(time: MediaTime(ticks: Int64(frame) * 3_600), duration: MediaTime(ticks: 3_600))
      for timed in try schedule.copies(before: unit) {
        copies += 1
        let planned = try #require(plan.first { $0.event.guid == timed.copy.event.guid })
        #expect(timed.copy.signature == planned.signature && timed.copy.event == planned.event)
        #expect(try timed.copy.encodedTag() == timed.tag)
        let read = try EventCopy(parsing: timed.copy.text, description: "", requiring: TestSignature.check)
        #expect(read == timed.copy)
      }
    }
    #expect(copies > 15)
  }
}

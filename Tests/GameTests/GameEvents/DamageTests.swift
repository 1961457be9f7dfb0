import Basics
import GameEvents
import Testing

/// Damaged copies, and those that nothing protects.
@Suite struct DamageTests {
  /// A bit flip in the text gives an error: a checksum of 32 bits finds every one, and what it does not cover is compared.
  @Test(arguments: copyTexts) func everyBitFlipIsFound(_ row: CopyText) {
    var bytes = Array(row.text.utf8)
    for index in bytes.indices {
      for bit in 0..<8 {
        bytes[index] ^= 1 << UInt8(bit)
        // Where the text is no UTF-8 any more, no tag gives it to the reader.
        if let text = String(validating: bytes, as: UTF8.self) {
          for description in [row.copy.event.type.text, "other"] {
            let copy = try? EventCopy(parsing: text, description: description)
            #expect(copy == nil, "byte \(index), bit \(bit)")
          }
        }
        bytes[index] ^= 1 << UInt8(bit)
      }
    }
  }

  @Test(arguments: copyTexts) func everyCutIsFound(_ row: CopyText) {
    let bytes = Array(row.text.utf8)
    for length in bytes.indices {
      guard let text = String(validating: bytes[..<length], as: UTF8.self) else { continue }
      let copy = try? EventCopy(parsing: text, description: row.copy.event.type.text)
      #expect(copy == nil, "length \(length)")
    }
  }

  @Test(arguments: [
    #"{"eventType":"poll","guid":"g","crc":"00000000"}"#, #"{"eventType":"poll","guid":"g","crc":7}"#,
    #"{"crc":"6354cdb4","eventType":"poll","guid":"g"}"#, #"{"eventType":"poll","crc":"6354cdb4","guid":"g","url":"6354cdb4"}"#,
    // Right, but not written as the last eighteen bytes.
    #"{"eventType":"endGame","guid":"end","copy":1,"copies":1,"age":0.000000,"totalQuestions":3,"crc":"6354cdb4" }"#,
    #"{"eventType":"endGame","guid":"end","copy":1,"copies":1,"age":0.000000,"totalQuestions":3,"crc":"6354CDB4"}"#,
    #"{"eventType":"endGame","guid":"end","copy":1,"copies":1,"age":0.000000,"totalQuestions":3,"\u0063rc":"6354cdb4"}"#,
    // The key is damaged.
    #"{"eventType":"endGame","guid":"end","copy":1,"copies":1,"age":0.000000,"totalQuestions":3,"src":"6354cdb4"}"#,
  ])
  func aChecksumThatIsNotRightIsRefused(text: String) {
    #expect(throws: EventError.checksumMismatch) { try EventCopy(parsing: text, description: "") }
  }

  /// Wowza's plug-in writes the type into the frame's description, and no checksum.
  @Test func whatOthersWriteIsUnverified() throws {
    let text = #"{"guid":"7","viewers":12,"url":"aaaaaaaaaaaaaaa","when":null}"#
    let copy = try EventCopy(parsing: text, description: "periodicInfo")
    #expect(!copy.isVerified)
    #expect((copy.copy, copy.copies, copy.age) == (1, 1, .zero))
    #expect(copy.event.gameID == GameID(""))
    #expect(copy.event.content == .periodicInfo(PeriodicInfo(viewers: 12)))
    #expect(copy.event.unknownKeys.text == #"{"url":"aaaaaaaaaaaaaaa","when":null}"#)
    // Where both are there, the object's own type counts.
    let typed = try EventCopy(parsing: #"{"eventType":"poll","guid":"7"}"#, description: "periodicInfo")
    #expect(typed.event.type == EventType("poll"))
    let unknown = try EventCopy(parsing: text, description: "poll")
    #expect(unknown.event.content.object.text == #"{"viewers":12,"url":"aaaaaaaaaaaaaaa","when":null}"#)
  }
}

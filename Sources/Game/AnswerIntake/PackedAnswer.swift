package import Basics
package import GameEvents

/// An answer as it is stored.
package struct PackedAnswer: Equatable, Sendable {
  /// The player's index in the roster.
  package var player: UInt32
  /// The question's index among those that the game has asked, from 0.
  package var question: UInt32
  /// The answer's code: see `AnswerForm`.
  package var answer: UInt32
  /// The programme time at the player's own position.
  package var time: MediaTime
  /// The answer itself, if it is a text: its code then does not matter.
  package var text: AnswerText?

  /// An answer of a player.
  package init(player: UInt32, question: UInt32, answer: UInt32, time: MediaTime, text: AnswerText? = nil) {
    (self.player, self.question, self.answer, self.time, self.text) = (player, question, answer, time, text)
  }

  /// The answer in the form that its question takes; `nil` if it does not take it.
  package func given(_ form: AnswerForm) -> GivenAnswer? {
    guard form == .text else { return form.answer(answer) }
    return text.map { .text($0) }
  }
}

/// Answers that are stored together.
///
/// Without texts: a byte with the version, 1, and 20 bytes for each: player, question, the answer's code with its lowest byte first, and the time.
/// With texts: the version, 2; the number of different texts, in four bytes; for each its length in two bytes, and its UTF-8; then 24 bytes for each
/// answer: the same, and in four bytes the number of its text, from 1, or 0. Texts are in the order in which answers refer to them first.
package enum AnswerBatch {
  /// The bytes of an answer, in batches without texts.
  package static let answerSize = 20
  /// The first byte of a batch.
  private static let version: UInt8 = 1
  private static let versionWithTexts: UInt8 = 2

  /// The batch of these answers.
  package static func encode(_ answers: some Collection<PackedAnswer>) -> [UInt8] {
    var texts: [AnswerText] = []
    var numbers: [AnswerText: UInt32] = [:]
    for answer in answers {
      guard let text = answer.text, numbers[text] == nil else { continue }
      texts.append(text)
      numbers[text] = UInt32(truncatingIfNeeded: texts.count)
    }
    let hasTexts = !texts.isEmpty
    var writer = ByteWriter(capacity: 1 + answers.count * (answerSize + 4))
    writer.writeUInt8(hasTexts ? versionWithTexts : version)
    if hasTexts { writer.writeUInt32(UInt32(truncatingIfNeeded: texts.count)) }
    for text in texts {
      let bytes = text.text.bytes
      writer.writeUInt16(UInt16(truncatingIfNeeded: bytes.count))
      writer.write(bytes)
    }
    for answer in answers {
      writer.writeUInt32(answer.player)
      writer.writeUInt32(answer.question)
      writer.writeUInt32(answer.answer.byteSwapped)
      writer.writeInteger(UInt64(bitPattern: answer.time.ticks), byteCount: 8)
      if hasTexts { writer.writeUInt32(answer.text.flatMap { numbers[$0] } ?? 0) }
    }
    return writer.bytes
  }

  /// The batch without the answers of a player; empty if no others are in it.
  ///
  /// - Throws: `ParseError`, as ``decode(_:)``.
  package static func removing(_ player: UInt32, from bytes: Span<UInt8>) throws(ParseError) -> [UInt8] {
    let left = try decode(bytes).filter { $0.player != player }
    return left.isEmpty ? [] : encode(left)
  }

  /// The answers of a batch.
  ///
  /// - Throws: `ParseError` with the offset at which the bytes are cut off or are not a batch of these versions.
  package static func decode(_ bytes: Span<UInt8>) throws(ParseError) -> [PackedAnswer] {
    var reader = ByteReader(bytes)
    let version = try reader.readUInt8()
    guard version == self.version || version == versionWithTexts else {
      throw ParseError(.invalid("a batch of answers begins with 1 or 2"), at: 0)
    }
    let texts = version == versionWithTexts ? try readTexts(&reader) : []
    let size = answerSize + (texts.isEmpty ? 0 : 4)
    var known: UInt32 = 0
    var answers: [PackedAnswer] = []
    answers.reserveCapacity(reader.remaining / size)
    while reader.remaining > 0 {
      try reader.require(size)
      let (player, question, answer) = (try reader.readUInt32(), try reader.readUInt32(), try reader.readUInt32())
      let ticks = Int64(bitPattern: try reader.readInteger(byteCount: 8))
      var text: AnswerText?
      if !texts.isEmpty {
        let (offset, number) = (reader.offset, try reader.readUInt32())
        guard number <= texts.count, number <= known + 1 else { throw ParseError(.invalid("there is no such text"), at: offset) }
        known = max(known, number)
        if number > 0 { text = texts[Int(number) - 1] }
      }
      answers.append(
        PackedAnswer(player: player, question: question, answer: answer.byteSwapped, time: MediaTime(ticks: ticks), text: text))
    }
    guard known == texts.count else { throw ParseError(.invalid("a text belongs to no answer"), at: reader.offset) }
    return answers
  }

  private static func readTexts(_ reader: inout ByteReader) throws(ParseError) -> [AnswerText] {
    let count = try reader.readUInt32()
    guard count > 0 else { throw ParseError(.invalid("there are no texts"), at: reader.offset) }
    var texts: [AnswerText] = []
    var known: Set<AnswerText> = []
    for _ in 0..<count {
      let offset = reader.offset
      let length = Int(try reader.readUInt16())
      let bytes = try reader.readBytes(length)
      let text = String(decoding: bytes, as: UTF8.self)
      guard let answer = AnswerText(text), answer.text.utf8.elementsEqual(bytes), known.insert(answer).inserted else {
        throw ParseError(.invalid("a text is no answer, or is there twice"), at: offset)
      }
      texts.append(answer)
    }
    return texts
  }
}

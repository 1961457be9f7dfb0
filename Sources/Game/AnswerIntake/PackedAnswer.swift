package import Basics

/// An answer as it is stored: 20 bytes.
package struct PackedAnswer: Equatable, Sendable {
  /// The player's index in the roster.
  package var player: UInt32
  /// The question's index among those that the game has asked, from 0.
  package var question: UInt32
  /// The answer's code: see `AnswerForm`.
  package var answer: UInt32
  /// The programme time at the player's own position.
  package var time: MediaTime

  /// An answer of a player.
  package init(player: UInt32, question: UInt32, answer: UInt32, time: MediaTime) {
    (self.player, self.question, self.answer, self.time) = (player, question, answer, time)
  }
}

/// Answers that are stored together: a byte with the version, and 20 bytes for each: player, question, the answer's code with its lowest byte
/// first, and the time.
package enum AnswerBatch {
  /// The bytes of an answer.
  package static let answerSize = 20
  /// The first byte of a batch.
  private static let version: UInt8 = 1

  /// The batch of these answers.
  package static func encode(_ answers: some Collection<PackedAnswer>) -> [UInt8] {
    var writer = ByteWriter(capacity: 1 + answers.count * answerSize)
    writer.writeUInt8(version)
    for answer in answers {
      writer.writeUInt32(answer.player)
      writer.writeUInt32(answer.question)
      writer.writeUInt32(answer.answer.byteSwapped)
      writer.writeInteger(UInt64(bitPattern: answer.time.ticks), byteCount: 8)
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
  /// - Throws: `ParseError` with the offset at which the bytes are cut off or are not a batch of this version.
  package static func decode(_ bytes: Span<UInt8>) throws(ParseError) -> [PackedAnswer] {
    var reader = ByteReader(bytes)
    guard try reader.readUInt8() == version else { throw ParseError(.invalid("a batch of answers begins with 1"), at: 0) }
    var answers: [PackedAnswer] = []
    answers.reserveCapacity(reader.remaining / answerSize)
    while reader.remaining > 0 {
      try reader.require(answerSize)
      let (player, question, answer) = (try reader.readUInt32(), try reader.readUInt32(), try reader.readUInt32())
      let ticks = Int64(bitPattern: try reader.readInteger(byteCount: 8))
      answers.append(
        PackedAnswer(player: player, question: question, answer: answer.byteSwapped, time: MediaTime(ticks: ticks)))
    }
    return answers
  }
}

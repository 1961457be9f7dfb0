import AnswerIntake
import Basics
import GameEvents
import Testing

/// Answers as they are stored.
@Suite struct AnswerBatchTests {
  private static func textual() throws -> [PackedAnswer] {
    let (red, blue) = (try #require(AnswerText("red")), try #require(AnswerText("blé")))
    return zip([red, blue, nil, red], 0...).map { text, index in
      PackedAnswer(player: UInt32(index), question: 2, answer: text == nil ? .max : 0, time: MediaTime(ticks: Int64(index) - 1), text: text)
    }
  }

  @Test func texts() throws {
    let answers = try Self.textual()
    let bytes = AnswerBatch.encode(answers)
    #expect(bytes.prefix(16) == [2, 0, 0, 0, 2, 0, 3, 0x72, 0x65, 0x64, 0, 4, 0x62, 0x6C, 0xC3, 0xA9] && bytes.count == 16 + 4 * 24)
    #expect(try decode(bytes) == answers)
    #expect(try removing(1, from: bytes) == AnswerBatch.encode([answers[0], answers[2], answers[3]]))
    let (form, one) = (AnswerForm.text, AnswerForm.one(of: 2))
    #expect(answers.map { $0.given(form) } == answers.map { $0.text.map { .text($0) } } && answers[0].given(one) == .one(0))
    for count in 0..<bytes.count {
      // What ends after a whole answer is a batch as long as each text belongs to one.
      let isWhole = count >= 16 + 48 && (count - 16).isMultiple(of: 24)
      if isWhole {
        #expect(try decode(Array(bytes.prefix(count))).count == (count - 16) / 24)
      } else {
        #expect(throws: ParseError.self, "\(count) bytes") { try decode(Array(bytes.prefix(count))) }
      }
    }
    // Whatever is read is written as it was.
    for place in bytes.indices {
      for flip in [1, 0x80, 0xFF] as [UInt8] {
        var changed = bytes
        changed[place] ^= flip
        if let decoded = try? decode(changed) { #expect(AnswerBatch.encode(decoded) == changed, "byte \(place)") }
      }
    }
  }

  private func decode(_ bytes: [UInt8]) throws(ParseError) -> [PackedAnswer] { try AnswerBatch.decode(bytes.span) }

  private func removing(_ player: UInt32, from bytes: [UInt8]) throws(ParseError) -> [UInt8] {
    try AnswerBatch.removing(player, from: bytes.span)
  }

  private func answers(_ count: Int, seed: UInt64) -> [PackedAnswer] {
    var numbers = SeededNumbers(seed: seed)
    return (0..<count).map { _ in
      // Small and large numbers alike, negative times among them.
      let bits = UInt64(numbers.below(64))
      let (player, question) = (numbers.next() >> bits, numbers.next() >> bits)
      let answer = numbers.next() >> bits
      let ticks = Int64(bitPattern: numbers.next()) >> Int64(bits)
      return PackedAnswer(
        player: UInt32(truncatingIfNeeded: player), question: UInt32(truncatingIfNeeded: question),
        answer: UInt32(truncatingIfNeeded: answer), time: MediaTime(ticks: ticks))
    }
  }

  /// The lowest byte of a code comes first: the only byte of codes from before questions had kinds.
  @Test func theBytesOfALargeCode() throws {
    let answer = PackedAnswer(player: 1, question: 2, answer: 0x0A0B_0C0D, time: MediaTime(ticks: 3))
    let bytes: [UInt8] = [1, 0, 0, 0, 1, 0, 0, 0, 2, 0x0D, 0x0C, 0x0B, 0x0A, 0, 0, 0, 0, 0, 0, 0, 3]
    #expect(AnswerBatch.encode([answer]) == bytes)
    #expect(try decode(bytes) == [answer])
  }

  @Test func theBytes() throws {
    let answer = PackedAnswer(player: 0x0102_0304, question: 0x0506_0708, answer: 9, time: MediaTime(ticks: -2))
    let bytes: [UInt8] = [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE]
    #expect(AnswerBatch.encode([answer]) == bytes)
    #expect(try decode(bytes) == [answer])
    #expect(AnswerBatch.encode([]) == [1])
    #expect(try decode([1]) == [])
    // A part of a list is a collection, too.
    #expect(AnswerBatch.encode([answer, answer, answer][1...]) == bytes + bytes.dropFirst())
  }

  @Test(arguments: 0..<UInt64(20)) func everythingComesBack(seed: UInt64) throws {
    var list = answers(Int(seed) * 5, seed: seed)
    list.append(PackedAnswer(player: .max, question: .max, answer: .max, time: MediaTime(ticks: .max)))
    list.append(PackedAnswer(player: 0, question: 0, answer: 0, time: MediaTime(ticks: .min)))
    let bytes = AnswerBatch.encode(list)
    #expect(bytes.count == 1 + list.count * AnswerBatch.answerSize)
    #expect(try decode(bytes) == list)
  }

  @Test func cutAtEveryLength() throws {
    let list = answers(5, seed: 1)
    let bytes = AnswerBatch.encode(list)
    #expect(throws: ParseError(.truncated(needed: 1, available: 0), at: 0)) { try decode([]) }
    for count in 1...bytes.count {
      let cut = Array(bytes[..<count])
      let (whole, rest) = (count - 1).quotientAndRemainder(dividingBy: AnswerBatch.answerSize)
      if rest == 0 {
        #expect(try decode(cut) == Array(list[..<whole]))
      } else {
        #expect(throws: ParseError(.truncated(needed: AnswerBatch.answerSize, available: rest), at: count - rest), "\(count) bytes") {
          try decode(cut)
        }
      }
    }
  }

  /// A changed version is refused; any other changed byte makes another answer.
  @Test func eachByteChanged() throws {
    let list = answers(3, seed: 2)
    let bytes = AnswerBatch.encode(list)
    for place in bytes.indices {
      for bit in 0..<UInt8(8) {
        var changed = bytes
        changed[place] ^= 1 << bit
        let index = (place - 1) / AnswerBatch.answerSize
        if place == 0 {
          #expect(throws: ParseError(.invalid("a batch of answers begins with 1 or 2"), at: 0)) { try decode(changed) }
        } else {
          let decoded = try decode(changed)
          #expect(decoded.count == list.count && decoded[index] != list[index] && AnswerBatch.encode(decoded) == changed)
          for other in list.indices where other != index { #expect(decoded[other] == list[other]) }
        }
      }
    }
  }

  /// What is read is written the same way.
  @Test(arguments: 0..<UInt64(8)) func anythingElse(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed, purpose: 3)
    var whole = 0
    for _ in 0..<500 {
      var bytes = AnswerBatch.encode(answers(numbers.below(4), seed: numbers.next()))
      for _ in 0..<numbers.below(4) where !bytes.isEmpty {
        let place = numbers.below(bytes.count)
        switch numbers.below(3) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: numbers.next())
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8(truncatingIfNeeded: numbers.next()), at: place)
        }
      }
      guard let decoded = try? decode(bytes) else { continue }
      whole += 1
      #expect(AnswerBatch.encode(decoded) == bytes)
    }
    #expect(whole > 20)
  }

  /// Without one player the answers of the others are as they were; where none are left there is no batch.
  @Test func withoutAPlayer() throws {
    let answers = (UInt32(0)..<6).map { PackedAnswer(player: $0 % 3, question: $0, answer: 1, time: MediaTime(ticks: Int64($0) - 3)) }
    let batch = AnswerBatch.encode(answers)
    #expect(try removing(1, from: batch) == AnswerBatch.encode(answers.filter { $0.player != 1 }))
    #expect(try removing(3, from: batch) == batch)
    let own = AnswerBatch.encode(answers.filter { $0.player == 2 })
    #expect(try removing(2, from: own) == [])
    #expect(throws: ParseError.self) { try removing(0, from: [2]) }
  }
}

import GameEvents

/// Converts what a player types into keys: single bytes from a terminal, or lines.
struct PlayKeys {
  /// What a player requests.
  enum Key: Equatable {
    /// The answer with this number, from 1.
    case answer(Int)
    /// A line with other numbers, or with a text: what a question asks for.
    case text(String)
    /// A character of a text, or a sign in a number that is not among the keys of answers.
    case sign(Character)
    case enter
    case erase
    case leave
    case redraw
    case other
  }

  /// The state within a key's escape sequence (ECMA-48, 5.4; SS3 has one more byte).
  private enum Sequence { case none, escape, control, single }

  /// Whether keys come in lines, each ended by Enter.
  private let inLines: Bool
  /// Whether the question takes a text: then characters are not keys of answers, and Control-D leaves.
  var takesText = false
  private var character: [UInt8] = []
  private var sequence = Sequence.none
  private var line: [UInt8] = []
  /// The maximum number of bytes of a line: those of a text of four bytes a character, and spaces at its ends.
  private static let largestLine = 4 * AnswerText.largestLength + 64

  init(inLines: Bool) { self.inLines = inLines }

  /// Receives bytes in pieces of any size.
  mutating func push(_ bytes: [UInt8]) -> [Key] { inLines ? bytes.compactMap { pushToLine($0) } : bytes.compactMap { pushKey($0) } }

  private mutating func pushToLine(_ byte: UInt8) -> Key? {
    guard byte == 0x0A || byte == 0x0D else {
      if line.count < Self.largestLine { line.append(byte) }
      return nil
    }
    defer { line = [] }
    let word = String(decoding: line, as: UTF8.self).filter { !$0.isWhitespace }.lowercased()
    if word.isEmpty { return nil }
    if takesText, word != "q", word != "quit" { return .text(String(decoding: line, as: UTF8.self)) }
    if let number = Int(word), (1...AskQuestion.answerCount.upperBound).contains(number) { return .answer(number) }
    if word.contains(where: \.isNumber), word.allSatisfy({ $0.isNumber || "+-.,;".contains($0) }) {
      return .text(String(decoding: line, as: UTF8.self))
    }
    return word == "q" || word == "quit" ? .leave : .other
  }

  private mutating func pushKey(_ byte: UInt8) -> Key? {
    switch (sequence, byte) {
    // An Escape always begins a new sequence.
    case (_, 0x1B):
      sequence = .escape
      return nil
    case (.escape, UInt8(ascii: "[")):
      sequence = .control
      return nil
    case (.escape, UInt8(ascii: "O")):
      sequence = .single
      return nil
    case (.escape, _), (.single, _), (.control, 0x40...0x7E):
      sequence = .none
      return .other
    case (.control, _): return nil
    case (.none, 0x20...0x7E) where takesText, (.none, 0x80...0xFF) where takesText: return pushText(byte)
    case (.none, UInt8(ascii: "1")...UInt8(ascii: "9")): return .answer(Int(byte - UInt8(ascii: "0")))
    // The keys behind the 9, for answers 10 to 12.
    case (.none, UInt8(ascii: "0")): return .answer(10)
    case (.none, UInt8(ascii: "-")): return .answer(11)
    case (.none, UInt8(ascii: "=")): return .answer(12)
    // Control-D ends the input.
    case (.none, UInt8(ascii: "q")), (.none, UInt8(ascii: "Q")), (.none, 0x04): return .leave
    case (.none, 0x0C): return .redraw
    case (.none, UInt8(ascii: ".")), (.none, UInt8(ascii: ",")): return .sign(".")
    case (.none, 0x0A), (.none, 0x0D): return .enter
    case (.none, 0x08), (.none, 0x7F): return .erase
    case (.none, _): return .other
    }
  }

  /// Collects the bytes of a character (UTF-8).
  private mutating func pushText(_ byte: UInt8) -> Key? {
    // A byte that begins a character ends one that was cut.
    if byte & 0xC0 != 0x80 { character = [] }
    character.append(byte)
    guard let text = String(validating: character, as: UTF8.self), let letter = text.first else {
      if character.count >= 4 { character = [] }
      return nil
    }
    character = []
    return .sign(letter)
  }
}

extension AnswerForm {
  /// How many answers keys choose from; 0 where they cannot answer.
  var keyCount: Int {
    switch self {
    case .one(let count), .several(let count), .order(let count): count
    case .none, .number, .text: 0
    }
  }
}

import Basics

/// The content of a column in a table of questions, by its name in one of several languages.
enum ColumnName: Equatable {
  case question, correct, wrong, category, difficulty, points, seconds, explanation, link
  /// The picture and the sound, and what belongs to them.
  case picture, pictureText, pictureSize, sound, soundText
  /// When the question is asked.
  case time
  /// One of the answers. Another column says which one is right.
  case option
  /// `answer` alone: the right answer, or one of several if another column says which is right.
  case answer
  /// The place of the right answer among the options.
  case place
  /// What kind of question it is.
  case type
  /// The row's own number, which is not used.
  case number
  /// What a question asks for, and what only some kinds of questions have.
  case task(TaskColumn)

  /// The columns for kinds of questions, each with the name of its key in quiz files. They count in tables where `kind` names one.
  enum TaskColumn: String, CaseIterable {
    case kind, least, most, step, unit, within, partial, tolerance, words, live
  }

  /// Whether it is a column for kinds of questions.
  var isTask: Bool { if case .task = self { true } else { false } }

  /// The names of columns as messages list them.
  static let known =
    "question, correct, wrong, option 1 and further, category, difficulty, points, seconds, at, picture, pictureText, sound, explanation, link, kind"

  /// The column of a name, regardless of case, accents and punctuation. Text in brackets or after a dash is an explanation, as in `Time limit (sec) -
  /// 5, 10, 20`.
  init?(_ text: String) {
    let name = Self.reduced(text)
    if let found = Self.names[name] {
      self = found
      return
    }
    // Answers are numbered: "wrong 2", "correct 1", "Option B", "C".
    guard let (rest, _) = Self.numbered(name) else { return nil }
    switch rest.isEmpty ? .option : Self.names[rest] {
    case .wrong: self = .wrong
    case .correct: self = .correct
    case .option, .answer: self = .option
    default: return nil
    }
  }

  /// The position among answers that a text names, from 1: "2", "B", "Option 2", "antwort b".
  static func place(_ text: String) -> Int? {
    guard let (rest, place) = numbered(reduced(text)) else { return nil }
    return rest.isEmpty || [.option, .answer].contains(names[rest]) ? place : nil
  }

  /// A name without the number or letter at its end.
  private static func numbered(_ name: String) -> (name: String, place: Int)? {
    let digits = name.utf8.reversed().prefix { $0.isASCIIDigit }.count
    let rest = String(name.dropLast(max(digits, 1)))
    if digits > 0 {
      guard let place = Int(name.suffix(digits)), place > 0, place <= 99 else { return nil }
      return (rest.trimmed, place)
    }
    // A letter is a word of its own: one of twelve.
    guard let letter = name.utf8.last, (UInt8(ascii: "a")...UInt8(ascii: "l")).contains(letter), rest.isEmpty || rest.utf8.last == 0x20
    else { return nil }
    return (rest.trimmed, Int(letter - UInt8(ascii: "a")) + 1)
  }

  /// The name in lower case without accents, explanations and punctuation.
  static func reduced(_ text: String) -> String {
    var short = text[...]
    for sign in ["(", "[", " - ", " – ", " — ", "\n", ":"] {
      if let range = short.firstRange(of: sign), range.lowerBound > short.startIndex { short = short[..<range.lowerBound] }
    }
    var plain = String.UnicodeScalarView()
    for scalar in short.unicodeScalars {
      for lower in scalar.properties.lowercaseMapping.unicodeScalars {
        // Combining marks are left out.
        if HiddenCharacters.isMark(lower.value) { continue }
        plain.append(contentsOf: (letters[lower] ?? String(lower)).unicodeScalars)
      }
    }
    return String(decoding: QuestionText.folded(String(plain)), as: UTF8.self)
  }

  /// The letters with accents of the languages below.
  private static let letters: [Unicode.Scalar: String] = [
    "à": "a", "á": "a", "â": "a", "ã": "a", "ä": "a", "ą": "a", "ç": "c", "ć": "c", "è": "e", "é": "e", "ê": "e", "ë": "e", "ę": "e",
    "ì": "i", "í": "i", "î": "i", "ï": "i", "ł": "l", "ñ": "n", "ń": "n", "ò": "o", "ó": "o", "ô": "o", "õ": "o", "ö": "o", "ß": "ss",
    "ś": "s", "ù": "u", "ú": "u", "û": "u", "ü": "u", "ź": "z", "ż": "z", "œ": "oe", "æ": "ae",
  ]

  private static let names: [String: ColumnName] = {
    var names: [String: ColumnName] = [:]
    for (column, text) in ColumnNames.all {
      for name in text.split(whereSeparator: { $0 == "," || $0 == "\n" }) { names[String(name).trimmed] = column }
    }
    return names
  }()
}

import Foundation
package import GameEvents

/// What a nickname looks like: two that look alike are one.
package enum NicknameLook {
  /// A visible character, and what it looks like: an empty text for signs and blanks.
  private typealias Shown = (scalar: Unicode.Scalar, look: String)

  /// The looks of a nickname: one with small letters, and one with the shapes of its capital letters, since the capitals of some Greek and Armenian
  /// letters resemble other letters than their small letters do.
  package static func looks(of text: String) -> Set<String> { Set(shapes(of: text).map { look(of: $0) }) }

  /// The nickname in compatibility form, in one case, with each letter that resembles another one replaced by it, without marks, signs and blanks.
  package static func look(of text: String) -> String { shown(text).reduce(into: "") { $0 += $1.look } }

  /// Compares the texts of answers as nicknames are compared, and does not show insults.
  package static let answers = TextComparison(key: { look(of: $0) }, isShown: { !isInsult($0) })

  // MARK: Shapes of letters

  /// A nickname as it is, and, if that differs, with capitals that resemble other letters replaced by these.
  private static func shapes(of text: String) -> [String] {
    var shapes = [text]
    if !isASCII(text) {
      // The lunate sigma looks like a C only before the text is normalized.
      let replaced = replacingCapitals(
        replacingCapitals(text).precomposedStringWithCompatibilityMapping.decomposedStringWithCanonicalMapping)
      if replaced != text { shapes.append(replaced) }
    }
    let joined = replacingPairs(text)
    if joined != text { shapes.append(joined) }
    return shapes
  }

  /// A nickname with pairs of small letters that together look like one letter replaced by that letter.
  private static func replacingPairs(_ text: String) -> String {
    var replaced = ""
    for scalar in text.unicodeScalars {
      if let last = replaced.unicodeScalars.last, let letter = pairs[String(last) + String(scalar)] {
        replaced.unicodeScalars.removeLast()
        replaced.unicodeScalars.append(letter)
      } else {
        replaced.unicodeScalars.append(scalar)
      }
    }
    return replaced
  }

  private static let pairs: [String: Unicode.Scalar] = ["rn": "m", "cl": "d", "vv": "w"]

  private static func replacingCapitals(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { capitals[$0] ?? $0 }))
  }

  /// Includes vertical lines, which compatibility mappings would turn into horizontal ones.
  private static let capitals: [Unicode.Scalar: Unicode.Scalar] = Dictionary(
    uniqueKeysWithValues: zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϲՏ\u{FE31}\u{FE32}\u{FE33}".unicodeScalars, "ABEZHIKMNOPTYXCcS|||".unicodeScalars))

  private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

  private static func folded(_ text: String) -> String {
    guard !isASCII(text) else { return text.lowercased() }
    // Some letters become several, or other letters, when their case is folded.
    var folded = text
    for _ in 0..<2 { folded = folded.precomposedStringWithCompatibilityMapping.lowercased() }
    return folded.decomposedStringWithCanonicalMapping
  }

  private static func shown(_ text: String) -> [Shown] {
    var shown: [Shown] = []
    var base: Unicode.Scalar = " "
    let scalars = folded(text).unicodeScalars
    // Among letters of the Latin alphabet and their lookalikes, the lookalikes of every script count as Latin letters.
    let isMixed =
      scalars.contains { foreignTwins[$0] != nil }
      && scalars.contains { scalar in
        // A digit next to a word that looks like a letter does not make it a different word.
        scalar.properties.numericType == nil && twin(of: scalar).unicodeScalars.first.map { ("a"..."z").contains($0) } ?? false
      }
    for scalar in scalars where !scalar.properties.isDefaultIgnorableCodePoint {
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark:
        // The next mark may belong to the same base.
        if isLetter(mark: scalar, on: base) { shown.append((scalar, String(scalar))) }
      case .spacingMark, .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
        .otherNumber, .otherSymbol, .modifierSymbol, .mathSymbol, .currencySymbol:
        let look = isMixed ? foreignTwins[scalar] ?? twin(of: scalar) : twin(of: scalar)
        shown.append((scalar, look))
        base = look.unicodeScalars.last ?? scalar
      default:
        shown.append((scalar, ""))
        base = " "
      }
    }
    return shown
  }

  /// Whether a mark is a part of a letter: in the scripts of India, in Thai, Hebrew, Arabic and Japanese, marks distinguish words.
  ///
  /// On letters of scripts that have a case, on characters that look like one of them, and on signs, marks are accents, and so are marks of no script
  /// on every letter: accents do not make another name.
  ///
  /// - Parameter base: What the character before the mark looks like.
  private static func isLetter(mark: Unicode.Scalar, on base: Unicode.Scalar) -> Bool {
    if commonMarks.contains(where: { $0.contains(mark.value) }) { return false }
    return !accented.contains { $0.contains(base.value) }
  }

  private static let commonMarks: [ClosedRange<UInt32>] = [
    0x300...0x36F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F,
  ]
  /// Latin, Greek, Cyrillic, Armenian, Georgian, and signs.
  private static let accented: [ClosedRange<UInt32>] = [
    0...0x58F, 0x10A0...0x10FF, 0x1C80...0x1CBF, 0x1D00...0x1DBF, 0x1E00...0x2BFF, 0x2C60...0x2C7F, 0x2D00...0x2D2F, 0xA640...0xA69F,
    0xA720...0xA7FF, 0xAB30...0xAB6F,
  ]

  // MARK: Letters that look alike

  /// The letter of the Latin alphabet that a character resembles, in lower case; the character itself if it resembles none.
  private static func twin(of scalar: Unicode.Scalar) -> String {
    // The value of a digit decides, whatever letter its shape resembles. Digits are the same in all scripts, and in dark circles.
    if let kind = scalar.properties.numericType, kind != .numeric, let value = scalar.properties.numericValue, (0...9).contains(value) {
      let digit = Unicode.Scalar(UInt8(ascii: "0") + UInt8(value))
      return twins[digit] ?? String(digit)
    }
    if let twin = twins[scalar] { return twin }
    // Letters in dark circles, in dark squares, and those of flags.
    for first: UInt32 in [0x1F150, 0x1F170, 0x1F1E6] where (first..<first + 26).contains(scalar.value) {
      let letter = Unicode.Scalar(UInt8(ascii: "a") + UInt8(scalar.value - first))
      return twins[letter] ?? String(letter)
    }
    return String(scalar)
  }

  /// Letters, digits and signs that resemble a letter of the Latin alphabet, in lower case.
  ///
  /// They are of scripts in which a mark never makes another letter, so that a mark on them is an accent. Ideographs are not among them: names in
  /// ideographs differ by them.
  private static let twins = table(rows)

  /// Letters of scripts that have nothing in common with the Latin alphabet (UTS 39). Names in these scripts differ by them and by their marks, so
  /// that they count only if they stand among letters of that alphabet.
  private static let foreignTwins = table([
    // Burmese, Hebrew, Arabic, N'Ko, the scripts of India, Ethiopic, Ahom, Miao, Mende.
    ("c", "\u{1004}"), ("i", "\u{5D5}\u{5DF}\u{627}\u{7CA}\u{16F16}\u{16F28}\u{1E8C7}"),
    (
      "o",
      "\u{5E1}\u{647}\u{6BE}\u{6C1}\u{6D5}\u{B20}\u{C02}\u{C82}\u{D02}\u{D20}\u{D82}\u{101D}\u{12D0}"
    ), ("r", "\u{16F35}"), ("s", "\u{16F3A}"), ("t", "\u{16F0A}"), ("u", "\u{1200}\u{16F42}"), ("v", "\u{5D8}\u{11706}\u{16F08}"),
    ("w", "\u{1170A}\u{1170E}\u{1170F}"), ("a", "\u{16F40}"), ("y", "\u{16F43}"),
  ])

  private static func table(_ rows: [(letter: String, others: String)]) -> [Unicode.Scalar: String] {
    Dictionary(rows.flatMap { row in row.others.unicodeScalars.map { ($0, row.letter) } }) { $1 }
  }

  private static let rows: [(letter: String, others: String)] = [
    // Latin: small capitals, phonetic letters and letters with strokes; digits and signs that stand for letters.
    ("a", "ᴀɐɑɒⱥ"), ("b", "ʙɓƀƃ"), ("c", "ᴄɕƈȼ"), ("d", "ᴅđðɖɗȡƌ"), ("e", "ᴇɘəǝɛɜɞɇ"), ("f", "ꜰƒ"), ("g", "ɢɠɡǥ"),
    ("h", "ʜħɦⱨɥ"), ("i", "ıɪɨɩlɭłƚɫɬʟ1|ǀ∣"), ("j", "ᴊȷʝɉ"), ("k", "ᴋƙⱪ"), ("m", "ᴍɱɯ"), ("n", "ɴɲɳƞŋȵ"),
    ("o", "ᴏøɵɔ0"), ("p", "ᴘƥᵽ"), ("q", "ꞯɋʠ"), ("r", "ʀɍɽɾɼɹ"), ("s", "ꜱʂȿƨ"), ("t", "ᴛŧƫƭʈⱦȶ"), ("u", "ᴜʉʊ"),
    ("v", "ᴠʌ"), ("w", "ᴡⱳ"), ("x", "×"), ("y", "ʏƴɏ"), ("z", "ᴢƶȥɀʐʑʒ"), ("ss", "ß"), ("ae", "æᴁ"), ("oe", "œɶ"),
    // Greek, Cyrillic, Armenian and Georgian.
    ("a", "аα"), ("b", "ьвβъ"), ("c", "с"), ("d", "ԁ"), ("e", "еєε"), ("f", "ғ"), ("g", "ց"), ("h", "һнհ"),
    ("i", "іιӏ"), ("j", "јϳյ"), ("k", "кκқ"), ("m", "м"), ("n", "пηոռ"), ("o", "оοσςօө"), ("p", "рρ"), ("q", "ԛգզ"),
    ("r", "гᴦ"), ("s", "ѕ"), ("t", "тτ"), ("u", "υսцʋ"), ("v", "νѵ"), ("w", "ԝωшѡ"), ("x", "хχ"), ("y", "уγүყ"),
    // Coptic.
    ("a", "ⲁ"), ("b", "ⲃ"), ("c", "ⲥ"), ("e", "ⲉ"), ("h", "ⲏ"), ("i", "ⲓⳑ"), ("k", "ⲕ"), ("m", "ⲙ"), ("n", "ⲛ"),
    ("o", "ⲟ"), ("p", "ⲣ"), ("t", "ⲧ"), ("x", "ⲭ"), ("y", "ⲩ"), ("z", "ⲍ"),
    // Cherokee.
    ("a", "ꭺ"), ("b", "ꮟᏼ"), ("c", "ꮯ"), ("d", "ꭰꮷ"), ("e", "ꭼ"), ("g", "ꮐᏻ"), ("h", "ꮋꮒ"), ("i", "ꭵꮮ"), ("j", "ꭻ"),
    ("k", "ꮶ"), ("m", "ꮇ"), ("p", "ꮲ"), ("r", "ꭱꮢ"), ("s", "ꮪꮥ"), ("t", "ꭲ"), ("v", "ꮩ"), ("w", "ꮃꮤ"), ("y", "ꭹꮍ"),
    ("z", "ꮓ"),
    // Lisu.
    ("a", "ꓮ"), ("b", "ꓐ"), ("c", "ꓚ"), ("d", "ꓓ"), ("e", "ꓰ"), ("f", "ꓝ"), ("g", "ꓖ"), ("h", "ꓧ"), ("i", "ꓲꓡ"),
    ("j", "ꓙ"), ("k", "ꓗ"), ("m", "ꓟ"), ("n", "ꓠ"), ("o", "ꓳ"), ("p", "ꓑ"), ("r", "ꓣ"), ("s", "ꓢ"), ("t", "ꓔ"),
    ("u", "ꓴ"), ("v", "ꓦ"), ("w", "ꓪ"), ("x", "ꓫ"), ("y", "ꓬ"), ("z", "ꓜ"),
    // Deseret.
    ("o", "𐐬"), ("c", "𐐽"), ("i", "𐑃"), ("s", "𐑈"),
    // Canadian syllabics, which supply whole alphabets of decorated letters.
    ("a", "ᗩᗅ"), ("b", "ᗷ"), ("c", "ᑕ"), ("d", "ᗪᗞ"), ("e", "ᗴᕮ"), ("f", "ᖴ"), ("h", "ᕼ"), ("i", "ᒪ"), ("j", "ᒍ"),
    ("m", "ᗰ"), ("n", "ᑎ"), ("p", "ᑭ"), ("q", "ᑫ"), ("r", "ᖇ"), ("s", "ᔕ"), ("u", "ᑌ"), ("v", "ᐯ"), ("w", "ᗯ"),
    ("x", "ᕁ᙭"), ("z", "ᘔ"),
    // Tifinagh and runes.
    ("b", "ᛒ"), ("e", "ⴹ"), ("i", "ⵏᛁ"), ("k", "ᛕ"), ("m", "ᛖ"), ("o", "ⵔ"), ("q", "ⵕ"), ("r", "ᚱ"), ("v", "ⴸ"),
    ("x", "ⵝᚷ"),
    // More of Latin, Greek, Cyrillic, Armenian, Georgian and Coptic (UTS 39).
    ("e", "℮ꬲҽ"), ("f", "ꬵꞙẝքϝ"), ("g", "ᶃƍ"), ("i", "ꙇ"), ("m", "ϻ"), ("n", "η"), ("o", "ᴑᴓꬽჿ"), ("p", "ϱ"), ("r", "ꭇꭈⲅ"), ("s", "ƽ"),
    ("u", "ꞟꭎꭒ"), ("w", "ա"), ("x", "ꭓ"), ("y", "ɣᶌỿꭚ"),
    // Osage, Elbasan, Lycian, Carian, Old Italic and Warang Citi.
    ("a", "\u{10300}\u{102A0}"), ("b", "\u{10282}\u{102A1}\u{10301}"), ("c", "\u{10302}\u{102A2}\u{1051C}\u{118F2}"),
    ("e", "\u{10286}\u{118C6}\u{118CE}"), ("f", "\u{10287}\u{102A5}\u{10525}\u{118C2}"), ("h", "\u{102CF}"),
    ("i", "\u{10309}\u{10320}\u{1028A}\u{118C3}\u{118D2}\u{10526}"), ("k", "\u{10518}"), ("m", "\u{102B0}\u{10311}"), ("n", "\u{10513}"),
    ("o", "\u{104EA}\u{10292}\u{102AB}\u{10516}\u{118C8}\u{118D7}"), ("p", "\u{10295}"), ("s", "\u{10296}\u{118C1}"),
    ("t", "\u{10297}\u{102B1}\u{10315}\u{118DC}"), ("u", "\u{104F6}\u{118D8}"), ("v", "\u{1051D}\u{118C0}"), ("w", "\u{118EF}\u{118E6}"),
    ("x", "\u{10290}\u{102B4}\u{10317}\u{10322}\u{10527}\u{118EC}"), ("y", "\u{102B2}"), ("z", "\u{102F5}\u{118C4}\u{118E5}"),
    // Signs.
    ("a", "⍺"), ("i", "⍳│┃⏽"), ("p", "⍴"), ("t", "⊤⟙"), ("u", "∪⋃"), ("v", "∨⋁"), ("x", "᙮⤫⤬⨯╳"),
    // Circles.
    ("o", "〇○◯⚪⚫⭕●⬤"),
  ]

  // MARK: Forbidden words

  /// Whether a nickname is the name of an office of the show, also with numbers around it, or contains an insult, also masked.
  package static func isForbidden(_ text: String) -> Bool {
    shapes(of: text).contains { shape in
      let shown = shown(shape)
      return isReserved(shown) || isInsult(shown)
    }
  }

  /// Whether a nickname, or a word of it, is the name of an office: "Official Host" claims as much as "Host" does, and so does "TheHost".
  private static func isReserved(_ shown: [Shown]) -> Bool {
    let words = shown.split { $0.look.isEmpty }
    return isOffice(shown, or: unreal) || words.contains { word in isOffice(word) }
  }

  private static func isOffice(_ shown: some BidirectionalCollection<Shown>, or others: Set<String> = []) -> Bool {
    // Digits stand for letters, or stand before or after a name.
    let named = shown.drop { !$0.scalar.properties.isAlphabetic }
    let end = named.lastIndex { $0.scalar.properties.isAlphabetic }
    return [look(shown), end.map { look(named[...$0]) } ?? ""].contains { name in
      offices.contains(name) || others.contains(name)
        || attributes.contains { name.hasPrefix($0) && offices.contains(String(name.dropFirst($0.count))) }
        || attributes.contains { name.hasSuffix($0) && offices.contains(String(name.dropLast($0.count))) }
    }
  }

  private static func look(_ shown: some Sequence<Shown>) -> String { shown.reduce(into: "") { $0 += $1.look } }

  /// Whether a text contains an insult, also masked.
  private static func isInsult(_ text: String) -> Bool { shapes(of: text).contains { isInsult(shown($0)) } }

  private static func isInsult(_ shown: [Shown]) -> Bool {
    var whole = letters(shown, isMasked: false)
    // Names of places that contain an insult by chance are allowed.
    for word in harmless { whole = whole.replacing(word, with: [" "]) }
    if insults.contains(where: { contains($0, whole) }) { return true }
    guard shown.contains(where: { masks.contains($0.scalar) }) else { return false }
    // A mask hides a letter of its own word only.
    return shown.split(whereSeparator: { $0.scalar == " " }).contains { word in
      let letters = letters(word, isMasked: true)
      return insults.contains { contains($0, letters) }
    }
  }

  /// The letters that characters stand for, digits among them, with `*` for those that a sign hides.
  private static func letters(_ shown: some Sequence<Shown>, isMasked: Bool) -> [Unicode.Scalar] {
    shown.flatMap { scalar, look in isMasked && masks.contains(scalar) ? [mask] : look.unicodeScalars.map { standIns[$0] ?? $0 } }
  }

  /// Whether a word occurs among letters. Each letter may be repeated; of a masked word half of the letters must be visible, among them the first
  /// one.
  private static func contains(_ word: [Unicode.Scalar], _ letters: [Unicode.Scalar]) -> Bool {
    letters.indices.contains { start in
      var (place, shown) = (start, 0)
      for (index, letter) in word.enumerated() {
        while index > 0, place < letters.count, letters[place] == word[index - 1], letters[place] != letter { place += 1 }
        guard place < letters.count, letters[place] == letter || letters[place] == mask && index > 0 else { return false }
        if letters[place] == letter { shown += 1 }
        place += 1
      }
      return shown * 2 >= word.count
    }
  }

  /// The offices of a show, in the languages of the pages: the host, the moderator, the presenter, the manager, the supervisor, the organizer.
  private static let offices: Set<String> = Set(
    [
      "admin", "admins", "administrator", "host", "hosts", "cohost", "gamehost", "quizmaster", "gamemaster", "showmaster", "moderator",
      "moderators", "mod", "mods", "operator", "presenter", "organizer", "organiser", "staff", "official", "sysadmin", "referee",
      "cuelight",
      "مضيف", "المضيف", "مشرف", "المشرف", "مدير", "المدير", "منظم", "المنظم", "مقدم", "المقدم", "رسمي", "الرسمي", "إدارة", "الإدارة",
    ].map { look(of: $0) })
  /// Words that are joined to the name of an office.
  private static let attributes = [
    "the", "real", "true", "official", "game", "quiz", "show", "super", "main", "chief", "head", "team", "bot",
  ].map {
    look(of: $0)
  }
  /// Words that are no names on their own: a system, and what programs write if a name is missing.
  private static let unreal: Set<String> = Set(["system", "النظام", "null", "undefined"].map { look(of: $0) })
  private static let insults = ["fuck", "cunt", "nigger", "faggot", "hitler", "arschloch", "fotze"].map {
    letters(shown($0), isMasked: false)
  }
  /// Harmless words that contain an insult.
  private static let harmless = ["scunthorpe"].map { letters(shown($0), isMasked: false) }
  /// Signs that hide letters.
  private static let masks: Set<Unicode.Scalar> = ["*", "#", "%", "&", "@", "$", "!", "?"]
  private static let mask: Unicode.Scalar = "*"
  /// Signs that are read as a letter to recognize a word. In names they are letters and digits of their own.
  private static let standIns: [Unicode.Scalar: Unicode.Scalar] = ["3": "e", "4": "a", "5": "s", "7": "t", "v": "u"]
}

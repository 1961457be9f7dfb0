import Sheets

/// A line of a text without its end.
struct TextLine {
  var characters: [PlacedCharacter]
  var place: SheetPlace

  var isBlank: Bool { characters.allSatisfy { $0.isSpace } }

  func begins(_ text: String) -> Bool {
    let rest = characters.drop { $0.isSpace }.prefix(text.unicodeScalars.count)
    return rest.map { $0.scalar }.elementsEqual(text.unicodeScalars)
  }

  /// Reads the lines of a text, one after the other: all at once would take much memory.
  static func each(of text: String, _ read: (TextLine) -> Void) {
    var counter = PlaceCounter()
    var line = TextLine(characters: [], place: counter.place)
    for scalar in text.unicodeScalars {
      let place = counter.place
      counter.advance(past: scalar)
      if counter.place.line != place.line {
        read(line)
        line = TextLine(characters: [], place: counter.place)
      } else if scalar != "\n" {
        // The LF of CR LF belongs to the end of the previous line.
        line.characters.append(PlacedCharacter(scalar: scalar, place: place))
      }
    }
    read(line)
  }
}

/// A character with its place; in GIFT, a backslash before a sign makes it a plain character.
struct PlacedCharacter {
  var scalar: Unicode.Scalar
  var place: SheetPlace
  var isEscaped = false

  var isSpace: Bool { scalar.properties.isWhitespace }
  /// Whether it is a sign with a meaning.
  func isSign(_ sign: Unicode.Scalar) -> Bool { scalar == sign && !isEscaped }
}

extension Collection<PlacedCharacter> {
  /// The characters as a text.
  var text: String { String(String.UnicodeScalarView(map { $0.scalar })) }
}

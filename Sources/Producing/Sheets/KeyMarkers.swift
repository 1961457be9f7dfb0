import Yams

/// Makes repeated keys different from each other, so that the YAML library reads the text to its end.
///
/// The library stops at a mapping with a repeated key and names only the key's first occurrence. With a marker (a character for private use) before
/// that occurrence the keys differ, and the library continues. Then the markers are removed from the keys.
struct KeyMarkers {
  private let source: String
  /// The maximum number of repeated keys that are marked in one text. Each costs another reading, which is slow for a long text.
  private let mostMarkers: Int
  private static let largestMarkerCount = 50
  private static let mostBytesReadAgain = 4 << 20
  /// Where the text ends.
  private let end: SheetPlace
  private var markers: [SheetPlace: Unicode.Scalar] = [:]

  init(_ source: String) {
    self.source = source
    var counter = PlaceCounter()
    for scalar in source.unicodeScalars { counter.advance(past: scalar) }
    end = counter.place
    mostMarkers = min(Self.largestMarkerCount, Self.mostBytesReadAgain / max(source.utf8.count, 1))
  }

  /// The text with its markers.
  var markedText: String {
    guard !markers.isEmpty else { return source }
    var marked = String.UnicodeScalarView()
    var counter = PlaceCounter()
    for scalar in source.unicodeScalars {
      if let marker = markers[counter.place] { marked.append(marker) }
      marked.append(scalar)
      counter.advance(past: scalar)
    }
    return String(marked)
  }

  /// Marks the key at a place of the unmarked text; `false` if that cannot be done.
  mutating func add(at place: SheetPlace) -> Bool {
    guard markers.count < mostMarkers, let marker = Unicode.Scalar(0xE000 + UInt32(markers.count)) else { return false }
    var counter = PlaceCounter()
    for scalar in source.unicodeScalars {
      if counter.place == place {
        // Before an anchor, a tag, an alias or a collection, a marker would change its meaning.
        guard !"&!*?[{|>".unicodeScalars.contains(scalar) else { return false }
        let isQuoted = scalar == "\"" || scalar == "'"
        let position = SheetPlace(line: place.line, column: place.column + (isQuoted ? 1 : 0))
        guard markers[position] == nil else { return false }
        markers[position] = marker
        return true
      }
      counter.advance(past: scalar)
    }
    return false
  }

  /// Converts a place in the marked text to one in the unmarked text. For the end of a text without a final line break the library names an extra
  /// line.
  func original(_ mark: Mark) -> SheetPlace { mark.line > end.line ? end : place(mark) }

  private func place(_ mark: Mark) -> SheetPlace {
    guard !markers.isEmpty else { return SheetPlace(line: mark.line, column: mark.column) }
    let columns = markers.keys.filter { $0.line == mark.line }.map(\.column).sorted()
    let before = columns.enumerated().count { $0.element + $0.offset < mark.column }
    return SheetPlace(line: mark.line, column: mark.column - before)
  }

  /// Returns a key without its marker.
  func unmarked(_ key: String, at place: SheetPlace) -> String {
    guard !markers.isEmpty, let first = key.unicodeScalars.first else { return key }
    let afterQuote = SheetPlace(line: place.line, column: place.column + 1)
    guard markers[place] == first || markers[afterQuote] == first else { return key }
    return String(key.unicodeScalars.dropFirst())
  }
}

/// Finds keys that the YAML library would take too long to compare.
///
/// The library hashes every key of a mapping. Some twenty levels of aliases within aliases make millions of values. As values they are
/// counted and refused; as keys they must be refused before the library reads them.
enum ExpensiveKeys {
  /// The number of aliases that are harmless, whatever they name.
  private static let harmlessAliases = 16

  /// The place where a non-scalar key seems to begin or end, in a text with many aliases.
  static func place(in text: String) -> SheetPlace? {
    var aliases = 0
    var found: SheetPlace?
    var counter = PlaceCounter()
    var previous: Unicode.Scalar = "\n"
    var lastInk: Unicode.Scalar = "\n"
    var isInAlias = false
    for scalar in text.unicodeScalars {
      let isBlank = scalar == " " || scalar == "\t"
      let startsToken = " \t\r\n[{,:-".unicodeScalars.contains(previous)
      if scalar == "*", startsToken {
        aliases += 1
        isInAlias = true
      } else if isInAlias, ",]}\r\n".unicodeScalars.contains(scalar) {
        isInAlias = false
      }
      if found == nil {
        let endsKey = scalar == ":" && (lastInk == "]" || lastInk == "}" || isInAlias)
        let startsKey = scalar == "?" && startsToken && "\r\n[{,-".unicodeScalars.contains(lastInk)
        if endsKey || startsKey { found = counter.place }
      }
      if !isBlank { lastInk = scalar }
      previous = scalar
      counter.advance(past: scalar)
    }
    return aliases > harmlessAliases ? found : nil
  }
}

import Yams

/// Makes repeated keys different from each other, so that reading goes on behind them.
///
/// The YAML library gives up at a mapping with a repeated key and names only its first occurrence. A marker (a character for private use)
/// put in front of that occurrence lets the library read on; afterwards the markers are taken off the keys again.
struct KeyMarkers {
  private let source: String
  /// Repeated keys that are looked for in one text, each of which costs another reading.
  private static let mostMarkers = 50
  /// Where the text ends.
  private let end: SheetPlace
  private var markers: [SheetPlace: Unicode.Scalar] = [:]

  init(_ source: String) {
    self.source = source
    var counter = PlaceCounter()
    for scalar in source.unicodeScalars { counter.pass(scalar) }
    end = counter.place
  }

  /// The text with its markers.
  var markedText: String {
    guard !markers.isEmpty else { return source }
    var marked = String.UnicodeScalarView()
    var counter = PlaceCounter()
    for scalar in source.unicodeScalars {
      if let marker = markers[counter.place] { marked.append(marker) }
      marked.append(scalar)
      counter.pass(scalar)
    }
    return String(marked)
  }

  /// Marks the key at a place of the unmarked text; `false` where that cannot be done.
  mutating func add(at place: SheetPlace) -> Bool {
    guard markers.count < Self.mostMarkers, let marker = Unicode.Scalar(0xE000 + UInt32(markers.count)) else { return false }
    var counter = PlaceCounter()
    for scalar in source.unicodeScalars {
      if counter.place == place {
        // In front of an anchor, a tag, an alias or a collection, a marker would make it something else.
        guard !"&!*?[{|>".unicodeScalars.contains(scalar) else { return false }
        let isQuoted = scalar == "\"" || scalar == "'"
        let position = SheetPlace(line: place.line, column: place.column + (isQuoted ? 1 : 0))
        guard markers[position] == nil else { return false }
        markers[position] = marker
        return true
      }
      counter.pass(scalar)
    }
    return false
  }

  /// The place in the unmarked text of a place in the marked one. The library has the end of a text without a line break in a line of its own.
  func original(_ mark: Mark) -> SheetPlace { mark.line > end.line ? end : place(mark) }

  private func place(_ mark: Mark) -> SheetPlace {
    guard !markers.isEmpty else { return SheetPlace(line: mark.line, column: mark.column) }
    let columns = markers.keys.filter { $0.line == mark.line }.map(\.column).sorted()
    let before = columns.enumerated().count { $0.element + $0.offset < mark.column }
    return SheetPlace(line: mark.line, column: mark.column - before)
  }

  /// A key without the marker that was put in front of it.
  func unmarked(_ key: String, at place: SheetPlace) -> String {
    guard !markers.isEmpty, let first = key.unicodeScalars.first else { return key }
    let afterQuote = SheetPlace(line: place.line, column: place.column + 1)
    guard markers[place] == first || markers[afterQuote] == first else { return key }
    return String(key.unicodeScalars.dropFirst())
  }
}

/// Finds keys that the YAML library would take too long to compare.
///
/// It hashes every key of a mapping. An alias within an alias, some twenty levels deep, stands for millions of values: as values they
/// are counted and refused, as keys they have to be refused before they are read.
enum ExpensiveKeys {
  /// As many aliases as do no harm, whatever they stand for.
  private static let harmlessAliases = 16

  /// Where a key that is no scalar seems to begin or end, in a text with many aliases.
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
      counter.pass(scalar)
    }
    return aliases > harmlessAliases ? found : nil
  }
}

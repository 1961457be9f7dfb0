import Sheets

/// Changes single values of a text in YAML or JSON, and keeps the rest unchanged.
struct SheetEditor {
  private let source: [Unicode.Scalar]
  /// Where each line begins.
  private let lines: [Int]
  /// The replacements, whose ranges in the source do not touch.
  private var edits: [Int: (end: Int, text: String)] = [:]

  init(_ text: String) {
    source = Array(text.unicodeScalars)
    var lines = [0]
    var counter = PlaceCounter()
    for (index, scalar) in source.enumerated() {
      let line = counter.place.line
      counter.advance(past: scalar)
      if counter.place.line > line { lines.append(index + 1) }
    }
    // The LF of CR LF belongs to the line ending.
    for index in lines.indices
    where lines[index] < source.count && index > 0 && source[lines[index] - 1] == "\r" && source[lines[index]] == "\n" {
      lines[index] += 1
    }
    self.lines = lines
  }

  /// The text with all changes.
  var text: String {
    var output = String.UnicodeScalarView()
    var position = 0
    for (start, edit) in edits.sorted(by: { $0.key < $1.key }) where start >= position {
      output.append(contentsOf: source[position..<start])
      output.append(contentsOf: edit.text.unicodeScalars)
      position = edit.end
    }
    output.append(contentsOf: source[position...])
    return String(output)
  }

  /// Replaces a scalar, in quotation marks or without.
  mutating func replace(_ old: String, at place: SheetPlace, with new: String) throws(SheetError) {
    guard var start = index(of: place) else { throw Self.failure(at: place) }
    if start < source.count, source[start] == "\"" || source[start] == "'" { start += 1 }
    let characters = Array(old.unicodeScalars)
    guard source[start...].starts(with: characters) else { throw Self.failure(at: place) }
    edits[start] = (start + characters.count, new)
  }

  /// Writes members in front of those of a mapping, in its style.
  mutating func insert(_ members: [(key: String, value: String)], intoMappingAt place: SheetPlace) throws(SheetError) {
    guard var start = index(of: place), start < source.count else { throw Self.failure(at: place) }
    guard source[start] == "{" else {
      let first = lines[place.line - 1]
      let isCRLF = first > 1 && source[first - 2] == "\r"
      let lineEnd = (isCRLF ? "\r\n" : "\n") + String(repeating: " ", count: place.column - 1)
      edits[start] = (start, members.map { "\($0.key): \($0.value)\(lineEnd)" }.joined())
      return
    }
    repeat { start += 1 } while start < source.count && " \t\r\n".unicodeScalars.contains(source[start])
    let mark = start < source.count && source[start] == "\"" ? "\"" : ""
    edits[start] = (start, members.map { "\(mark)\($0.key)\(mark): \($0.value), " }.joined())
  }

  /// Removes the element of a list that begins at a place: in block style with its lines, in brackets with one comma.
  ///
  /// - Parameter isAfterAnother: Whether an element before it stays.
  mutating func removeElement(at place: SheetPlace, isAfterAnother: Bool) throws(SheetError) {
    guard let start = index(of: place) else { throw Self.failure(at: place) }
    var before = start
    while before > 0, source[before - 1] == " " || source[before - 1] == "\t" { before -= 1 }
    let first = lines[place.line - 1]
    let isBlock = before > first && source[before - 1] == "-" && source[first..<before - 1].allSatisfy { $0 == " " || $0 == "\t" }
    guard isBlock else { return try removeFlow(from: start, at: place, isAfterAnother: isAfterAnother) }
    // Removes up to the next line that is not indented further than the dash. Comments in the cue are removed with it, those after it stay.
    let column = before - 1 - first
    var end = place.line
    var next = place.line
    while next < lines.count {
      let line = source[lines[next]..<(next + 1 < lines.count ? lines[next + 1] : source.count)]
      let indent = line.prefix { $0 == " " || $0 == "\t" }.count
      let ink = line.dropFirst(indent).first
      let isEmpty = ink == nil || ink == "\n" || ink == "\r"
      if !isEmpty, indent <= column { break }
      next += 1
      // A block text may end with empty lines. Those before the next cue stay.
      if !isEmpty { end = next }
    }
    edits[first] = (end < lines.count ? lines[end] : source.count, "")
  }

  /// Removes a mapping in braces, with the comma before it if an element before it stays, otherwise with the comma after it.
  private mutating func removeFlow(from start: Int, at place: SheetPlace, isAfterAnother: Bool) throws(SheetError) {
    guard start < source.count, source[start] == "{", var end = endOfFlow(from: start) else { throw Self.failure(at: place) }
    var start = start
    func isSpace(_ index: Int) -> Bool { " \t\r\n".unicodeScalars.contains(source[index]) }
    if isAfterAnother {
      repeat { start -= 1 } while start > 0 && isSpace(start)
      guard start > 0, source[start] == "," else { throw Self.failure(at: place) }
    } else {
      while end < source.count, isSpace(end) { end += 1 }
      guard end < source.count, source[end] == "," else { throw Self.failure(at: place) }
      repeat { end += 1 } while end < source.count && isSpace(end)
    }
    edits[start] = (end, "")
  }

  /// The index after a mapping in braces. Braces in quotation marks do not count, and quotation marks count only at places where a value can begin.
  private func endOfFlow(from start: Int) -> Int? {
    var depth = 0
    var index = start
    var last: Unicode.Scalar = "{"
    while index < source.count {
      let scalar = source[index]
      switch scalar {
      case "{", "[": depth += 1
      case "}", "]":
        depth -= 1
        if depth == 0 { return index + 1 }
      case "\"" where "{[,:".unicodeScalars.contains(last), "'" where "{[,:".unicodeScalars.contains(last):
        index += 1
        while index < source.count, source[index] != scalar {
          index += scalar == "\"" && source[index] == "\\" ? 2 : 1
        }
      default: break
      }
      if !" \t\r\n".unicodeScalars.contains(scalar) { last = scalar }
      index += 1
    }
    return nil
  }

  private func index(of place: SheetPlace) -> Int? {
    guard (1...lines.count).contains(place.line) else { return nil }
    let index = lines[place.line - 1] + place.column - 1
    return index <= source.count ? index : nil
  }

  private static func failure(at place: SheetPlace) -> SheetError {
    SheetError(at: place, "this cannot be edited here, since it is written somewhere else or across lines; write it in one line")
  }
}

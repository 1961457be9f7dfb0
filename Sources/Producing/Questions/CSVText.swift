import Sheets

/// A table of values separated by commas (RFC 4180) or other separators, each with its place.
struct CSVText {
  /// The rows that are not empty.
  private(set) var rows: [[Placed<String>]] = []
  private(set) var problems: [SheetProblem] = []

  private var cells: [Placed<String>] = []
  private var cell = String.UnicodeScalarView()
  private var cellPlace = SheetPlace.start
  private var state = State.start
  private var cellCount = 0
  private let separator: Unicode.Scalar

  private enum State {
    /// The cell has not begun.
    case start
    /// The cell is written without quotation marks.
    case plain
    /// The cell is written in quotation marks.
    case quoted
    /// After a quotation mark within quotation marks, which either ends the cell or is the first half of a doubled one.
    case quotedMark
  }

  /// Reads a table. Lines may end in any way; a quotation mark in a cell in quotation marks is written twice.
  ///
  /// - Parameter skipped: The number of characters at the beginning that belong to no cell.
  init(_ text: some Collection<Unicode.Scalar>, separator: Unicode.Scalar = ",", skipping skipped: Int = 0) {
    self.separator = separator
    var counter = PlaceCounter()
    for scalar in text.prefix(skipped) { counter.advance(past: scalar) }
    cellPlace = counter.place
    var previousIsReturn = false
    for scalar in text.dropFirst(skipped) {
      // The LF of CR LF is part of the same line ending.
      if scalar != "\n" || !previousIsReturn || state == .quoted { read(scalar, at: counter.place) }
      guard cellCount <= SheetLimits.marks else {
        problems.report(at: counter.place, "there are more than \(SheetLimits.marks) cells here; split the file")
        return
      }
      previousIsReturn = scalar == "\r" && state != .quoted
      counter.advance(past: scalar)
      if state == .start, cell.isEmpty { cellPlace = counter.place }
    }
    if state == .quoted { problems.report(at: cellPlace, "this quotation mark is never closed; add one after the text") }
    endRow()
  }

  private mutating func read(_ scalar: Unicode.Scalar, at place: SheetPlace) {
    switch (state, scalar) {
    case (.quoted, "\""): state = .quotedMark
    case (.quoted, _): cell.append(scalar)
    case (.quotedMark, "\""):
      cell.append(scalar)
      state = .quoted
    case (_, separator):
      endCell()
      // A cell that ends here is followed by another one, even an empty one.
      state = .start
    case (_, "\n"), (_, "\r"): endRow()
    case (.start, "\""):
      cellPlace = place
      state = .quoted
    case (.quotedMark, " "), (.quotedMark, "\t"): break
    case (.quotedMark, _):
      problems.report(at: place, "text after a closing quotation mark; write a quotation mark within the text twice")
      cell.append(scalar)
      state = .plain
    case (.start, " ") where cell.isEmpty, (.start, "\t") where cell.isEmpty:
      // A cell in quotation marks may follow a space.
      break
    case (.start, _), (.plain, _):
      if state == .start { cellPlace = place }
      cell.append(scalar)
      state = .plain
    }
  }

  private mutating func endCell() {
    cellCount += 1
    cells.append(Placed(String(cell).fromCellText, at: cellPlace))
    cell = String.UnicodeScalarView()
  }

  private mutating func endRow() {
    endCell()
    if cells.contains(where: { !$0.value.trimmed.isEmpty }) { rows.append(cells) }
    cells = []
    state = .start
  }
}

import Basics
import Sheets

/// The right option, as a cell gives it: by its number, its letter, or its text.
struct AnswerKey {
  /// The index of the option at the place that the cell names.
  let byPlace: Int?
  /// The index of the option with the cell's text.
  let byText: Int?
  /// The number of places that the cell names, as in `1,3`.
  let placeCount: Int

  /// How a table says which answer is right.
  enum Meaning {
    case place, text
  }

  /// - Parameters:
  ///   - options: The texts of the options.
  ///   - places: The place of each option, from 1: empty ones before it count, too.
  init(_ cell: String, options: [String], places: [Int]) {
    let skeleton = HiddenCharacters.skeleton(of: cell.trimmed)
    byText = options.firstIndex { HiddenCharacters.skeleton(of: $0.trimmed) == skeleton }
    let named = ColumnName.place(cell)
    byPlace = named.flatMap { places.firstIndex(of: $0) }
    let parts = cell.split { [",", ";", "/", "+", "&"].contains($0) }.map { ColumnName.place(String($0)) }
    placeCount = parts.count > 1 && parts.allSatisfy { $0 != nil } ? parts.count : named == nil ? 0 : 1
  }

  /// Whether the cell names one of the options.
  var isFound: Bool { byPlace != nil || byText != nil }

  /// Whether both ways to read the cell lead to different answers.
  var isAmbiguous: Bool { byPlace != nil && byText != nil && byPlace != byText }

  /// How the cells of a table are meant: as the unambiguous ones are, if these agree.
  static func meaning(_ keys: some Sequence<AnswerKey>) -> Meaning? {
    var (places, texts) = (false, false)
    for key in keys {
      if key.byPlace != nil, key.byText == nil { places = true }
      if key.byText != nil, key.byPlace == nil { texts = true }
    }
    return places == texts ? nil : places ? .place : .text
  }

  /// The index of the right option; `nil` if there is none, which is reported.
  func index(_ meaning: Meaning?, _ cell: Placed<String>, count: Int, _ problems: inout [SheetProblem]) -> Int? {
    if isAmbiguous, meaning == nil {
      return problems.refuse(
        at: cell.place,
        "\(cell.value.trimmed.quoted) is the number of an option and the text of another one; write the letter of the right one, from A on")
    }
    if let index = meaning == .place ? byPlace ?? byText : byText ?? byPlace { return index }
    if placeCount > 1 {
      problems.report(at: cell.place, "\(placeCount) answers are said to be right; exactly one is: write its number alone")
    } else {
      problems.report(
        at: cell.place,
        "\(cell.value.trimmed.quoted) is none of the \(count) options; write the number from 1 on, the letter or the text of the right one")
    }
    return nil
  }
}

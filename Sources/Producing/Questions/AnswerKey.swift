import Basics
import Sheets

/// The right options, as a cell gives them: by their numbers, their letters, or their texts.
struct AnswerKey {
  /// The index of the option at the place that the cell names.
  let byPlace: Int?
  /// The index of the option with the cell's text.
  let byText: Int?
  /// The indices of options, if the cell names several places, as in `1,3` or `A;C`.
  private let places: [Int]?
  /// The indices of options, if the cell has several of their texts.
  private let texts: [Int]?
  /// The number of places that the cell names.
  private let placeCount: Int

  /// How a table says which answer is right.
  enum Meaning {
    case place, text
  }

  /// - Parameters:
  ///   - options: The texts of the options.
  ///   - places: The place of each option, from 1: empty ones before it count, too.
  init(_ cell: String, options: [String], places: [Int]) {
    let skeletons = options.map { HiddenCharacters.skeleton(of: $0.trimmed) }
    func index(ofText text: some StringProtocol) -> Int? {
      let skeleton = HiddenCharacters.skeleton(of: String(text).trimmed)
      return skeletons.firstIndex { $0 == skeleton }
    }
    byText = index(ofText: cell)
    let parts = cell.split { [",", ";", "/", "+", "&"].contains($0) }.map { ColumnName.place(String($0)) }
    // `1;2` is no twelve.
    let named = parts.count > 1 ? nil : ColumnName.place(cell)
    byPlace = named.flatMap { places.firstIndex(of: $0) }
    placeCount = parts.count > 1 && parts.allSatisfy { $0 != nil } ? parts.count : named == nil ? 0 : 1
    let isList = parts.count > 1
    self.places = isList ? Self.all(parts.map { part in part.flatMap { places.firstIndex(of: $0) } }) : nil
    let words = cell.split { $0 == "," || $0 == ";" || $0.isNewline }
    texts = words.count > 1 ? Self.all(words.map { index(ofText: $0) }) : nil
  }

  /// The indices, if none is missing and none is there twice.
  private static func all(_ indices: [Int?]) -> [Int]? {
    let found = indices.compactMap { $0 }
    return found.count == indices.count && Set(found).count == found.count ? found : nil
  }

  /// Whether the cell names one of the options, or several.
  var isFound: Bool { byPlace != nil || byText != nil || places != nil || texts != nil }

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

  /// The indices of the right options, in the order of the cell; `nil` if there is none, which is reported.
  ///
  /// - Parameter isList: Whether several options are expected, so that `1,3` are two places even if an option has this text.
  func indices(
    _ meaning: Meaning?, _ cell: Placed<String>, count: Int, isList: Bool, _ problems: inout [SheetProblem]
  ) -> [Int]? {
    if isList, meaning == .place, let places { return places }
    if isAmbiguous, meaning == nil { return Self.refuse(cell, "is the number of an option and the text of another one", &problems) }
    if let index = meaning == .place ? byPlace ?? byText : byText ?? byPlace { return [index] }
    if let places, let texts, Set(places) != Set(texts), meaning == nil {
      return Self.refuse(cell, "are the numbers of options and the texts of other ones", &problems)
    }
    if let indices = meaning == .text ? texts ?? places : places ?? texts { return indices }
    let text = cell.value.trimmed.quoted
    problems.report(
      at: cell.place,
      placeCount > 1
        ? "\(text) has what is none of the \(count) options, or one of them twice; write their numbers from 1 on, as in 1,3"
        : "\(text) is none of the \(count) options; write the number from 1 on, the letter or the text of the right one")
    return nil
  }

  private static func refuse(_ cell: Placed<String>, _ fault: String, _ problems: inout [SheetProblem]) -> [Int]? {
    problems.refuse(at: cell.place, "\(cell.value.trimmed.quoted) \(fault); write the letter of the right one, from A on")
  }
}

import Basics
import Sheets

/// When a cue happens, as it was written: a time of the programme, or a distance from something else in the sheet.
struct CueMoment: Equatable, Sendable {
  /// The point from which a time counts.
  enum Anchor: String, CaseIterable, Sendable {
    /// The cue before it in the text.
    case previous
    /// The cue after it in the text.
    case next
    /// The `startGame` above it.
    case start
    /// The question above it.
    case question
    /// The end of the time for answers of the question above it.
    case timeUp
    /// The result above it.
    case result

    /// What has to be above it in the text, in words.
    var name: String {
      switch self {
      case .previous: "cue"
      case .next: "cue"
      case .start: "startGame"
      case .question, .timeUp: "askQuestion"
      case .result: "showResults"
      }
    }
  }

  /// The point from which the distance counts; `nil` for the programme's beginning.
  var anchor: Anchor?
  /// How long after the anchor the cue is; negative for before it.
  var distance: MediaTime
  /// Whether it is a drop-frame timecode; `nil` if it is not a timecode.
  var isDrop: Bool?
}

/// Why a text is not a distance from something else in the sheet.
enum CueMomentError: Error, Equatable {
  /// It begins with a word that names nothing.
  case unknownAnchor(String)
  /// The text after the word is not a sign with a duration.
  case noDistance
}

extension CueMoment {
  /// Whether a text is meant as a distance: it begins with a plus, or with a letter and has a sign, or is one of the words.
  static func isDistance(_ text: String) -> Bool {
    guard let first = text.utf8.first else { return false }
    if first == UInt8(ascii: "+") { return true }
    return first.isASCIILetter && (text.utf8.contains { "+-".utf8.contains($0) } || Anchor(rawValue: text) != nil)
  }

  /// Reads `+5s`, `timeUp`, `timeUp + 2s` or `next - 2s`.
  init(distance text: String) throws(CueMomentError) {
    let word = text.prefix { $0.isASCII && $0.isLetter }
    var rest = text.dropFirst(word.count).drop { $0 == " " || $0 == "\t" }
    guard let anchor = word.isEmpty ? .previous : Anchor(rawValue: String(word)) else { throw .unknownAnchor(String(word)) }
    self.init(anchor: anchor, distance: .zero, isDrop: nil)
    guard let sign = rest.first else { return }
    guard sign == "+" || sign == "-" else { throw .noDistance }
    rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
    guard let duration = try? MediaTime(cueTime: String(rest)) else { throw .noDistance }
    distance = sign == "-" ? .zero - duration : duration
  }
}

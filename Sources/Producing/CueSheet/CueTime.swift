public import Basics

/// The reason why a text is not a time of a cue sheet.
public enum CueTimeError: Error, Equatable {
  /// The time is before the timeline origin.
  case negative
  /// The text is something else.
  case notATime
}

extension MediaTime {
  /// Reads seconds (`12.5`, `12.5s`), `mm:ss` or `hh:mm:ss`, the seconds with any number of decimals, exactly to the nearest tick.
  ///
  /// Minutes after hours, and seconds after minutes, have two digits and are below 60.
  public init(cueTime text: String) throws(CueTimeError) {
    guard !text.utf8.starts(with: "-".utf8) else {
      let magnitude = text.dropFirst()
      guard magnitude.utf8.first != UInt8(ascii: "-") else { throw .notATime }
      _ = try MediaTime(cueTime: String(magnitude))
      throw .negative
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let last = parts.last, parts.count <= 3 else { throw .notATime }
    guard parts.count > 1 else {
      self = try Self.decimalSeconds(last.utf8.last == UInt8(ascii: "s") ? last.dropLast() : last)
      return
    }
    // Nine digits of hours are more than the longest time and far from overflow.
    guard let first = parts.first, (1...9).contains(first.utf8.count) else { throw .notATime }
    var minutes = try Self.wholeNumber(first)
    if parts.count == 3 { minutes = minutes * 60 + (try Self.belowSixty(parts[1])) }
    _ = try Self.belowSixty(last.prefix { $0 != "." })
    let seconds = try Self.decimalSeconds(last)
    let total = MediaTime(seconds: minutes * 60) + seconds
    guard total <= MediaTime(seconds: Int(Self.largestSeconds)) else { throw .notATime }
    self = total
  }

  /// Reads a duration with an optional sign, after which ``init(cueTime:)`` reads the rest.
  public init(signedCueTime text: String) throws(CueTimeError) {
    guard let sign = text.utf8.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") else {
      try self.init(cueTime: text)
      return
    }
    let magnitude = String(text.dropFirst())
    guard magnitude.utf8.first?.isASCIIDigit == true else { throw .notATime }
    let duration = try MediaTime(cueTime: magnitude)
    self = sign == UInt8(ascii: "-") ? .zero - duration : duration
  }

  private static func decimalSeconds(_ text: Substring) throws(CueTimeError) -> MediaTime {
    let isDecimal = text.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
    guard isDecimal, let time = MediaTime(decimalSeconds: String(text)) else { throw .notATime }
    return time
  }

  private static func belowSixty(_ text: Substring) throws(CueTimeError) -> Int {
    let number = try wholeNumber(text)
    guard text.utf8.count == 2, number < 60 else { throw .notATime }
    return number
  }

  private static func wholeNumber(_ text: Substring) throws(CueTimeError) -> Int {
    guard text.utf8.allSatisfy({ $0.isASCIIDigit }), let number = Int(text) else { throw .notATime }
    return number
  }
}

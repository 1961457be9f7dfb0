/// How a cell shows its number, as far as text can express it (18.8.30, 18.8.31).
struct NumberFormat: Equatable {
  private enum Kind: Equatable {
    /// As precise as needed.
    case general
    /// With this number of decimals.
    case fixed(Int)
    /// In percent, with this number of decimals.
    case percent(Int)
    case date, time, dateAndTime, year
    /// Anything else.
    case other
  }

  private let kind: Kind
  private let code: String

  /// The codes of the built-in formats.
  static let codes: [Int: String] = [
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "mm-dd-yy",
    15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yy h:mm",
    37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mmss.0", 48: "##0.0E+0", 49: "@",
  ]

  /// The format of a code, whose first section counts.
  init(_ code: String) {
    self.code = code
    let signs = Self.signs(of: code)
    if code == "@" || code.isEmpty || signs.lowercased().hasPrefix("general") {
      kind = .general
      return
    }
    let lower = signs.lowercased()
    let (hasDay, hasTime) = (lower.contains { "yd".contains($0) }, lower.contains { "hs".contains($0) })
    if hasDay || hasTime || lower.contains("m") {
      let isYear = lower.allSatisfy { $0 == "y" }
      kind = isYear ? .year : hasTime ? hasDay ? .dateAndTime : .time : .date
      return
    }
    let decimals = signs.split(separator: ".", maxSplits: 1).dropFirst().first?.prefix { "0#?".contains($0) }.count ?? 0
    let plain = signs.filter { !"0#?., ".contains($0) }
    kind =
      plain.isEmpty && signs.contains { "0#?".contains($0) } && signs == code.prefix(signs.count)
      ? .fixed(decimals)
      : plain == "%" ? .percent(decimals) : .other
  }

  /// The signs of the first section that mean something: without literals, colours, conditions and spaces.
  private static func signs(of code: String) -> String {
    var output = ""
    var (isQuoted, isBracket, isEscaped) = (false, false, false)
    for character in code.prefix(255) {
      if isEscaped {
        isEscaped = false
      } else if isQuoted {
        isQuoted = character != "\""
      } else if isBracket {
        isBracket = character != "]"
        // Elapsed hours, minutes and seconds.
        if "hms".contains(character.lowercased()), output.isEmpty || output.hasSuffix(":") { output.append(character) }
      } else {
        switch character {
        case ";": return output
        case "\"": isQuoted = true
        case "[": isBracket = true
        case "\\", "_", "*": isEscaped = true
        default: output.append(character)
        }
      }
    }
    return output
  }

  /// The text of the cell, and why it may differ from what the spreadsheet shows.
  func text(_ number: Double, hasDatesFrom1904: Bool) -> (text: String, remark: String?) {
    switch kind {
    case .general: return (DecimalText(number).text, nil)
    case .fixed(let decimals): return (DecimalText(number).text(decimals: decimals), nil)
    case .percent(let decimals): return (DecimalText(number).timesHundred.text(decimals: decimals) + "%", nil)
    case .date, .time, .dateAndTime, .year:
      guard let date = DateText(serial: number, from1904: hasDatesFrom1904) else {
        return (DecimalText(number).text, "this cell is no date")
      }
      switch kind {
      case .year: return (date.year, nil)
      case .time: return (date.time, "this cell is a time")
      case .dateAndTime: return ("\(date.date) \(date.time)", "this cell is a date")
      default: return (date.date, "this cell is a date")
      }
    case .other: return (DecimalText(number).text, "this cell is a number in the format \(code.prefix(40))")
    }
  }
}

/// A number in decimal digits, at most 15 of them, as spreadsheets show it.
struct DecimalText {
  private var isNegative: Bool
  /// The digits, without zeros at the ends; none for zero.
  private var digits: [UInt8]
  /// The place of the point: before this digit.
  private var point: Int

  init(_ number: Double) {
    isNegative = number < 0
    (digits, point) = ([], 0)
    // The shortest text that means this number, such as 0.1, 12.5 or 3e-05.
    let parts = number.magnitude.description.split(separator: "e", maxSplits: 1)
    var hasPoint = false
    for byte in parts.first?.utf8 ?? "".utf8[...] {
      if byte == UInt8(ascii: ".") {
        hasPoint = true
      } else if (0x30...0x39).contains(byte) {
        digits.append(byte - 0x30)
        if !hasPoint { point += 1 }
      }
    }
    point += parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    let zeros = digits.prefix { $0 == 0 }.count
    digits.removeFirst(zeros)
    point -= zeros
    round(to: 15)
  }

  /// The number in percent.
  var timesHundred: DecimalText {
    var number = self
    number.point += 2
    return number
  }

  /// Rounds to a number of digits, half away from zero.
  private mutating func round(to count: Int) {
    if count < digits.count {
      let isUp = count >= 0 && digits[max(count, 0)] >= 5
      digits = Array(digits.prefix(max(count, 0)))
      if isUp {
        while digits.last == 9 { digits.removeLast() }
        if let last = digits.indices.last {
          digits[last] += 1
        } else {
          digits = [1]
          point += 1
        }
      }
    }
    while digits.last == 0 { digits.removeLast() }
    if digits.isEmpty { (point, isNegative) = (0, false) }
  }

  /// As precise as needed.
  var text: String {
    let isLong = point > 20 || point < -9
    if isLong, !digits.isEmpty {
      let rest = digits.dropFirst().map { String($0) }.joined()
      return "\(isNegative ? "-" : "")\(digits[0])\(rest.isEmpty ? "" : ".\(rest)")E\(point > 0 ? "+" : "-")\(abs(point - 1))"
    }
    return text(decimals: max(0, digits.count - point))
  }

  /// With a number of decimals.
  func text(decimals: Int) -> String {
    var number = self
    number.round(to: point + decimals)
    // A digit of zero if there is none.
    func digit(_ index: Int) -> String { number.digits.indices.contains(index) ? String(number.digits[index]) : "0" }
    let whole = number.point > 0 ? (0..<min(number.point, 400)).map { digit($0) }.joined() : "0"
    let fraction = (0..<min(decimals, 40)).map { digit(number.point + $0) }.joined()
    return "\(number.isNegative ? "-" : "")\(whole)\(fraction.isEmpty ? "" : ".\(fraction)")"
  }
}

/// A date as ISO 8601 writes it.
struct DateText {
  let year: String
  let date: String
  let time: String

  /// The moment of a serial number: days since the end of 1899, or since the beginning of 1904 (18.17.4); `nil` if no calendar has it.
  init?(serial: Double, from1904: Bool) {
    guard serial >= 0, serial < 2_958_466 else { return nil }
    let seconds = Int((serial * 86_400).rounded())
    let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
    // In the older count 1900 has a 29 February, day 60.
    let civil = from1904 ? days + 1_462 : days < 60 ? days + 1 : days
    let (year, month, day) = Self.civil(daysSince1970: civil - 25_569)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    self.year = "\(year)"
    date = "\(year)-\(two(month))-\(two(day))"
    let clock = "\(two(rest / 3_600)):\(two(rest / 60 % 60))"
    time = rest % 60 == 0 ? clock : "\(clock):\(two(rest % 60))"
  }

  /// The date of a day of the Gregorian calendar, counted in eras of 400 years from 1 March of year 0.
  private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9, day)
  }
}

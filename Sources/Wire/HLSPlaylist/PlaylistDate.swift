import Basics

/// A date and time of EXT-X-PROGRAM-DATE-TIME or EXT-X-DATERANGE (RFC 8216bis, 4.4.4.6), in ISO 8601 form.
public struct PlaylistDate: Equatable, Sendable {
  /// The text as written in the playlist, for example `2026-11-20T20:00:00.000Z`.
  public let text: String
  /// The time in milliseconds since 1970-01-01T00:00:00Z; further decimals are cut off.
  public let milliseconds: Int64

  /// Whether the text states its zone; otherwise UTC was assumed.
  package var hasZone: Bool {
    text.utf8.dropFirst("YYYY-MM-DDThh:mm:ss".utf8.count).contains { !$0.isASCIIDigit && $0 != UInt8(ascii: ".") }
  }

  /// Reads `YYYY-MM-DDThh:mm:ss`, an optional fraction, and an optional zone: `Z`, `+hh:mm`, `+hhmm` or `+hh`. No zone means UTC.
  ///
  /// `nil` for anything else, and for a day that the month does not have. A leap second counts as the first one of the next minute.
  public init?(_ text: String) {
    var fields = DateFields(rest: Array(text.utf8)[...])
    guard let year = fields.number(digits: 4), fields.skip("-"), let month = fields.number(digits: 2), fields.skip("-"),
      let day = fields.number(digits: 2), fields.skip("T") || fields.skip("t"),
      let hour = fields.number(digits: 2), fields.skip(":"), let minute = fields.number(digits: 2), fields.skip(":"),
      let second = fields.number(digits: 2), let fraction = fields.fraction(), let offset = fields.zone(), fields.rest.isEmpty
    else { return nil }
    guard (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year), hour < 24, minute < 60, second <= 60 else {
      return nil
    }
    let minutes = (Self.days(year: year, month: month, day: day) * 24 + hour) * 60 + minute - offset
    self.text = text
    milliseconds = (minutes * 60 + second) * 1_000 + fraction
  }

  /// The time in milliseconds since 1970, as UTC with three decimals; `nil` outside the years 0 to 9999.
  public init?(milliseconds: Int64) {
    guard (-62_167_219_200_000...253_402_300_799_999).contains(milliseconds) else { return nil }
    let day = Self.floorDivide(milliseconds, 86_400_000)
    let rest = milliseconds - day * 86_400_000
    let date = Self.date(ofDay: day)
    let (seconds, decimals) = rest.quotientAndRemainder(dividingBy: 1_000)
    let clock = "\((seconds / 3_600).digits(2)):\((seconds / 60 % 60).digits(2)):\((seconds % 60).digits(2))"
    text = "\(date.year.digits(4))-\(date.month.digits(2))-\(date.day.digits(2))T\(clock).\(decimals.digits(3))Z"
    self.milliseconds = milliseconds
  }

  private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    let next = month == 12 ? days(year: year + 1, month: 1, day: 1) : days(year: year, month: month + 1, day: 1)
    return next - days(year: year, month: month, day: 1)
  }

  // Years start with March here, so that the leap day is a year's last; 400 years have 146,097 days, and day 0 is 1970-01-01.

  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let marchYear = month > 2 ? year : year - 1
    let era = floorDivide(marchYear, 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : (value - divisor + 1) / divisor
  }
}

/// The fields of a date, front to back.
private struct DateFields {
  var rest: ArraySlice<UInt8>

  mutating func skip(_ character: Unicode.Scalar) -> Bool { rest.popFirst(character) }

  mutating func number(digits: Int) -> Int64? {
    guard rest.count >= digits, let value = decimalInteger(rest.prefix(digits)) else { return nil }
    rest.removeFirst(digits)
    return Int64(value)
  }

  /// The milliseconds of the seconds' fraction; 0 if there is none.
  mutating func fraction() -> Int64? {
    guard skip(".") else { return 0 }
    var (value, unit): (Int64, Int64) = (0, 100)
    let decimals = rest.prefix { $0.isASCIIDigit }
    for character in decimals {
      value += Int64(character.decimalDigit ?? 0) * unit
      unit /= 10
    }
    rest.removeFirst(decimals.count)
    return decimals.isEmpty ? nil : value
  }

  /// How many minutes the zone's clock is ahead of UTC.
  mutating func zone() -> Int64? {
    if rest.isEmpty || skip("Z") || skip("z") { return 0 }
    let isAhead = skip("+")
    guard isAhead || skip("-"), let hours = number(digits: 2) else { return nil }
    var minutes: Int64 = 0
    if skip(":") || !rest.isEmpty {
      guard let value = number(digits: 2) else { return nil }
      minutes = value
    }
    guard hours < 24, minutes < 60 else { return nil }
    return (hours * 60 + minutes) * (isAhead ? 1 : -1)
  }
}

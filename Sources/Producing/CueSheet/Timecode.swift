package import Basics

/// A frame rate, as editors number frames (SMPTE ST 12-1).
package struct FrameRate: Equatable, Sendable {
  /// The number of frame numbers in a second: 25, or 30 at 29.97.
  package let numbers: Int
  /// Whether a frame lasts 1.001 times as long as its number says: 23.976, 29.97, 59.94.
  package let isSlowed: Bool

  /// The supported rates, each with its names.
  private static let rates: [(names: [String], rate: FrameRate)] = [
    (["23.976", "23.98", "24000/1001"], FrameRate(numbers: 24, isSlowed: true)), (["24"], FrameRate(numbers: 24, isSlowed: false)),
    (["25"], FrameRate(numbers: 25, isSlowed: false)), (["29.97", "30000/1001"], FrameRate(numbers: 30, isSlowed: true)),
    (["30"], FrameRate(numbers: 30, isSlowed: false)), (["48"], FrameRate(numbers: 48, isSlowed: false)),
    (["50"], FrameRate(numbers: 50, isSlowed: false)), (["59.94", "60000/1001"], FrameRate(numbers: 60, isSlowed: true)),
    (["60"], FrameRate(numbers: 60, isSlowed: false)),
  ]

  /// The rates as messages list them.
  package static let names = rates.compactMap(\.names.first).dropLast().joined(separator: ", ") + " or 60"

  private init(numbers: Int, isSlowed: Bool) { (self.numbers, self.isSlowed) = (numbers, isSlowed) }

  /// The rate of this name; `nil` for any other text.
  package init?(_ text: String) {
    guard let found = Self.rates.first(where: { $0.names.contains(text) }) else { return nil }
    self = found.rate
  }

  /// How many frame numbers drop frame skips at the beginning of a minute; 0 if the rate has no drop frame.
  var dropped: Int { isSlowed && numbers > 24 ? numbers / 15 : 0 }

  /// The duration of a number of frames, to the nearest tick.
  package func duration(of frames: Int) -> MediaTime {
    let (factor, divisor) = isSlowed ? (Int64(1_001), Int64(numbers) * 1_000) : (1, Int64(numbers))
    let scaled = Int64(frames) * MediaTime.ticksPerSecond * factor
    return MediaTime(ticks: (scaled * 2 + (scaled < 0 ? -divisor : divisor)) / (divisor * 2))
  }

  /// The number of whole frames with exactly this duration; `nil` if there is none.
  func frames(lasting duration: MediaTime) -> Int? {
    // A day has fewer than 2^23 frames, so nothing here can overflow.
    guard duration.magnitude <= MediaTime(seconds: 2 * 86_400) else { return nil }
    let (factor, divisor) = isSlowed ? (Int64(1_001), Int64(numbers) * 1_000) : (1, Int64(numbers))
    let perFrame = MediaTime.ticksPerSecond * factor
    let scaled = duration.ticks * divisor
    let frames = Int((scaled * 2 + (scaled < 0 ? -perFrame : perFrame)) / (perFrame * 2))
    return self.duration(of: frames) == duration ? frames : nil
  }
}

/// The number of a frame: `hh:mm:ss:ff`, or `hh:mm:ss;ff` in drop frame.
package struct Timecode: Equatable, Sendable {
  /// The number of frames before it, from `00:00:00:00` on.
  package let frame: Int
  /// Whether frame numbers are skipped so that the timecode keeps up with the clock.
  package let isDrop: Bool

  /// Whether a text has the form of a timecode, right or wrong: three colons, or a semicolon.
  package static func hasForm(_ text: String) -> Bool {
    text.utf8.first?.isASCIIDigit == true && (text.utf8.count { $0 == UInt8(ascii: ":") } == 3 || text.utf8.contains(UInt8(ascii: ";")))
  }

  /// Why a text is not a timecode.
  package enum Failure: Error, Equatable {
    /// It has another form, or a number out of range.
    case form
    /// The rate has fewer frames.
    case frame
    /// The rate has no drop frame.
    case noDropFrame
    /// Drop frame skips this number. `next` is the next existing one.
    case leftOut(next: String)
  }

  /// Reads two digits each of hours below 24, minutes, seconds and frames.
  package init(_ text: String, rate: FrameRate) throws(Failure) {
    let bytes = Array(text.utf8)
    guard bytes.count == 11 else { throw .form }
    var fields: [Int] = []
    for start in [0, 3, 6, 9] {
      guard let tens = bytes[start].decimalDigit, let ones = bytes[start + 1].decimalDigit else { throw .form }
      fields.append(Int(tens) * 10 + Int(ones))
    }
    isDrop = bytes[8] == UInt8(ascii: ";")
    guard [bytes[2], bytes[5]].allSatisfy({ $0 == UInt8(ascii: ":") }), isDrop || bytes[8] == UInt8(ascii: ":"), fields[0] < 24,
      fields[1] < 60, fields[2] < 60
    else { throw .form }
    guard !isDrop || rate.dropped > 0 else { throw .noDropFrame }
    guard fields[3] < rate.numbers else { throw .frame }
    let minutes = fields[0] * 60 + fields[1]
    let number = (minutes * 60 + fields[2]) * rate.numbers + fields[3]
    guard isDrop else {
      frame = number
      return
    }
    if fields[2] == 0, fields[3] < rate.dropped, minutes % 10 != 0 {
      throw .leftOut(next: text.prefix(9) + rate.dropped.digits(2))
    }
    frame = number - rate.dropped * (minutes - minutes / 10)
  }

  /// The timecode of a frame within a day.
  init(frame: Int, isDrop: Bool) { (self.frame, self.isDrop) = (frame, isDrop) }

  /// The number of frames in a day, after which the numbers start again.
  static func framesOfDay(_ rate: FrameRate, isDrop: Bool) -> Int { 86_400 * rate.numbers - (isDrop ? rate.dropped * (1_440 - 144) : 0) }

  /// The timecode as it is written.
  func text(rate: FrameRate) -> String {
    var number = frame
    if isDrop {
      // Ten minutes have one minute that is whole and nine that are shorter.
      let (minute, dropped) = (60 * rate.numbers, rate.dropped)
      let tenMinutes = 10 * minute - 9 * dropped
      let (tens, rest) = frame.quotientAndRemainder(dividingBy: tenMinutes)
      number += tens * 9 * dropped + (rest >= minute ? dropped * ((rest - minute) / (minute - dropped) + 1) : 0)
    }
    let (seconds, frames) = number.quotientAndRemainder(dividingBy: rate.numbers)
    let clock = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { $0.digits(2) }.joined(separator: ":")
    return "\(clock)\(isDrop ? ";" : ":")\(frames.digits(2))"
  }
}

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

  /// Whether drop frame exists at the rate.
  package var hasDropFrame: Bool { dropped > 0 }

  /// The name of the rate: `25`, `29.97`.
  package var name: String { Self.rates.first { $0.rate == self }?.names.first ?? "\(numbers)" }

  /// The duration of a number of frames, to the nearest tick.
  package func duration(of frames: Int) -> MediaTime {
    let (factor, divisor) = isSlowed ? (Int64(1_001), Int64(numbers) * 1_000) : (1, Int64(numbers))
    let scaled = Int64(frames) * MediaTime.ticksPerSecond * factor
    return MediaTime(ticks: (scaled * 2 + (scaled < 0 ? -divisor : divisor)) / (divisor * 2))
  }

  /// The rate at which a number of frames comes closest to a duration, and at most a fiftieth away; `nil` if no rate does.
  ///
  /// - Parameter isDrop: Whether the frames are counted in drop frame. Rates that do not have it are chosen only if no other is so close.
  package static func nearest(to duration: MediaTime, of frames: Int, isDrop: Bool = false) -> FrameRate? {
    let near = rates.map { (rate: $0.rate, distance: ($0.rate.duration(of: frames) - duration).magnitude) }
      .filter { $0.distance.ticks <= duration.ticks / 50 }.sorted { $0.distance < $1.distance }
    return (near.first { $0.rate.hasDropFrame || !isDrop } ?? near.first)?.rate
  }

  /// The number of whole frames in a duration of at most some years, rounded down.
  package func wholeFrames(in duration: MediaTime) -> Int {
    let ticks = min(max(duration.ticks, -Self.longestSpan), Self.longestSpan)
    let (factor, divisor) = isSlowed ? (Int64(1_001), Int64(numbers) * 1_000) : (1, Int64(numbers))
    let (scaled, perFrame) = (ticks * divisor, MediaTime.ticksPerSecond * factor)
    return Int(scaled / perFrame) - (scaled % perFrame < 0 ? 1 : 0)
  }

  /// The longest duration whose frames are counted, in ticks: no product of it and a rate overflows.
  private static let longestSpan: Int64 = 1 << 46

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
    guard let label = TimecodeLabel(text) else { throw .form }
    try self.init(label, rate: rate)
  }

  /// The frame with a label.
  package init(_ label: TimecodeLabel, rate: FrameRate) throws(Failure) {
    isDrop = label.isDrop
    guard !isDrop || rate.dropped > 0 else { throw .noDropFrame }
    guard label.frames < rate.numbers else { throw .frame }
    let minutes = label.hours * 60 + label.minutes
    let number = (minutes * 60 + label.seconds) * rate.numbers + label.frames
    guard isDrop else {
      frame = number
      return
    }
    if label.seconds == 0, label.frames < rate.dropped, minutes % 10 != 0 {
      var next = label
      next.frames = rate.dropped
      throw .leftOut(next: next.text)
    }
    frame = number - rate.dropped * (minutes - minutes / 10)
  }

  /// The timecode of a frame within a day.
  package init(frame: Int, isDrop: Bool) { (self.frame, self.isDrop) = (frame, isDrop) }

  /// The number of frames in a day, after which the numbers start again.
  package static func framesOfDay(_ rate: FrameRate, isDrop: Bool) -> Int {
    86_400 * rate.numbers - (isDrop ? rate.dropped * (1_440 - 144) : 0)
  }

  /// The timecode as it is written.
  package func text(rate: FrameRate) -> String {
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

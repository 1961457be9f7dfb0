import Basics

/// The number of a frame as it is written, whatever the frame rate is: `hh:mm:ss:ff`, or `hh:mm:ss;ff` in drop frame (SMPTE ST 12-1).
package struct TimecodeLabel: Equatable, Sendable {
  /// Below 24.
  package let hours: Int
  /// Below 60.
  package let minutes: Int
  /// Below 60.
  package let seconds: Int
  /// The frame within the second.
  package internal(set) var frames: Int
  /// Whether frame numbers are skipped so that the timecode keeps up with the clock.
  package let isDrop: Bool

  /// A label of these parts; `nil` if one of them is out of range.
  package init?(hours: Int, minutes: Int, seconds: Int, frames: Int, isDrop: Bool) {
    guard (0..<24).contains(hours), (0..<60).contains(minutes), (0..<60).contains(seconds), (0...Self.mostFrames).contains(frames) else {
      return nil
    }
    (self.hours, self.minutes, self.seconds, self.frames, self.isDrop) = (hours, minutes, seconds, frames, isDrop)
  }

  /// No rate has more frames in a second: the field of HEVC has nine bits.
  private static let mostFrames = 511

  /// Reads two digits each of hours below 24, minutes, seconds and frames; `nil` for any other text.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 11, [bytes[2], bytes[5]].allSatisfy({ $0 == UInt8(ascii: ":") }) else { return nil }
    var fields: [Int] = []
    for start in [0, 3, 6, 9] {
      guard let tens = bytes[start].decimalDigit, let ones = bytes[start + 1].decimalDigit else { return nil }
      fields.append(Int(tens) * 10 + Int(ones))
    }
    let isDrop = bytes[8] == UInt8(ascii: ";")
    guard isDrop || bytes[8] == UInt8(ascii: ":") else { return nil }
    self.init(hours: fields[0], minutes: fields[1], seconds: fields[2], frames: fields[3], isDrop: isDrop)
  }

  /// The same number in a timecode that skips numbers, or that does not.
  package func counted(isDrop: Bool) -> TimecodeLabel? {
    TimecodeLabel(hours: hours, minutes: minutes, seconds: seconds, frames: frames, isDrop: isDrop)
  }

  /// The label as it is written.
  package var text: String {
    "\([hours, minutes, seconds].map { $0.digits(2) }.joined(separator: ":"))\(isDrop ? ";" : ":")\(frames.digits(2))"
  }
}

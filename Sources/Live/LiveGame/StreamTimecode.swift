package import Basics
package import CueSheet
import Sheets

/// The SMPTE timecode that a stream has.
package enum StreamTimecode: Equatable, Sendable {
  /// Not known yet: the stream begins.
  case unknown
  /// The stream has none, or has had none for a while.
  case absent
  /// The pictures have timecodes, but these do not count frames at a supported rate.
  case unusable
  /// It runs.
  case running(TimecodeAnchor)

  /// Why no event can be scheduled by it, in words; `nil` if events can.
  package var problem: String? {
    switch self {
    case .unknown, .running: nil
    case .absent: "the stream has no timecode now (pic_timing of H.264, time_code of HEVC)"
    case .unusable: "the stream's timecode stands still, or has none of the rates \(FrameRate.names)"
    }
  }
}

/// Maps programme time to timecodes, as long as every frame has the number after that of the frame before.
package struct TimecodeAnchor: Equatable, Sendable {
  /// When a frame is presented, on the programme's timeline.
  package var time: MediaTime
  /// The timecode of this frame.
  package var timecode: Timecode
  /// The rate at which frames are numbered.
  package var rate: FrameRate

  /// An anchor at a frame.
  package init(time: MediaTime, timecode: Timecode, rate: FrameRate) { (self.time, self.timecode, self.rate) = (time, timecode, rate) }

  /// The timecode of the frame that is presented at a time.
  package func timecode(at other: MediaTime) -> Timecode {
    let day = Timecode.framesOfDay(rate, isDrop: timecode.isDrop)
    let frame = (timecode.frame + rate.wholeFrames(in: other - time)) % day
    return Timecode(frame: frame < 0 ? frame + day : frame, isDrop: timecode.isDrop)
  }

  /// The text of the timecode of the frame that is presented at a time.
  package func text(at other: MediaTime) -> String { timecode(at: other).text(rate: rate) }

  /// When the frame with a timecode is presented. Timecodes start again every day: of its frames, this is the one that is less than half a day from
  /// a time.
  ///
  /// - Throws: The reason why no frame has it. A label without drop frame means the frame of the same number.
  package func time(of label: TimecodeLabel, near other: MediaTime) throws(Timecode.Failure) -> MediaTime {
    let wanted = try Timecode(label.isDrop ? label : label.counted(isDrop: timecode.isDrop) ?? label, rate: rate)
    guard wanted.isDrop == timecode.isDrop else { throw .noDropFrame }
    let day = Timecode.framesOfDay(rate, isDrop: timecode.isDrop)
    let elapsed = rate.wholeFrames(in: other - time)
    var distance = (wanted.frame - (timecode.frame + elapsed) % day) % day
    if distance > day / 2 { distance -= day }
    if distance < -day / 2 { distance += day }
    return time + rate.duration(of: elapsed + distance)
  }
}

extension Timecode.Failure {
  /// The mistake in a request whose `timecode` is this label.
  func words(_ label: TimecodeLabel, rate: FrameRate) -> String {
    let reason =
      switch self {
      case .form: "; write hh:mm:ss:ff, or hh:mm:ss;ff in drop frame"
      case .frame: ", but the stream has only the frames 00 to \((rate.numbers - 1).digits(2)) of a second"
      case .noDropFrame: ", but the stream's timecode is not drop frame; write a colon before the frames"
      case .leftOut(let next): ", which drop frame skips; the next one is \(next)"
      }
    return "\"timecode\" is \(label.text.quoted)\(reason)"
  }
}

import Basics
import Sheets

/// How the times of a sheet are written: the timecodes and the time of day that its head declares.
struct SheetClock: Equatable, Sendable {
  /// The timecodes of the programme.
  struct Timecodes: Equatable, Sendable {
    var rate: FrameRate
    /// The timecode of the timeline origin; `nil` if the sheet does not give it, which means zero.
    var start: Timecode?
  }

  var timecodes: Timecodes?
  /// The time of day at the timeline origin, from midnight on.
  var timeOfDay: MediaTime?

  private static let day = MediaTime(seconds: 86_400)
  /// The longest time from the beginning to a time of day or a timecode. Anything later is taken for a time before the beginning.
  private static let reach = MediaTime(seconds: 43_200)
}

// MARK: - The head of a sheet

extension SheetClock {
  /// Reads `timecode` and `timeOfDay` at the top of a sheet.
  init(_ fields: inout SheetFields) {
    self.init()
    if let node = fields.take("timecode") { timecodes = Self.timecodes(node, &fields.problems) }
    if let node = fields.take("timeOfDay"), let scalar = node.scalar("timeOfDay", "a time of day", &fields.problems) {
      timeOfDay = Self.timeOfDay(scalar.text) ?? scalar.refuse("timeOfDay", "; write hh:mm or hh:mm:ss, below 24:00", &fields.problems)
    }
  }

  private static func timecodes(_ node: SheetNode, _ problems: inout [SheetProblem]) -> Timecodes? {
    let message = "\"timecode\" is \(node.kind); write a mapping such as { rate: 25, start: 10:00:00:00 }"
    guard var fields = node.fields("\"timecode\"", &problems, else: message) else { return nil }
    defer { problems += fields.problems }
    let rateNode = fields.take("rate", isRequired: true)
    let start = fields.take("start")
    fields.refuseRest()
    guard let scalar = rateNode?.scalar("rate", "a frame rate", &fields.problems) else { return nil }
    guard let rate = FrameRate(scalar.text) else { return scalar.refuse("rate", "; write \(FrameRate.names)", &fields.problems) }
    guard let start = start?.scalar("start", "a timecode", &fields.problems) else { return Timecodes(rate: rate) }
    return timecode(start, "start", rate, &fields.problems).map { Timecodes(rate: rate, start: $0) }
  }

  /// A time of day, to the minute or finer.
  private static func timeOfDay(_ text: String) -> MediaTime? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts[0].utf8.count <= 2,
      let time = try? MediaTime(cueTime: parts.count == 2 ? "\(text):00" : text), time < day
    else { return nil }
    return time
  }

  private static func timecode(_ scalar: SheetScalar, _ key: String, _ rate: FrameRate, _ problems: inout [SheetProblem]) -> Timecode? {
    do throws(Timecode.Failure) {
      return try Timecode(scalar.text, rate: rate)
    } catch {
      let fault =
        switch error {
        case .form: "is no timecode; write hh:mm:ss:ff, two digits each"
        case .frame: "has no such frame: at this rate they go from 00 to \((rate.numbers - 1).digits(2))"
        case .noDropFrame: "is a timecode in drop frame, which only 29.97 and 59.94 have; write a colon before the frames"
        case .leftOut(let next):
          "does not exist: drop frame leaves out the first \(rate.dropped) numbers of each minute but every tenth; write \(next)"
        }
      return scalar.refuse(key, ", which \(fault)", &problems)
    }
  }
}

// MARK: - The times of cues

extension SheetClock {
  /// When a cue happens.
  func moment(_ node: SheetNode, _ key: String, _ problems: inout [SheetProblem]) -> CueMoment? {
    guard let scalar = node.scalar(key, "a time", &problems) else { return nil }
    let text = scalar.text
    if CueMoment.isDistance(text) { return distance(scalar, key, &problems) }
    if Timecode.hasForm(text) { return timecode(scalar, key, &problems) }
    let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
    if timeOfDay != nil, colons == 1 {
      return scalar.refuse(key, ", which may be a time of day or minutes and seconds; write hh:mm:ss or seconds (12.5s)", &problems)
    }
    if timeOfDay != nil, colons == 2 { return timeOfDay(scalar, key, &problems) }
    if let start = timecodes?.start, start.frame > 0, colons == 2 {
      let fault = ", which may be a timecode without frames or a time from the beginning; write hh:mm:ss:ff or seconds (12.5s)"
      return scalar.refuse(key, fault, &problems)
    }
    return node.time(key, &problems).map { CueMoment(distance: $0) }
  }

  private func distance(_ scalar: SheetScalar, _ key: String, _ problems: inout [SheetProblem]) -> CueMoment? {
    do throws(CueMomentError) {
      return try CueMoment(distance: scalar.text)
    } catch {
      let fault: String
      switch error {
      case .unknownAnchor(let word):
        let names = CueMoment.Anchor.allCases.map(\.rawValue)
        let help = word.nearest(of: names, limit: 2).map { "did you mean \($0)?" } ?? "a time counts from \(names.joined(separator: ", "))"
        fault = "begins with \(word.quoted), from which no time counts; \(help)"
      case .noDistance: fault = "is no time; write for example +5s, timeUp + 2s or next - 2s"
      }
      return scalar.refuse(key, ", which \(fault)", &problems)
    }
  }

  private func timecode(_ scalar: SheetScalar, _ key: String, _ problems: inout [SheetProblem]) -> CueMoment? {
    guard let timecodes else {
      return scalar.refuse(key, ", a timecode; say at the top of the sheet what it counts, as in timecode: { rate: 25 }", &problems)
    }
    guard let timecode = Self.timecode(scalar, key, timecodes.rate, &problems) else { return nil }
    if let start = timecodes.start, start.isDrop != timecode.isDrop {
      let (kind, other) = start.isDrop ? ("not in drop frame", "a semicolon") : ("in drop frame", "a colon")
      return scalar.refuse(key, ", which is \(kind), other than the start; write \(other) before the frames", &problems)
    }
    let frames = timecode.frame - (timecodes.start?.frame ?? 0)
    let day = Timecode.framesOfDay(timecodes.rate, isDrop: timecode.isDrop)
    let startText = timecodes.start?.text(rate: timecodes.rate) ?? ""
    return behindStart(
      timecodes.rate.duration(of: frames < 0 ? frames + day : frames), passesMidnight: frames < 0, scalar, key, startText, &problems
    )
    .map { CueMoment(distance: $0, isDrop: timecode.isDrop) }
  }

  private func timeOfDay(_ scalar: SheetScalar, _ key: String, _ problems: inout [SheetProblem]) -> CueMoment? {
    guard let start = timeOfDay, let time = Self.timeOfDay(scalar.text) else {
      return scalar.refuse(key, ", which is no time of day; write hh:mm:ss, below 24:00:00", &problems)
    }
    let distance = time - start
    let passesMidnight = distance < .zero
    return behindStart(
      passesMidnight ? distance + Self.day : distance, passesMidnight: passesMidnight, scalar, key, Self.clock(start, decimals: 0),
      &problems
    ).map { CueMoment(distance: $0) }
  }

  /// Returns a time after the beginning, on the next day if it is not too far away.
  private func behindStart(
    _ time: MediaTime, passesMidnight: Bool, _ scalar: SheetScalar, _ key: String, _ start: String, _ problems: inout [SheetProblem]
  ) -> MediaTime? {
    guard passesMidnight, time > Self.reach else { return time }
    return scalar.refuse(key, ", which is before the beginning at \(start); write a later one", &problems)
  }
}

// MARK: - Writing times

extension SheetClock {
  /// Returns a time in the form in which another one is written, or in seconds if that form cannot express it exactly.
  func text(of time: MediaTime, likeTime old: String) -> String {
    let seconds = "\(time.shortestDecimalSeconds)s"
    if Timecode.hasForm(old) {
      guard let timecodes, let shift = timecodes.rate.frames(lasting: time) else { return seconds }
      let isDrop = old.utf8.contains(UInt8(ascii: ";"))
      let frame = (timecodes.start?.frame ?? 0) + shift
      let day = Timecode.framesOfDay(timecodes.rate, isDrop: isDrop)
      guard frame < day || timecodes.start != nil && time <= Self.reach else { return seconds }
      return Timecode(frame: frame % day, isDrop: isDrop).text(rate: timecodes.rate)
    }
    let parts = old.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count > 1, let last = parts.last else { return old.utf8.last == UInt8(ascii: "s") ? seconds : time.shortestDecimalSeconds }
    let written = last.contains(".") ? last.utf8.count - 3 : 0
    let decimals = max(min(written, 6), time.shortestDecimalSeconds.split(separator: ".").dropFirst().first?.utf8.count ?? 0)
    if let timeOfDay, parts.count == 3 {
      let sum = timeOfDay + time
      guard sum < Self.day || time <= Self.reach else { return seconds }
      return Self.clock(sum >= Self.day ? sum - Self.day : sum, decimals: decimals)
    }
    guard parts.count == 2 else { return Self.clock(time, decimals: decimals, width: parts[0].utf8.count) }
    let (whole, fraction) = Self.split(time, decimals: decimals)
    return "\((whole / 60).digits(parts[0].utf8.count)):\((whole % 60).digits(2))\(fraction)"
  }

  /// `hh:mm:ss` with decimals.
  private static func clock(_ time: MediaTime, decimals: Int, width: Int = 2) -> String {
    let (whole, fraction) = split(time, decimals: decimals)
    return "\((whole / 3_600).digits(width)):\((whole / 60 % 60).digits(2)):\((whole % 60).digits(2))\(fraction)"
  }

  /// The whole seconds of a time, and its fraction with the decimal point.
  private static func split(_ time: MediaTime, decimals: Int) -> (whole: Int, fraction: String) {
    let text = time.text(decimals: decimals)
    let whole = text.prefix { $0 != "." }
    return (Int(whole) ?? 0, String(text.dropFirst(whole.count)))
  }
}

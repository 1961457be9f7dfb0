import Basics
import CueSheet
import Questions
import Sheets

/// What timecodes mean in times of questions and markers.
public struct PlanTimecodes: Equatable, Sendable {
  /// The frame rate, such as `25` or `29.97`; `nil` if no time is a timecode with frames.
  public var frameRate: String?
  /// The timecode of the programme's first frame, such as `01:00:00:00`; `nil` for zero.
  public var first: String?

  /// Timecodes of a frame rate, which begin at zero unless said otherwise.
  public init(frameRate: String? = nil, first: String? = nil) { (self.frameRate, self.first) = (frameRate, first) }

  /// The names of the frame rates, as messages list them.
  package static var rates: String { FrameRate.names }
  /// Whether a text is the name of a frame rate.
  package static func isRate(_ text: String) -> Bool { FrameRate(text) != nil }

  /// Reads seconds, `mm:ss`, `hh:mm:ss` or a timecode `hh:mm:ss:ff`, the last two of which count from the first timecode.
  ///
  /// - Throws: ``PlanningError/time(_:_:)``.
  func time(_ text: String) throws(PlanningError) -> MediaTime {
    let count = text.utf8.count { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }
    let time = try position(text)
    guard count > 1, let first else { return try Self.checked(time, text) }
    return try Self.checked(time - (try position(first)), text)
  }

  private func position(_ text: String) throws(PlanningError) -> MediaTime {
    guard Timecode.hasForm(text) else {
      guard let time = try? MediaTime(cueTime: text) else {
        throw .time(text, "is no time; write seconds (12.5), mm:ss, hh:mm:ss or a timecode hh:mm:ss:ff")
      }
      return time
    }
    guard let frameRate, let rate = FrameRate(frameRate) else {
      throw .time(text, "is a timecode with frames; say how many there are in a second with --frame-rate, such as 25 or 29.97")
    }
    do throws(Timecode.Failure) {
      return rate.duration(of: try Timecode(text, rate: rate).frame)
    } catch {
      switch error {
      case .form: throw .time(text, "is no timecode; write hh:mm:ss:ff, two digits each")
      case .frame: throw .time(text, "has no such frame: at this rate they go from 00 to \(rate.numbers - 1)")
      case .noDropFrame: throw .time(text, "is in drop frame, which only 29.97 and 59.94 have")
      case .leftOut(let next): throw .time(text, "does not exist in drop frame; write \(next)")
      }
    }
  }

  private static func checked(_ time: MediaTime, _ text: String) throws(PlanningError) -> MediaTime {
    guard time >= .zero else { throw .time(text, "is before the first timecode") }
    guard time <= PlanOptions.largestTime else { throw .time(text, "is above the limit of two days") }
    return time.wholeMilliseconds
  }
}

/// The questions of a show whose times are given, in their order.
struct GivenTimes {
  var questions: [Question] = []
  var times: [MediaTime] = []

  /// The times of questions by markers, or else by their own; `nil` if none is given.
  ///
  /// If the names of markers are the texts of questions, each question has the time of its marker, and otherwise the n-th question that of the n-th
  /// marker.
  ///
  /// - Throws: ``PlanningError``.
  init?(_ chosen: [Question], _ options: PlanOptions) throws(PlanningError) {
    var pairs: [(question: Question, time: MediaTime)] = []
    if !options.markers.isEmpty {
      pairs = try Self.pairs(chosen, options)
    } else {
      guard chosen.contains(where: { $0.time != nil }) else { return nil }
      for question in chosen {
        guard let text = question.time else { throw .noTime(question.text) }
        pairs.append((question, try options.timecodes.time(text)))
      }
      pairs = Self.sorted(pairs)
      if let number = options.selection.number { pairs = Array(pairs.prefix(number)) }
    }
    (questions, times) = (pairs.map { $0.question }, pairs.map { $0.time })
    for (index, next) in times.enumerated().dropFirst() {
      let result = times[index - 1] + options.span(of: questions[index - 1])
      guard result > next else { continue }
      throw .questionsOverlap(questions[index].text, at: next, result: result)
    }
  }

  private static func pairs(_ chosen: [Question], _ options: PlanOptions) throws(PlanningError) -> [(Question, MediaTime)] {
    var byName: [[UInt8]: Int] = [:]
    for (index, marker) in options.markers.enumerated() {
      let name = QuestionText.folded(marker.name)
      if !marker.name.isEmpty, byName[name] == nil { byName[name] = index }
    }
    let places = chosen.map { byName[QuestionText.folded($0.text)] }
    if places.contains(where: { $0 != nil }) {
      var pairs: [(Question, MediaTime)] = []
      for (question, place) in zip(chosen, places) {
        guard let place else { throw .noTime(question.text) }
        pairs.append((question, try options.timecodes.time(options.markers[place].time)))
      }
      return Array(sorted(pairs).prefix(options.selection.number ?? pairs.count))
    }
    var times: [MediaTime] = []
    for marker in options.markers { times.append(try options.timecodes.time(marker.time)) }
    times.sort()
    let wanted = options.selection.number ?? min(chosen.count, times.count)
    guard wanted <= times.count else { throw .tooFewMarkers(wanted: wanted, there: times.count) }
    return Array(zip(options.selection.asked(chosen, count: wanted), times))
  }

  private static func sorted(_ pairs: [(Question, MediaTime)]) -> [(Question, MediaTime)] {
    pairs.enumerated().sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }.map { $0.element }
  }

  /// The times of the show: the game starts two seconds before the first question unless the options say when.
  ///
  /// - Throws: If the first question is before the start, or the end after the programme.
  func timetable(_ options: PlanOptions, _ maker: TimetableMaker) throws(PlanningError) -> Timetable {
    let first = times.first ?? .zero
    let start = options.start?.wholeMilliseconds ?? max(first - PlanOptions.lead, .zero)
    guard start <= first else { throw .time(first.clockText, "is the first question, before the start at \(start.clockText)") }
    let result = (times.last ?? .zero) + (questions.last.map { options.span(of: $0) } ?? .zero)
    let end = result + PlanOptions.lastShown
    if let length = options.length, end + PlanOptions.tail > length {
      let fitting = zip(questions, times).count { $1 + options.span(of: $0) + PlanOptions.lastShown + PlanOptions.tail <= length }
      throw .doesNotFit(questions: questions.count, needed: end + PlanOptions.tail, length: length, fitting: fitting)
    }
    return Timetable(announcement: maker.announcement(of: start), start: start, questions: times, end: end)
  }
}

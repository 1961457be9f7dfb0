import Basics

/// The times of a show, in whole milliseconds, and in whole seconds or tenths unless more precision is needed.
struct Timetable: Equatable {
  /// When the start is announced: before it if there is room for a countdown, otherwise with it.
  var announcement: MediaTime
  var start: MediaTime
  /// When each question is asked.
  var questions: [MediaTime]
  var end: MediaTime
}

/// Lays out questions in time, around the ranges that are kept free.
struct TimetableMaker {
  /// When the game starts, unless that is kept free.
  private var start: MediaTime
  /// When nothing happens: ranges in order that do not touch each other.
  private let keptFree: [Range<MediaTime>]
  /// The latest end of the game, which leaves time for the copies of its end; `nil` if the length is unknown.
  private let limit: MediaTime?
  /// The latest end of the game that is refreshed at the start of two further segments; `nil` if the length is unknown.
  private let refreshedLimit: MediaTime?

  init(_ options: PlanOptions) {
    start = options.start?.wholeMilliseconds ?? PlanOptions.earliestStart
    limit = options.length.map { $0 - PlanOptions.tail }
    refreshedLimit = options.length.map { $0 - PlanOptions.refreshedTail }
    keptFree = Array(RangeSet(options.keptFree).ranges)
  }

  /// The timetable of questions.
  ///
  /// - Parameters:
  ///   - spans: The time from each question to its result.
  ///   - interval: The time from a question to the next one, or more if its result would not be seen.
  func timetable(_ spans: [MediaTime], interval: MediaTime) -> Timetable {
    let start = firstFree(from: start, lasting: .zero)
    var questions: [MediaTime] = []
    var next = start + PlanOptions.lead
    for span in spans {
      let time = firstFree(from: next, lasting: span)
      questions.append(time)
      next = time + max(interval, span + PlanOptions.leastShown)
    }
    let lastResult = (questions.last ?? start) + (spans.last ?? .zero)
    return Timetable(
      announcement: announcement(of: start), start: start, questions: questions,
      end: firstFree(from: lastResult + PlanOptions.lastShown, lasting: .zero))
  }

  /// Moves the start after a full countdown, or as late as the questions still fit after it. They fit after the present start.
  mutating func makeRoomForCountdown(_ spans: [MediaTime], interval: MediaTime) {
    let countdown = PlanOptions.longestCountdown
    var latest = countdown
    for range in keptFree where range.lowerBound <= latest && range.upperBound > latest - countdown {
      latest = range.upperBound.roundedUp + countdown
    }
    guard let limit else {
      start = latest
      return
    }
    // A later start never gives an earlier end, whatever is kept free.
    start = Self.greatest(from: start, to: max(start, latest)) { moved in
      var maker = self
      maker.start = moved
      return maker.timetable(spans, interval: interval).end <= limit
    }.rounded(from: start)
  }

  /// The greatest time, in whole milliseconds, for which a condition holds. It holds for the first time, and for all times below the result.
  private static func greatest(from first: MediaTime, to last: MediaTime, where holds: (MediaTime) -> Bool) -> MediaTime {
    func time(_ milliseconds: Int) -> MediaTime { MediaTime(milliseconds: Int64(milliseconds)) }
    let later = Int(first.milliseconds) + 1..<Int(last.milliseconds) + 1
    return time(later.partitionIndex { !holds(time($0)) } - 1)
  }

  /// The number of questions, at most `most`, that fit at an interval; `spans` gives the times from question to result of a number of them.
  func fitting(atMost most: Int, interval: MediaTime, _ spans: (Int) -> [MediaTime]) -> Int {
    guard let limit else { return most }
    // More questions never give an earlier end.
    return (1..<max(most, 0) + 1).partitionIndex { timetable(spans($0), interval: interval).end > limit } - 1
  }

  /// The longest interval at which questions fit, rounded down. They fit at the shortest interval, `least`. If they fit at the interval `wanted` before
  /// the last two segments, the end stays out of these, so that it is sent again at their starts.
  func widestInterval(_ spans: [MediaTime], least: MediaTime, wanted: MediaTime) -> MediaTime {
    guard var limit, spans.count > 1 else { return PlanOptions.usualInterval }
    if let refreshedLimit, timetable(spans, interval: wanted).end <= refreshedLimit { limit = refreshedLimit }
    // At a longer interval no question is earlier, whatever is kept free, and so the end is not earlier.
    let widest = Self.greatest(from: least, to: max(least, limit)) { timetable(spans, interval: $0).end <= limit }
    return widest.rounded(from: least)
  }

  /// When a start is announced. Players see the countdown all the time, so nothing between the announcement and the start is kept free.
  func announcement(of start: MediaTime) -> MediaTime {
    let free = keptFree.last { $0.upperBound <= start }.map { $0.upperBound.roundedUp } ?? .zero
    let earliest = max(free, start - PlanOptions.longestCountdown, .zero)
    return start - earliest < PlanOptions.shortestCountdown ? start : earliest
  }

  /// Whether a moment is not kept free.
  func isOpen(_ time: MediaTime) -> Bool { !keptFree.contains { $0.contains(time) } }

  /// The first time at or after `time`, in whole milliseconds, after which nothing is kept free for `duration`.
  private func firstFree(from time: MediaTime, lasting duration: MediaTime) -> MediaTime {
    var time = time
    for range in keptFree where time < range.upperBound && time + duration >= range.lowerBound {
      time = range.upperBound.roundedUp
    }
    return time
  }
}

extension MediaTime {
  /// The time, rounded down to a millisecond.
  var wholeMilliseconds: MediaTime { MediaTime(milliseconds: milliseconds) }

  /// The first whole tenth of a second from here on.
  fileprivate var roundedUp: MediaTime { (self + MediaTime(ticks: Self.ticksPerSecond / 10 - 1)).rounded(to: Self.ticksPerSecond / 10) }

  /// The time rounded down to whole seconds, or else to tenths, or else to milliseconds, so that it is not before `least`.
  fileprivate func rounded(from least: MediaTime) -> MediaTime {
    [Self.ticksPerSecond, Self.ticksPerSecond / 10].map { rounded(to: $0) }.first { $0 >= least } ?? wholeMilliseconds
  }

  private func rounded(to step: Int64) -> MediaTime { MediaTime(ticks: ticks - ticks % step) }
}

import Basics

/// When what happens in a show, in whole milliseconds.
struct Timetable: Equatable {
  /// When the start is announced: before it where there is room for a countdown, otherwise with it.
  var announcement: MediaTime
  var start: MediaTime
  /// When each question is asked.
  var questions: [MediaTime]
  var end: MediaTime
}

/// Lays out questions in time, around what is to be kept free.
struct TimetableMaker {
  /// When the game starts, unless that is kept free.
  private var start: MediaTime
  /// From a question until its result.
  private let untilResult: MediaTime
  /// What is kept free, in order, none touching another.
  private let keptFree: [Range<MediaTime>]
  /// When the programme ends, less what is left behind the game; `nil` where nothing is known of it.
  private let limit: MediaTime?

  init(_ options: PlanOptions) {
    start = options.start?.wholeMilliseconds ?? PlanOptions.earliestStart
    untilResult = options.allottedTime.wholeMilliseconds + options.resultDelay.wholeMilliseconds
    limit = options.length.map { $0 - PlanOptions.tail }
    var merged: [Range<MediaTime>] = []
    for range in options.keptFree.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    keptFree = merged
  }

  /// The shortest time between two questions.
  var leastInterval: MediaTime { untilResult + PlanOptions.leastShown }

  /// The timetable of so many questions.
  func timetable(count: Int, interval: MediaTime) -> Timetable {
    let start = firstFree(from: start, lasting: .zero)
    var questions: [MediaTime] = []
    var next = start + PlanOptions.lead
    for _ in 0..<count {
      let time = firstFree(from: next, lasting: untilResult)
      questions.append(time)
      next = time + interval
    }
    let lastResult = (questions.last ?? start) + untilResult
    return Timetable(
      announcement: announcement(of: start), start: start, questions: questions,
      end: firstFree(from: lastResult + PlanOptions.lastShown, lasting: .zero))
  }

  /// Moves the start behind a whole countdown, or as far as so many questions fit behind it, which they do now.
  mutating func makeRoomForCountdown(count: Int, interval: MediaTime) {
    let countdown = PlanOptions.longestCountdown
    var latest = countdown
    for range in keptFree where range.lowerBound <= latest && range.upperBound > latest - countdown {
      latest = range.upperBound.wholeMillisecondsUp + countdown
    }
    guard let limit else {
      start = latest
      return
    }
    // The end grows with the start, whatever is kept free.
    start = Self.greatest(from: start, to: max(start, latest)) { moved in
      var maker = self
      maker.start = moved
      return maker.timetable(count: count, interval: interval).end <= limit
    }
  }

  /// The greatest time, in whole milliseconds, for which something holds that holds for all below it; it does for the first.
  private static func greatest(from first: MediaTime, to last: MediaTime, where holds: (MediaTime) -> Bool) -> MediaTime {
    var (low, high) = (first.ticks / MediaTime.ticksPerMillisecond, last.ticks / MediaTime.ticksPerMillisecond)
    while low < high {
      let middle = (low + high + 1) / 2
      if holds(MediaTime(ticks: middle * MediaTime.ticksPerMillisecond)) { low = middle } else { high = middle - 1 }
    }
    return MediaTime(ticks: low * MediaTime.ticksPerMillisecond)
  }

  /// How many questions fit at an interval, of at most so many.
  func fitting(atMost most: Int, interval: MediaTime) -> Int {
    guard let limit else { return most }
    var (low, high) = (0, most)
    // The end grows with the number.
    while low < high {
      let middle = (low + high + 1) / 2
      if timetable(count: middle, interval: interval).end <= limit { low = middle } else { high = middle - 1 }
    }
    return low
  }

  /// The longest interval, in whole milliseconds, at which so many questions fit; they do at the shortest.
  func widestInterval(count: Int) -> MediaTime {
    guard let limit, count > 1 else { return PlanOptions.usualInterval }
    // A question is never earlier at a longer interval, what is kept free or not; so neither is the end.
    return Self.greatest(from: leastInterval, to: max(leastInterval, limit)) { timetable(count: count, interval: $0).end <= limit }
  }

  /// When a start is announced: nothing between that and the start is kept free, for the countdown is seen all the time.
  private func announcement(of start: MediaTime) -> MediaTime {
    let free = keptFree.last { $0.upperBound <= start }.map { $0.upperBound.wholeMillisecondsUp } ?? .zero
    let earliest = max(free, start - PlanOptions.longestCountdown, .zero)
    return start - earliest < PlanOptions.shortestCountdown ? start : earliest
  }

  /// Whether a moment is not kept free.
  func isOpen(_ time: MediaTime) -> Bool { !keptFree.contains { $0.contains(time) } }

  /// The first time from `time` on from which on so long nothing is kept free, in whole milliseconds.
  private func firstFree(from time: MediaTime, lasting duration: MediaTime) -> MediaTime {
    var time = time
    for range in keptFree where time < range.upperBound && time + duration >= range.lowerBound {
      time = range.upperBound.wholeMillisecondsUp
    }
    return time
  }
}

extension MediaTime {
  static let ticksPerMillisecond = ticksPerSecond / 1_000

  /// The time without what is less than a millisecond.
  var wholeMilliseconds: MediaTime { MediaTime(ticks: ticks - ticks % Self.ticksPerMillisecond) }

  /// The first whole millisecond from here on.
  fileprivate var wholeMillisecondsUp: MediaTime { (self + MediaTime(ticks: Self.ticksPerMillisecond - 1)).wholeMilliseconds }
}

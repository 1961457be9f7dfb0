public import Basics
import CueSheet
import EventSchedule
public import Questions
import Sheets

/// A show made of questions: a complete cue sheet.
///
/// The same questions and options with a seed make the same show, byte for byte.
public struct ShowPlan: Equatable, Sendable {
  /// The cues, in order.
  public var cues: [PlannedCue]
  /// How long after a question the next one is asked, if no range is kept free.
  public var interval: MediaTime
  /// Whether the questions are asked at times that they or markers give. Then the interval is zero.
  public var hasGivenTimes: Bool
  /// The options of the plan.
  public var options: PlanOptions
  /// The number of questions to choose from.
  public var choiceCount: Int
  /// The shortest possible interval, and how many questions fit at it; `nil` if none is left out for lack of time.
  public var closest: Closest?

  /// The closest that questions can follow one another.
  public struct Closest: Equatable, Sendable {
    /// How long after a question the next one is asked.
    public var interval: MediaTime
    /// The number of questions that fit.
    public var fitting: Int
  }

  /// The number of questions that are asked.
  public var questionCount: Int { cues.count { if case .ask = $0.content { true } else { false } } }

  /// When the game ends.
  public var end: MediaTime { cues.last?.time ?? .zero }

  /// Plans a show.
  ///
  /// A countdown of up to 10 seconds comes before the start of the game, if there is room for at least 3 seconds. The first question is asked 2
  /// seconds after the start, and each further one an interval later. If the options do not say when the game starts, it starts at 10 seconds, or
  /// earlier if the questions fit only then. A result is shown once the time for answers and the delay are over. The game ends 5 seconds after the
  /// last result, at least 1 second before the end of the programme; 12 seconds if the plan chooses the interval, and the questions fit.
  ///
  /// Nothing happens in ranges that are kept free. A question whose result would fall into such a range is asked after it, and later questions are
  /// delayed too. Information that would fall into one is left out.
  ///
  /// Questions that say when they are asked, or for which there are markers, are asked then, whatever is kept free.
  ///
  /// A question that has a time of its own for answers is closed after that, and if it needs more than the interval, the next one is delayed. Times
  /// that the plan chooses are in whole seconds, or in tenths if those do not fit.
  ///
  /// - Throws: ``PlanningError``.
  public init(_ questions: [Question], _ options: PlanOptions) throws(PlanningError) {
    self.options = options
    var maker = TimetableMaker(options)
    let chosen = try options.selection.chosen(from: questions)
    if let given = try GivenTimes(chosen, options) {
      (interval, choiceCount, closest, hasGivenTimes) = (.zero, chosen.count, nil, true)
      cues = try Self.cues(given.questions, try given.timetable(options, maker), options, maker)
      return
    }
    hasGivenTimes = false
    let least = options.leastInterval(of: chosen)
    let given = options.interval?.wholeMilliseconds
    if let given, given < least { throw .intervalTooShort(given, least: least) }
    let usual = given ?? max(PlanOptions.usualInterval, least)
    let closest = options.selection.number == nil ? usual : given ?? least
    func spans(_ count: Int) -> [MediaTime] { options.selection.asked(chosen, count: count).map { options.span(of: $0) } }
    let count = try Self.count(of: chosen, options, maker, closest: closest, spans)
    choiceCount = chosen.count
    let isShort = options.selection.number == nil && count < chosen.count
    self.closest = isShort ? Closest(interval: least, fitting: maker.fitting(atMost: chosen.count, interval: least, spans)) : nil
    let taken = spans(count)
    if options.start == nil { maker.makeRoomForCountdown(taken, interval: closest) }
    interval = given ?? (options.length == nil ? usual : max(least, maker.widestInterval(taken, least: least, wanted: closest)))
    let timetable = maker.timetable(taken, interval: interval)
    cues = try Self.cues(options.selection.asked(chosen, count: count), timetable, options, maker)
  }

  /// Returns the number of questions to ask: the requested number if it fits at the closest interval, or as many as exist and fit.
  private static func count(
    of chosen: [Question], _ options: PlanOptions, _ maker: TimetableMaker, closest: MediaTime, _ spans: (Int) -> [MediaTime]
  ) throws(PlanningError) -> Int {
    let wanted = options.selection.number ?? chosen.count
    guard wanted * 2 + 2 <= CueSheet.largestCueCount else { throw .tooManyCues(limit: CueSheet.largestCueCount) }
    let fitting = maker.fitting(atMost: wanted, interval: closest, spans)
    let isEnough = options.selection.number == nil ? fitting > 0 : fitting == wanted
    guard !isEnough, let length = options.length else { return fitting }
    let tried = options.selection.number ?? 1
    let needed = maker.timetable(spans(tried), interval: closest).end + PlanOptions.tail
    throw .doesNotFit(questions: tried, needed: needed, length: length, fitting: fitting)
  }

  private static func cues(
    _ questions: [Question], _ timetable: Timetable, _ options: PlanOptions, _ maker: TimetableMaker
  ) throws(PlanningError) -> [PlannedCue] {
    let startsIn = timetable.start - timetable.announcement
    var cues = [PlannedCue(at: timetable.announcement, .startGame(startsIn: startsIn > .zero ? startsIn : nil))]
    for (question, time) in zip(questions, timetable.questions) {
      let span = options.span(of: question)
      cues.append(PlannedCue(at: time, .ask(question)))
      cues.append(PlannedCue(at: time + span, .showResults(question)))
    }
    guard cues.count < CueSheet.largestCueCount else { throw .tooManyCues(limit: CueSheet.largestCueCount) }
    if let interval = options.infoInterval?.wholeMilliseconds, interval > .zero {
      let number = (timetable.end - timetable.start).ticks / interval.ticks
      guard number <= CueSheet.largestCueCount - cues.count - 1 else { throw .tooManyCues(limit: CueSheet.largestCueCount) }
      var time = timetable.start + interval
      while time < timetable.end {
        if maker.isOpen(time) { cues.append(PlannedCue(at: time, .periodicInfo(viewers: options.viewers))) }
        time += interval
      }
    }
    // The position keeps a question before information of the same time.
    var sorted = cues.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    sorted.append(PlannedCue(at: timetable.end, .endGame))
    return sorted
  }
}

/// Something that happens in a planned show.
public struct PlannedCue: Equatable, Sendable {
  /// When it happens, in whole milliseconds.
  public var time: MediaTime
  /// What happens.
  public var content: Content

  /// Something that happens.
  public init(at time: MediaTime, _ content: Content) {
    self.time = time
    self.content = content
  }

  /// What happens.
  public enum Content: Equatable, Sendable {
    /// The game starts at once, or after a countdown.
    case startGame(startsIn: MediaTime?)
    /// A question is asked.
    case ask(Question)
    /// The result of the question before is shown.
    case showResults(Question)
    /// Information about the audience is sent.
    case periodicInfo(viewers: Int)
    /// The game ends.
    case endGame
  }
}

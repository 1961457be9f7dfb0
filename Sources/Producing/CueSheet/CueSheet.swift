public import Basics
public import EventSchedule
public import GameEvents
public import Seals
public import Sheets

/// Why a text is not a cue sheet: every mistake that was found, in the order of the text.
public typealias CueSheetError = SheetError

/// A place in a cue sheet's text.
public typealias CuePlace = SheetPlace

/// The events of one broadcast, complete and in order, as read from a cue sheet in YAML or JSON.
public struct CueSheet: Equatable, Sendable {
  /// The name of the broadcast.
  public var game: String
  /// What the show is called.
  public var title: String?
  /// The events, sorted by time, those of one time in the order of the text. Each has its identifier, game, sequence number and time.
  public var events: [PlannedEvent]
  /// Where each event's cue begins in the text, in the order of `events`.
  public var places: [SheetPlace]
  /// What is allowed but rarely intended, in the order of the text: see ``RunningOrder``.
  public var warnings: [SheetProblem]

  /// A cue sheet of events that are complete and in order, and where each of them was written.
  public init(game: String, title: String?, events: [PlannedEvent], places: [SheetPlace], warnings: [SheetProblem] = []) {
    self.game = game
    self.title = title
    self.events = events
    self.places = places
    self.warnings = warnings
  }

  /// The result of reading a text as a cue sheet.
  public struct Reading: Equatable, Sendable {
    /// The cue sheet; `nil` if there are mistakes.
    public var sheet: CueSheet?
    /// Every mistake, in the order of the text.
    public var mistakes: [SheetProblem]
    /// What is allowed but rarely intended, in the order of the text. If there are mistakes, the order of the events is not checked.
    public var warnings: [SheetProblem]
  }

  /// The largest number of cues in a sheet: far more than a show needs.
  public static let largestCueCount = 100_000

  /// Whether the right answers travel hidden until the results.
  public enum AnswerMode: Equatable, Sendable {
    /// Questions carry a seal, results the right answer and the salt that opens the seal.
    case sealed(SealKey)
    /// Questions carry the right answer, for clients that score by themselves.
    case open
  }

  /// Reads a cue sheet: YAML or JSON, in UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: The text, with or without a byte order mark.
  ///   - policy: How events are repeated, which decides how large their tags become.
  ///   - answers: Whether the right answers are sealed.
  ///   - offset: How much later each cue happens than the sheet says; negative for earlier.
  ///   - programmeDuration: The length of the stream, if it is known. It is asked only if the sheet has mistakes, so that events after the end are
  ///     reported together with them. For a sheet without mistakes, use ``problems(programmeDuration:)``.
  ///   - sign: Signs each event; `nil` for no signatures.
  ///   - readTag: Reads the ID3 tag in a file that a cue names.
  /// - Throws: ``SheetError`` with every mistake in the text.
  public static func parse(
    _ bytes: [UInt8], policy: CopyPolicy, answers: AnswerMode, offset: MediaTime = .zero, programmeDuration: () -> MediaTime? = { nil },
    sign: EventSigner? = nil, readTag: @escaping TagFileReader = TagFileError.nowhere
  ) throws(SheetError) -> CueSheet {
    let reading = read(
      bytes, policy: policy, answers: answers, offset: offset, programmeDuration: programmeDuration, sign: sign, readTag: readTag)
    guard let sheet = reading.sheet else { throw SheetError(reading.mistakes) }
    return sheet
  }

  /// Reads a cue sheet as ``parse(_:policy:answers:offset:programmeDuration:sign:)`` does, and also reports warnings about a sheet with mistakes.
  public static func read(
    _ bytes: [UInt8], policy: CopyPolicy, answers: AnswerMode, offset: MediaTime = .zero, programmeDuration: () -> MediaTime? = { nil },
    sign: EventSigner? = nil, readTag: @escaping TagFileReader = TagFileError.nowhere
  ) -> Reading {
    do throws(SheetError) {
      let text = try String(sheet: bytes, name: "the cue sheet")
      if let macro = MacroFile(text) {
        return try macro.reading(policy: policy, offset: offset, programmeDuration: programmeDuration, readTag: readTag)
      }
      let reader = try SheetReader(text, offset: offset)
      return read(reader, policy: policy, answers: answers, programmeDuration: programmeDuration, sign: sign, readTag: readTag)
    } catch {
      return Reading(sheet: nil, mistakes: error.problems, warnings: [])
    }
  }

  private static func read(
    _ reader: SheetReader, policy: CopyPolicy, answers: AnswerMode, programmeDuration: () -> MediaTime?, sign: EventSigner?,
    readTag: @escaping TagFileReader
  ) -> Reading {
    let cues = reader.cuesInOrder
    var composer = EventComposer(
      game: reader.game ?? "", policy: policy, answers: answers, sign: sign, readTag: readTag, cues: cues,
      knowsAllQuestions: reader.isComplete)
    let composed = cues.compactMap { cue in composer.compose(cue).map { (event: $0, place: cue.place) } }
    let mistakes = reader.problems + GameOrder.problems(of: cues) + composer.problems
    guard mistakes.isEmpty, let game = reader.game else {
      var problems: [SheetProblem] = []
      if let end = programmeDuration() {
        problems = reader.cues.compactMap { cue in cue.at.flatMap { problem(of: cue.type, at: $0, place: cue.place, end: end) } }
      }
      return Reading(sheet: nil, mistakes: (mistakes + problems).inOrder, warnings: reader.warnings.inOrder)
    }
    let (events, places) = (composed.map(\.event), composed.map(\.place))
    let warnings = (reader.warnings + RunningOrder.warnings(of: events, at: places)).inOrder
    let sheet = CueSheet(game: game, title: reader.title, events: events, places: places, warnings: warnings)
    return Reading(sheet: sheet, mistakes: [], warnings: warnings)
  }

  /// Reads a cue sheet from text, as from bytes.
  public static func parse(_ text: String, policy: CopyPolicy, answers: AnswerMode) throws(SheetError) -> CueSheet {
    try parse(Array(text.utf8), policy: policy, answers: answers)
  }

  /// The events of the game, without the ID3 tags of others.
  public var gameEvents: [PlannedEvent] { events.filter { $0.tag == nil } }
  /// The ID3 tags that are no events of the game.
  public var tags: [PlannedEvent] { events.filter { $0.tag != nil } }

  /// Reports the events after the end of a stream of this length.
  public func problems(programmeDuration: MediaTime) -> [SheetProblem] {
    zip(events, places).compactMap { event, place in
      Self.problem(of: event.event.type, at: event.time, place: place, end: programmeDuration)
    }
  }

  static func problem(of type: EventType, at time: MediaTime, place: SheetPlace, end: MediaTime) -> SheetProblem? {
    guard time >= end else { return nil }
    return SheetProblem(
      at: place,
      "the \(type) at \(time.clockText) is outside the programme, which ends at \(end.clockText); move it or remove it")
  }
}

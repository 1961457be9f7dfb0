import Basics
import EventSchedule
import GameEvents
import ID3
import Sheets

/// A macro file of Apple's segmenters: timed ID3 without a game. A line has a time in seconds, what the metadata is, and a file or a text:
/// `12.5 id3 "title.id3"` or `30 plaintext "A title"`.
struct MacroFile {
  /// A line of the file.
  private struct Line {
    var number: Int
    var text: Substring
  }

  private let lines: [Line]

  /// The name of the game that the tags of such a file count as.
  private static let game = "id3"
  /// What metadata can be.
  private static let kinds = ["id3", "plaintext", "picture"]

  /// - Returns: `nil` if the first line with content is none of a macro file.
  init?(_ text: String) {
    lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated().compactMap { index, line in
      let trimmed = line.trimmingPrefix { $0 == " " || $0 == "\t" || $0 == "\u{FEFF}" }
      let content = trimmed.prefix(trimmed.reversed().drop { $0 == " " || $0 == "\t" }.count)
      return content.isEmpty || content.first == "#" ? nil : Line(number: index + 1, text: content)
    }
    guard let first = lines.first else { return nil }
    let words = Self.words(first.text)
    guard words.count >= 2, MediaTime(decimalSeconds: words[0].text) != nil, Self.kinds.contains(words[1].text) else { return nil }
  }

  /// The cue sheet of the file's tags.
  ///
  /// - Throws: Every mistake in the file.
  func reading(
    policy: CopyPolicy, offset: MediaTime, programmeDuration: () -> MediaTime?, readTag: TagFileReader
  ) throws(SheetError) -> CueSheet.Reading {
    var problems: [SheetProblem] = []
    guard lines.count <= CueSheet.largestCueCount else {
      throw SheetError(
        at: SheetPlace(line: lines[CueSheet.largestCueCount].number, column: 1),
        "there are \(lines.count) tags, above the limit of \(CueSheet.largestCueCount)")
    }
    var tags: [(event: PlannedEvent, place: SheetPlace)] = []
    var guids: Set<GUID> = []
    for line in lines {
      guard let tag = tag(line, policy, offset: offset, readTag, &guids, &problems) else { continue }
      tags.append((tag, SheetPlace(line: line.number, column: 1)))
    }
    guard problems.isEmpty else {
      if let end = programmeDuration() {
        problems += tags.compactMap { CueSheet.problem(of: .id3, at: $0.event.time, place: $0.place, end: end) }
      }
      return CueSheet.Reading(sheet: nil, mistakes: problems.inOrder, warnings: [])
    }
    let sorted = tags.enumerated().sorted { ($0.element.event.time, $0.offset) < ($1.element.event.time, $1.offset) }.map(\.element)
    let sheet = CueSheet(game: Self.game, title: nil, events: sorted.map(\.event), places: sorted.map(\.place))
    return CueSheet.Reading(sheet: sheet, mistakes: [], warnings: [])
  }

  private func tag(
    _ line: Line, _ policy: CopyPolicy, offset: MediaTime, _ readTag: TagFileReader, _ guids: inout Set<GUID>,
    _ problems: inout [SheetProblem]
  ) -> PlannedEvent? {
    let words = Self.words(line.text)
    func place(_ index: Int) -> SheetPlace { SheetPlace(line: line.number, column: index < words.count ? words[index].column : 1) }
    guard words.count == 3 else {
      return problems.refuse(at: place(0), "a line has a time, id3 or plaintext, and a file or a text; write 12.5 id3 \"title.id3\"")
    }
    guard let time = MediaTime(decimalSeconds: words[0].text).map({ $0 + offset }), time >= .zero else {
      return problems.refuse(at: place(0), "\(words[0].text.quoted) is no time of the programme in seconds; write a number such as 12.5")
    }
    let bytes: [UInt8]?
    switch words[1].text {
    case "id3": bytes = ID3Cue.bytes(of: words[2].text, readTag, at: place(2), &problems)
    case "plaintext": bytes = try? ID3Tag(frames: [.userText(description: "", value: words[2].text)]).encode()
    default:
      return problems.refuse(at: place(1), "\(words[1].text.quoted) cannot be read; make a tag of it, and write id3 with its file")
    }
    guard let bytes else { return nil }
    guard bytes.count <= policy.largestTagSize else {
      return problems.refuse(
        at: place(2),
        "the tag has \(bytes.count) bytes, above the limit of \(policy.largestTagSize); make it smaller or raise --max-tag-size")
    }
    let content = "\(time.ticks)\n\(Base64.encode(bytes))"
    // Equal tags at one time are told apart.
    let derived = (0..<64).lazy.compactMap { GUID(game: Self.game, deciding: content, kind: .id3, attempt: $0) }
    guard let guid = derived.first(where: { [guids] in !guids.contains($0) }) else {
      return problems.refuse(at: place(0), "there are too many equal tags at this time; remove some")
    }
    guids.insert(guid)
    return PlannedEvent(tag: bytes, at: time, guid: guid, game: Self.game)
  }

  /// The words of a line with their columns, from 1. Quotation marks hold one together.
  private static func words(_ line: Substring) -> [(text: String, column: Int)] {
    var words: [(text: String, column: Int)] = []
    var word: (text: String, column: Int)?
    var quote: Character?
    for (index, character) in line.enumerated() {
      if let open = quote {
        if character == open { quote = nil } else { word?.text.append(character) }
      } else if character == "\"" || character == "'" {
        word = word ?? ("", index + 1)
        quote = character
      } else if character == " " || character == "\t" {
        if let ended = word.take() { words.append(ended) }
      } else {
        word = ((word?.text ?? "") + String(character), word?.column ?? index + 1)
      }
    }
    if let word { words.append(word) }
    return words
  }
}

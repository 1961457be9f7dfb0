package import Basics
import CueSheet
import EventSchedule
import GameEvents
package import Sheets

/// The cues of a sheet in YAML or JSON for a running stream. A cue with `at: go` waits for the operator.
package struct LiveSheet: Sendable {
  private let game: String
  /// The cues with the defaults of the sheet, in the order of the text.
  package let requests: [LiveRequest]

  /// Reads a sheet.
  ///
  /// - Throws: `SheetError` with every mistake in the form of the sheet and in the times of its cues.
  package init(_ text: String) throws(SheetError) { try self.init(Tree(text)) }

  /// Reads a sheet.
  ///
  /// - Throws: `LiveProblem.invalid`, with pointers into the sheet.
  package init(request text: String) throws(LiveProblem) {
    let tree: Tree
    do throws(SheetError) { tree = try Tree(text) } catch { throw LiveProblem(error, in: nil) }
    do throws(SheetError) { try self.init(tree) } catch { throw LiveProblem(error, in: tree.root) }
  }

  private init(_ tree: Tree) throws(SheetError) {
    var requests: [LiveRequest] = []
    var problems: [SheetProblem] = []
    for cue in tree.cues {
      do throws(SheetError) {
        requests.append(try LiveRequest(reading: cue.completed(from: tree.members)))
      } catch {
        problems += error.problems
      }
    }
    guard problems.isEmpty else { throw SheetError(problems) }
    self.requests = requests
    if case .scalar(let name)? = tree.members.first(where: { $0.key == "game" })?.value { game = name.text } else { game = "" }
  }

  /// A text that has the form of a sheet.
  private struct Tree {
    let root: SheetNode
    let members: [SheetMember]
    let cues: [SheetNode]

    init(_ text: String) throws(SheetError) {
      let parsed = try SheetNode.parse(text)
      if let (_, repeated) = parsed, !repeated.isEmpty { throw SheetError(repeated) }
      guard let (root, _) = parsed, case .mapping(let members, _) = root,
        case .list(let cues, let place)? = members.first(where: { $0.key == "cues" })?.value
      else { throw SheetError(at: parsed?.root.place ?? .start, "a cue sheet is expected here; write game: and cues:") }
      guard cues.count <= CueSheet.largestCueCount else {
        throw SheetError(at: place, "there are \(cues.count) cues, above the limit of \(CueSheet.largestCueCount)")
      }
      // A time of day is no time from the beginning.
      if let clock = members.first(where: { $0.key == "timecode" || $0.key == "timeOfDay" }) {
        throw SheetError(
          at: clock.keyPlace,
          "the times of a live sheet count from the stream's beginning, so that \(clock.key.quoted) says nothing here; remove it, and write seconds (12.5)"
        )
      }
      (self.root, self.members, self.cues) = (root, members, cues)
    }
  }

  /// The cues for a game. A cue without an identifier gets one that is derived from the game and the cue, so that the same sheet changes nothing when
  /// it is given again. Equal cues differ by their order.
  func requests(for game: String) -> [LiveRequest] {
    var counts: [String: Int] = [:]
    // The identifiers of two events must not have the same checksum.
    var checksums = Set(requests.compactMap { request in request.guid.map { CRC32MPEG2.checksum($0.text) } })
    var result = requests
    for index in result.indices where result[index].guid == nil {
      let text = JSONValue.object(result[index].object).text
      let occurrence = counts[text, default: 0] + 1
      counts[text] = occurrence
      for attempt in 0..<Self.mostAttempts {
        guard let guid = GUID(game: game, cue: text, occurrence: occurrence, attempt: attempt) else { continue }
        result[index].guid = guid
        if checksums.insert(CRC32MPEG2.checksum(guid.text)).inserted { break }
      }
    }
    return result
  }

  /// A fourth would be needed once in millions of the largest sheets.
  private static let mostAttempts = 4

  /// The sheet as the HTTP interface accepts it: each cue includes the defaults.
  package var object: JSONObject { JSONObject(fields: ["game": game, "cues": requests.map(\.object)]) }

  /// Finds mistakes in the cues, as far as they show without the running game: it may have the title that is missing here, and the question of a
  /// result, and the server decides how large tags may be.
  ///
  /// - Throws: `SheetError` with every mistake.
  package func check() throws(SheetError) {
    let policy = CopyPolicy(largestTagSize: CopyPolicy.largestPESPayload)
    var composer = EventComposer(game: game, title: "?", policy: policy, answers: .open, knowsAllQuestions: false)
    var problems: [SheetProblem] = []
    for request in Self.inOrder(requests(for: game)) {
      guard let guid = request.guid else { continue }
      do throws(SheetError) { _ = try composer.event(of: request.cue, guid: guid) } catch { problems += error.problems }
    }
    guard problems.isEmpty else { throw SheetError(problems) }
  }

  /// The cues in the order of their times if all have one, otherwise in that of the text.
  private static func inOrder(_ requests: [LiveRequest]) -> [LiveRequest] {
    let times = requests.compactMap { request -> MediaTime? in if case .at(let time) = request.due { time } else { nil } }
    guard times.count == requests.count else { return requests }
    return zip(times, requests).enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map(\.element.1)
  }
}

extension SheetNode {
  /// A cue with the title and the question defaults of its sheet.
  fileprivate func completed(from sheet: [SheetMember]) -> SheetNode {
    guard case .mapping(let members, let place) = self, case .scalar(let type)? = members.first(where: { $0.key == "event" })?.value
    else { return self }
    var common: [SheetMember] = []
    if type.text == EventType.startGame.text { common = sheet.filter { $0.key == "title" } }
    if type.text == EventType.askQuestion.text, case .mapping(let defaults, _)? = sheet.first(where: { $0.key == "defaults" })?.value {
      common = defaults
    }
    return .mapping(members + common.filter { member in !members.contains { $0.key.hasSameBytes(as: member.key) } }, place)
  }
}

import ArgumentParser
import Basics
import CommandSupport
import CueSheet
import Foundation
import GameEvents
import LiveGame
import LiveInterface
import Sheets
import StreamInput

struct Post: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "post",
    abstract: "Put events into a live stream, and see what became of them.",
    usage: """
      cuelight post [URL] EVENT [options]
      cuelight post [URL] --sheet FILE
      cuelight post [URL] next | now | list | status GUID | cancel GUID
      cuelight post --to INJECTOR EVENT [options]
      """,
    discussion: """
      This calls the server that cuelight live runs. URL is that of the server, or that of a stream of it, http://HOST/v1/streams/NAME; without \
      it, the stream is that of http://127.0.0.1:8080/v1/streams/live. Where the server asks for a token, it is in the environment's \
      CUELIGHT_TOKEN or in a file.

      EVENT is startGame, askQuestion, adjustTime, periodicInfo, showResults or endGame. What it says is told by the keys of a cue sheet as options: \
      allottedTime is --allotted-time, and of a list each element has an option of its own, as --answer. Without --at, --in and --wall-clock \
      it goes into the stream with the next frame.

      --sheet posts the cues of a cue sheet. next sends the next cue that waits for the operator (at: go), status tells what became of an \
      event, cancel takes one back, list lists all, now tells where the programme is.

      Where the connection breaks or the server has no time, the same is posted again, up to five times. Nothing is in the stream twice by that.

      --to hands an event to an injector of somebody else instead: Amazon IVS or MediaLive, Ant Media Server, OvenMediaEngine, or Wowza with its \
      metadata plugin. Amazon's keys are in the environment, as for Amazon's own tools, or in a file like theirs; other injectors' tokens are in \
      CUELIGHT_TOKEN or in a file. A game has a --journal.

      Example:
        cuelight post startGame --title "Friday Night"
        cuelight post askQuestion --question "Which metal is liquid?" \\
          --answer Iron --answer Mercury --correct Mercury --time 10 --wait
        cuelight post showResults --counts 31,402
        cuelight post http://studio:8080/v1/streams/live --sheet show.yaml
      """)

  @Argument(help: ArgumentHelp("The server, and what it is to do.", valueName: "words"))
  var words: [String] = []

  @Option(name: .long, help: ArgumentHelp("Post the cues of a cue sheet.", valueName: "file"))
  var sheet: String?

  @OptionGroup(title: "Where it goes") var outbound: OutboundOptions

  @OptionGroup(title: "When it happens") var due: DueOptions

  @OptionGroup(title: "What it says") var cue: CueOptions

  @Flag(name: .long, help: "The event is one of your own, not one of the game's.")
  var custom = false

  @Flag(name: .long, help: "Wait until the event is in the stream.")
  var wait = false

  @Option(name: .long, help: ArgumentHelp("A file with the token; only its owner may read it.", valueName: "file"))
  var tokenFile: String?

  @Flag(name: .long, help: "Print what the server answers, as a line of JSON.")
  var json = false

  /// The requested action.
  enum Action: Equatable {
    /// Post an event, without its identifier.
    case event(JSONObject)
    case sheet(path: String)
    case next, now, list
    case status(GUID)
    case cancel(GUID)
  }

  func validate() throws {
    _ = try address()
    let action = try action()
    guard try outbound.target() != nil else { return }
    guard case .event = action, words.first.map({ StreamInput.isURL($0) }) != true else {
      throw ValidationError("--to takes an event, such as askQuestion, and no URL.")
    }
    guard tokenFile == nil else { throw ValidationError("--token-file is for a cuelight live; --to has --credentials.") }
    guard due.at != "go" else { throw ValidationError("With --to nobody can say next: --at takes a time.") }
  }

  // MARK: What the words say

  /// The stream.
  func address() throws -> StreamAddress {
    do throws(StreamAddress.Mistake) {
      return try StreamAddress(words.first.flatMap { StreamInput.isURL($0) ? $0 : nil } ?? StreamAddress.usual)
    } catch {
      let message = "\(error)"
      throw ValidationError("\(message.prefix(1).uppercased())\(message.dropFirst()).")
    }
  }

  /// The requested action at that stream.
  func action() throws -> Action {
    let words = Array(self.words.first.map { StreamInput.isURL($0) } == true ? self.words.dropFirst() : self.words[...])
    let members = try cue.members()
    let action: Action
    if let sheet {
      guard words.isEmpty else { throw ValidationError("--sheet is posted alone, without \(words.joined(separator: " ")).") }
      action = .sheet(path: sheet)
    } else {
      action = try Self.action(words) ?? event(words[0], members)
    }
    if case .event = action { return action }
    try require(
      members.isEmpty && due.members.isEmpty && due.guid == nil && !custom,
      "What an event says and when it happens are options of an event alone, such as askQuestion.")
    guard !wait || action == .next else { throw ValidationError("--wait is an option of an event and of next.") }
    return action
  }

  private static let plainActions: [String: Action] = ["next": .next, "now": .now, "list": .list]
  private static let actionsOfEvents: [String: @Sendable (GUID) -> Action] = ["status": { .status($0) }, "cancel": { .cancel($0) }]
  private static var actionWords: [String] { (Array(plainActions.keys) + Array(actionsOfEvents.keys)).sorted() }

  /// The action that the words name; `nil` if the one word is the type of an event.
  private static func action(_ words: [String]) throws -> Action? {
    let word = try require(
      words.first, "Say what to post: an event such as askQuestion, --sheet FILE, or one of \(actionWords.joined(separator: ", ")).")
    if let make = actionsOfEvents[word] {
      guard words.count == 2, let guid = GUID(words[1]) else { throw ValidationError("\(word) takes the guid of an event.") }
      return make(guid)
    }
    guard words.count == 1 else { throw ValidationError("\(word) takes no further words, such as \(words[1]).") }
    return plainActions[word]
  }

  private func event(_ name: String, _ members: [JSONObject.Member]) throws -> Action {
    let known = EventType.known.map(\.text)
    guard known.contains(name) || custom else {
      let nearest = name.nearest(of: known + Self.actionWords, limit: 2)
      let help = nearest.map { "did you mean \($0)?" } ?? "for an event of your own, say --custom."
      throw ValidationError("There is no event \(name); \(help)")
    }
    let all = [JSONObject.Member(key: "event", value: .string(name))] + due.members + members
    if let guid = due.guid, GUID(guid) == nil { throw ValidationError("--guid takes up to \(GUID.largestLength) bytes.") }
    for (index, member) in all.enumerated() where all[..<index].contains(where: { $0.key == member.key }) || member.key == "guid" {
      throw ValidationError("--set \(member.key): there is another option for this key, or it is given twice.")
    }
    return .event(JSONObject(all))
  }

  // MARK: Calls

  func run() throws {
    if let target = try outbound.target(), case .event(let event) = try action() {
      return try OutboundPost(target: target, options: outbound, isJSON: json).run(event, due.guid.flatMap { GUID($0) } ?? .random())
    }
    let token = try TokenSource(path: tokenFile).token(environment: ProcessInfo.processInfo.environment)
    let conversation = LiveConversation(address: try address(), token: token, isJSON: json)
    switch try action() {
    case .event(let event):
      // The identifier is made before anything is sent, so that the same event can be posted again.
      let guid = due.guid.flatMap { GUID($0) } ?? .random()
      try finish(LiveCall(endpoint: .postEvent, body: event.with("guid", guid.text), waits: wait), conversation)
    case .next:
      try finish(LiveCall(endpoint: .postNext, key: GUID.random().text, waits: wait), conversation)
    case .sheet(let path):
      try show(conversation.answer(LiveCall(endpoint: .putCues, body: try LiveSheet(file: path).object))) { answer in
        let events = (answer["events"]?.array ?? []).compactMap(\.object)
        return events.map { LiveText.event($0) } + [events.count.of("cue")]
      }
    case .now: try show(conversation.answer(LiveCall(endpoint: .getNow))) { [LiveText.now($0)] }
    case .list: try show(conversation.answer(LiveCall(endpoint: .listEvents))) { LiveText.events($0) }
    case .status(let guid):
      try show(conversation.answer(LiveCall(endpoint: .getEvent, guid: guid.text))) { [LiveText.wholeEvent($0)] }
    case .cancel(let guid):
      let answer = try conversation.answer(LiveCall(endpoint: .deleteEvent, guid: guid.text))
      try show(answer ?? JSONObject(fields: ["guid": guid.text, "state": "cancelled"])) { _ in ["\(guid.text): taken back"] }
    }
  }

  /// Posts an event and reports its state. If the user waits, this continues until the event is in the stream or never will be.
  private func finish(_ call: LiveCall, _ conversation: LiveConversation) throws(CommandFailure) {
    var first = call
    first.waits = false
    var answer = try conversation.answer(first)
    var patience = InputPatience()
    while wait, ["accepted", "scheduled", "held"].contains(answer?["state"]?.string) {
      let input = try conversation.answer(LiveCall(endpoint: .getNow))?["input"]?.string
      switch patience.step(isInputUp: input == LiveInputState.up.rawValue) {
      case .wait: break
      case .tell: StandardError.write("nothing comes from the stream's input; the event waits for it")
      case .end:
        try show(answer) { [LiveText.event($0)] }
        throw CommandFailure(
          "nothing came from the stream's input for a minute; the event goes into the stream when the input is back",
          status: CommandFailure.ioError)
      }
      // The server answers after half a minute at most.
      answer = try conversation.answer(call)
    }
    try show(answer) { [LiveText.event($0)] }
    if wait, ["lost", "cancelled"].contains(answer?["state"]?.string) { throw .checkFailed }
  }

  private func show(_ answer: JSONObject?, _ lines: (JSONObject) -> [String]) throws(CommandFailure) {
    let answer = answer ?? JSONObject()
    if json { try StandardOutput.write(answer) } else { try StandardOutput.write(lines(answer)) }
  }
}

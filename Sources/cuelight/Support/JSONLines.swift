import Basics
import EventReading
import GameEvents
import GameState
import HLSReading
import ID3

// The objects that --json prints, one a line. Their keys are stable: programs read them.

extension JSONObject {
  mutating func add(_ key: String, _ text: String?) { append(key, text.map { .string($0) } ?? .null) }

  mutating func add(_ key: String, _ number: Int) { append(key, .number(JSONNumber(number))) }

  mutating func add(_ key: String, _ flag: Bool) { append(key, .bool(flag)) }

  mutating func add(_ key: String, _ time: MediaTime) {
    append(key, JSONNumber(time.shortestDecimalSeconds).map { .number($0) } ?? .null)
  }

  mutating func add(_ key: String, _ object: JSONObject?) { append(key, object.map { .object($0) } ?? .null) }

  mutating func add(all object: JSONObject) {
    for member in object.members where self[member.key] == nil { append(member.key, member.value) }
  }
}

extension StreamItem {
  /// The item as `inspect --json` prints it.
  ///
  /// - Parameters:
  ///   - isDuplicate: Whether the event was seen before.
  ///   - source: The segment of a presentation that it lies in.
  ///   - choice: The rendition, where several are read.
  func line(isDuplicate: Bool, in source: HLSSource? = nil, of choice: HLSChoice? = nil) -> JSONObject {
    var line = object(isDuplicate: isDuplicate, in: source)
    if let choice { line.add("rendition", choice.uri) }
    return line
  }

  private func object(isDuplicate: Bool, in source: HLSSource?) -> JSONObject {
    var line = JSONObject()
    switch self {
    case .copy(let copy, let place):
      line.add("type", "copy")
      line.add("time", place.time)
      line.add("eventTime", copy.event.at ?? place.time - copy.age)
      line.add(place, in: source)
      line.add("eventType", copy.event.type.text)
      line.add("guid", copy.event.guid.text)
      line.append("sequence", copy.event.sequence.map { .number(JSONNumber($0)) } ?? .null)
      line.add("copy", copy.copy)
      line.add("copies", copy.copies)
      line.add("age", copy.age)
      line.add("verified", copy.isVerified)
      line.add("duplicate", isDuplicate)
      line.add("bytes", place.byteCount)
      line.add("event", copy.event.object)
    case .tag(let tag, let place):
      line.add("type", "tag")
      line.add("time", place.time)
      line.add(place, in: source)
      line.add("bytes", place.byteCount)
      line.append("frames", .array(tag.frames.map { .object($0.object) }))
    case .damage(let damage):
      line.add("type", "damage")
      line.add("offset", damage.offset)
      line.add("segment", source?.uri)
      line.add("what", damage.reason)
    }
    return line
  }
}

extension HLSNotice {
  /// What went wrong in a presentation, as `--json` prints it.
  func line(of choice: HLSChoice? = nil) -> JSONObject {
    var line = JSONObject()
    line.add("type", "notice")
    line.add("what", "\(self)")
    if let choice { line.add("rendition", choice.uri) }
    return line
  }
}

extension JSONObject {
  fileprivate mutating func add(_ place: Place, in source: HLSSource?) {
    append("pts", .number(JSONNumber(Int(place.presentationTime.ticks))))
    add("carriage", place.carriage.name)
    switch place.carriage {
    case .transportStream(let pid): add("pid", Int(pid))
    case .eventMessage(let id): add("id", Int(id))
    case .dateRange(let id): add("id", id)
    case .packedAudio: break
    }
    add("offset", place.offset)
    add("segment", source?.uri)
  }
}

extension ID3Frame {
  /// The frame as `inspect --json` prints it.
  var object: JSONObject {
    var object = JSONObject()
    object.add("id", id)
    switch self {
    case .userText(let description, let value):
      object.add("description", description)
      object.append("text", .array([.string(value)]))
    case .text(_, let values): object.append("text", .array(values.map { .string($0) }))
    case .privateData(let owner, let data):
      object.add("owner", owner)
      object.add("data", Self.hexadecimal(data))
    case .unknown(_, _, let data): object.add("data", Self.hexadecimal(data))
    }
    return object
  }

  /// The frame as a person reads it.
  var text: String {
    switch self {
    case .userText(let description, let value): "TXXX \(description): \(value)"
    case .text(let id, let values): "\(id) \(values.joined(separator: " / "))"
    case .privateData(let owner, let data): "PRIV \(owner): \(data.count) bytes"
    case .unknown(let id, _, let data): "\(id) \(data.count) bytes"
    }
  }

  private static func hexadecimal(_ data: [UInt8]) -> String {
    data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension GameEvent {
  /// What the event says, envelope and all.
  var object: JSONObject {
    var object = JSONObject()
    object.add("eventType", type.text)
    object.add("guid", guid.text)
    if let game { object.add("game", game) }
    if let sequence { object.add("sequence", sequence) }
    if let at { object.add("at", at) }
    object.add(all: content.object)
    object.add(all: unknownKeys)
    return object
  }
}

extension Transition {
  /// The transition as `replay --json` prints it.
  var line: JSONObject {
    var line = JSONObject()
    line.add("type", "transition")
    line.add("time", time)
    line.add("eventTime", eventTime)
    line.add("transition", kind.name)
    line.add("guid", guid?.text)
    line.add("game", game.text)
    switch kind {
    case .eventLost(let sequences):
      line.append("sequences", .array([sequences.lowerBound, sequences.upperBound].map { .number(JSONNumber($0)) }))
    case .customEvent(let event): line.add("event", event.object)
    default: break
    }
    line.add("state", state.object)
    return line
  }
}

extension GameState {
  /// The state as `replay --json` prints it.
  var object: JSONObject {
    var object = JSONObject()
    object.add("phase", phase.rawValue)
    object.add("game", game?.text)
    object.add("title", title)
    if phase == .lobby, let start {
      object.add("startsAt", start.startsAt)
      object.add("entryIsOpen", start.isEntryOpen)
    }
    object.add("question", question?.object(total: totalQuestions))
    object.add(
      "result",
      result.map { result in
        var shown = result.content.object
        shown.add("seal", "\(result.seal)")
        return shown
      })
    object.add(
      "info",
      info.map { info in
        var counters = info.content.object
        counters.add(all: info.unknownKeys)
        return counters
      })
    if let ending { object.add("ending", ending.content.object) }
    object.add("score", score)
    object.add("answered", answered)
    return object
  }
}

extension GameState.Question {
  fileprivate func object(total: Int?) -> JSONObject {
    var object = JSONObject()
    object.add("guid", guid.text)
    object.add("number", content.questionNumber)
    object.append("total", total.map { .number(JSONNumber($0)) } ?? .null)
    object.add("text", content.question)
    object.append("answers", .array(content.answers.map { .string($0) }))
    object.add("opensAt", opensAt)
    object.add("closesAt", closesAt)
    if let category = content.category { object.add("category", category) }
    if let difficulty = content.difficulty { object.add("difficulty", difficulty) }
    if let correctAnswer = content.correctAnswer { object.add("correctAnswer", correctAnswer) }
    return object
  }
}

extension ShowResults {
  fileprivate var object: JSONObject { EventContent.showResults(self).object }
}

extension PeriodicInfo {
  fileprivate var object: JSONObject { EventContent.periodicInfo(self).object }
}

extension EndGame {
  fileprivate var object: JSONObject { EventContent.endGame(self).object }
}

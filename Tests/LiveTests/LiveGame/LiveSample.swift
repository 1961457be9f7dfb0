import Basics
import CueSheet
import EventSchedule
import GameEvents
import TestSupport

@testable import LiveGame

/// A game of which tests know everything.
enum LiveSample {
  static let settings = LiveGame.Settings(game: "friday", title: "T", policy: CopyPolicy(), answers: .sealed(testKey))

  static func now(_ seconds: Double?, wallClock: Int64? = nil) -> LiveGame.Now {
    let time = seconds.map { MediaTime(seconds: $0) }
    let wallClock = wallClock ?? 1_000_000 + Int64((seconds ?? 0) * 1_000)
    return .init(time: time, wallClock: wallClock, dates: time.map { DateAnchor(time: $0, wallClock: wallClock) })
  }

  /// A request of an event that anybody may send at any time.
  static func poll(_ guid: String?, _ keys: String = "") throws -> LiveRequest {
    try LiveRequest(json: "{\"event\":\"poll\"\(guid.map { ",\"guid\":\"\($0)\"" } ?? "")\(keys)}")
  }

  static func ask(_ guid: String, _ keys: String = "") throws -> LiveRequest {
    try LiveRequest(
      json: "{\"event\":\"askQuestion\",\"guid\":\"\(guid)\",\"question\":\"Q\",\"answers\":[\"A\",\"B\"],\"correct\":\"B\"\(keys)}")
  }

  static func show(_ guid: String, _ keys: String = "") throws -> LiveRequest {
    try LiveRequest(json: "{\"event\":\"showResults\",\"guid\":\"\(guid)\"\(keys)}")
  }

  static func accepted(_ request: LiveRequest, _ guid: String, key: String? = nil, _ now: LiveGame.Now) -> JournalRecord {
    .accepted(guid: SampleGame.guid(guid), key: key, request: request.object, from: .init(wallClock: now.wallClock, time: now.time))
  }
}

extension LiveGame {
  /// Accepts an event that has an identifier.
  mutating func accept(_ request: LiveRequest, key: String? = nil, now: Now) throws -> (Answer, Change) {
    try accept(request, key: key, newGUID: SampleGame.guid("none"), now: now)
  }
}

extension EventStatus {
  static func of(_ guid: String, _ state: State, _ sequence: Int? = nil) -> EventStatus { of(guid, "poll", state, sequence) }

  static func of(_ guid: String, _ type: String, _ state: State, _ sequence: Int? = nil) -> EventStatus {
    EventStatus(guid: SampleGame.guid(guid), type: type, state: state, sequence: sequence)
  }
}

// `GameClient` as C functions, for a page in WebAssembly and for other languages. The caller makes a game, writes a tag or a text where
// `cuelight_room` says, calls, and reads what the call left at `cuelight_answer`: JSON in UTF-8, as many bytes as the call returned. The
// transitions and the state are those of `cuelight replay --json`. Times are seconds, those of the player, or dates since 1970 throughout.
//
// Unsafe: a handle is that of a game which was made and not ended, one thread at a time uses it, and nobody keeps an address over the next call.

import Basics
package import CuelightClient
import GameEvents
import GameJSON
package import StateMachine

/// A game, and the bytes that go in and come out.
package final class Game {
  package var client: GameClient
  let room = Room()
  let answer = Room()

  init(checksSeals: Bool) { client = GameClient(seals: checksSeals ? .verify : .trust) }

  /// What is known of the game. A property of a class is copied where it is read, and not where it may be changed.
  func known<Value>(_ read: (inout GameClient) -> Value) -> Value { read(&client) }

  /// Selects an answer as JSON. What is none is an answer that no question has.
  func select(_ text: [UInt8], now: MediaTime) -> (outcome: SelectionOutcome, transitions: [GameTransition]) {
    client.select((try? JSONValue(parsing: text)).flatMap { GivenAnswer(json: $0) } ?? .several([]), now: now)
  }

  /// Leaves what changed for the caller. Most calls change nothing, and leave nothing.
  package func leave(_ transitions: [GameTransition]) -> Int {
    transitions.isEmpty ? 0 : leave(.array(transitions.map { .object(object(of: $0)) }))
  }

  /// A transition, with the state of a player.
  func object(of transition: GameTransition) -> JSONObject {
    var object = transition.object
    object.append("state", stateObject(transition.state))
    return object
  }

  /// The state of `replay`, which has no player, with what the player selected and may see.
  func stateObject(_ state: GameState) -> JSONObject {
    var object = state.object
    object.append("selectedAnswer", orNull: state.question?.selectedAnswer)
    object.append("correctAnswer", orNull: state.correctAnswer)
    object.append("isQuestionOver", known { $0.isQuestionOver(in: state) })
    if let selection = state.question?.selection { object.append("selection", selection.json) }
    if let right = state.right { object.append("right", right.json) }
    return object
  }

  func leave(_ value: JSONValue) -> Int { answer.put(value) }
}

/// The game of a handle.
package func game(_ handle: UnsafeMutableRawPointer) -> Game { unsafe Unmanaged<Game>.fromOpaque(handle).takeUnretainedValue() }

// MARK: - A game's beginning and end

/// Makes a game, which `cuelight_destroy` ends.
@_cdecl("cuelight_create") public func create(_ checksSeals: Bool) -> UnsafeMutableRawPointer {
  unsafe Unmanaged.passRetained(Game(checksSeals: checksSeals)).toOpaque()
}

/// Ends a game.
@_cdecl("cuelight_destroy") public func destroy(_ handle: UnsafeMutableRawPointer) {
  unsafe Unmanaged<Game>.fromOpaque(handle).release()
}

// MARK: - Bytes in and out

/// Where the caller writes that number of bytes before the next call.
@_cdecl("cuelight_room") public func room(_ handle: UnsafeMutableRawPointer, _ count: Int) -> UnsafeMutableRawPointer {
  unsafe game(handle).room.make(count)
}

/// Where the caller reads what the last call left.
@_cdecl("cuelight_answer") public func answer(_ handle: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
  unsafe game(handle).answer.make(0)
}

// MARK: - What the player hands over

/// Receives an ID3 tag of that number of bytes.
@_cdecl("cuelight_tag") public func tag(_ handle: UnsafeMutableRawPointer, _ count: Int, _ presentedAt: Double, _ now: Double) -> Int {
  let game = unsafe game(handle)
  return game.leave(
    game.client.receive(tag: game.room.bytes(count: count), presentedAt: MediaTime(seconds: presentedAt), now: MediaTime(seconds: now)))
}

/// Receives a TXXX frame: the bytes of its value, and after them those of its description.
@_cdecl("cuelight_frame") public func frame(
  _ handle: UnsafeMutableRawPointer, _ text: Int, _ description: Int, _ presentedAt: Double, _ now: Double
) -> Int {
  let game = unsafe game(handle)
  return game.leave(
    game.client.receive(
      text: String(decoding: game.room.bytes(count: text), as: UTF8.self),
      description: String(decoding: game.room.bytes(from: text, count: description), as: UTF8.self),
      presentedAt: MediaTime(seconds: presentedAt), now: MediaTime(seconds: now)))
}

/// Receives the event of a date range, an attribute of that number of bytes.
@_cdecl("cuelight_date_range") public func dateRange(
  _ handle: UnsafeMutableRawPointer, _ count: Int, _ startDate: Double, _ now: Double
) -> Int {
  let game = unsafe game(handle)
  return game.leave(game.client.receive(dateRange: game.room.bytes(count: count), startDate: startDate, now: now))
}

/// Another piece of the stream begins at a time; now, where the time is not a number.
@_cdecl("cuelight_discontinuity") public func discontinuity(_ handle: UnsafeMutableRawPointer, _ time: Double) {
  unsafe game(handle).client.discontinuity(at: time.isNaN ? nil : MediaTime(seconds: time))
}

// MARK: - Time and the viewer

/// Goes on to a time.
@_cdecl("cuelight_advance") public func advance(_ handle: UnsafeMutableRawPointer, _ now: Double) -> Int {
  let game = unsafe game(handle)
  return game.leave(game.client.advance(to: MediaTime(seconds: now)))
}

/// Moves to a time, because the viewer did.
@_cdecl("cuelight_seek") public func seek(_ handle: UnsafeMutableRawPointer, _ now: Double) -> Int {
  let game = unsafe game(handle)
  return game.leave(game.client.seek(to: MediaTime(seconds: now)))
}

/// The stream has ended.
@_cdecl("cuelight_finish") public func finish(_ handle: UnsafeMutableRawPointer, _ now: Double) -> Int {
  let game = unsafe game(handle)
  return game.leave(game.client.finish(now: MediaTime(seconds: now)))
}

/// Selects an answer, JSON of that number of bytes, and leaves what became of it with the transitions.
@_cdecl("cuelight_select") public func select(_ handle: UnsafeMutableRawPointer, _ count: Int, _ now: Double) -> Int {
  let game = unsafe game(handle)
  let (outcome, transitions) = game.select(game.room.bytes(count: count), now: MediaTime(seconds: now))
  let text =
    switch outcome {
    case .accepted: "accepted"
    case .noQuestion: "noQuestion"
    case .unknownAnswer: "unknownAnswer"
    case .tooLate: "tooLate"
    }
  var result = JSONObject()
  result.append("outcome", text)
  result.append("transitions", transitions.map { game.object(of: $0) })
  return game.leave(.object(result))
}

// MARK: - What is known

/// Leaves the state.
@_cdecl("cuelight_state") public func state(_ handle: UnsafeMutableRawPointer) -> Int {
  let game = unsafe game(handle)
  return game.leave(.object(game.stateObject(game.known { $0.state })))
}

/// The player's time of the timeline origin; not a number where it is unknown.
@_cdecl("cuelight_origin") public func origin(_ handle: UnsafeMutableRawPointer) -> Double {
  unsafe game(handle).known { $0.origin }?.seconds ?? .nan
}

/// When to advance at the latest; not a number where that is unknown.
@_cdecl("cuelight_next_deadline") public func nextDeadline(_ handle: UnsafeMutableRawPointer) -> Double {
  unsafe game(handle).known { $0.nextDeadline }?.seconds ?? .nan
}

/// The number of events that could not be used.
@_cdecl("cuelight_unusable") public func unusable(_ handle: UnsafeMutableRawPointer) -> Int { unsafe game(handle).known { $0.unusable } }

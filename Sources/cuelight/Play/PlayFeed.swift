import Basics
import CommandSupport
import EventReading
import Files
import Foundation
import GameEvents
import StreamInput
import Synchronization
import Terminal

/// Reads a stream on its own thread, so that keys work even if the stream is slow. It reads only slightly ahead of the player, so that a long stream
/// needs little memory.
final class PlayFeed: Sendable {
  // A class, because the reading thread and the playing thread share it.

  /// What the feed reads from the stream.
  enum Item: Sendable {
    /// A copy of an event, and its programme time.
    case copy(EventCopy, at: MediaTime)
    /// A message about the stream.
    case message(String)
    /// The stream has ended at this time; messages have named what could not be loaded.
    case end(MediaTime?, isWhole: Bool, contents: String)
    /// The stream cannot be read any further.
    case failure(CommandFailure)

    /// When it is due.
    fileprivate var time: MediaTime? {
      switch self {
      case .copy(_, let time): time
      case .end(let time, _, _): time
      case .message, .failure: nil
      }
    }
  }

  private struct State {
    var items: [Item] = []
    var start: MediaTime?
    /// The player's current programme time.
    var played: MediaTime?
    var isStopped = false
    var isRunning = false
  }

  private let state = Mutex(State())
  private let from: MediaTime?

  /// How much of the programme is read ahead.
  static let lead = MediaTime(seconds: 30)
  /// The maximum number of items that are kept, however short their time span.
  private static let largestCount = 1_024

  /// A feed that has not begun to read.
  ///
  /// - Parameter from: Copies before this programme time are left out.
  init(from: MediaTime?) { self.from = from }

  /// Begins to read.
  func start(_ source: StreamSource) {
    state.withLock { $0.isRunning = true }
    let thread = Thread { [self] in
      read(source)
      state.withLock { $0.isRunning = false }
    }
    // Container parsers and TLS libraries need more than the default 512 KiB of threads.
    thread.stackSize = 8 << 20
    thread.start()
  }

  private func read(_ source: StreamSource) {
    var source = source
    source.say = { [self] in put(.message($0), at: nil) }
    source.isInterrupted = { [self] in Interruption.isRequested || isStopped }
    do throws(CommandFailure) {
      let ending = try source.read { (item, segment, start) throws(CommandFailure) in
        guard !isStopped else { throw CommandFailure(nil, status: 0) }
        switch item {
        case .tag: break
        case .damage(let damage): source.report(damage, in: segment)
        case .copy(let copy, let place):
          if let from, place.time < from { return }
          state.withLock { $0.start = $0.start ?? start }
          put(.copy(copy, at: place.time), at: place.time)
        }
      }
      put(.end(ending.end, isWhole: ending.losses == 0, contents: StreamSource.contents(of: ending)), at: nil)
    } catch {
      put(.failure(error), at: nil)
    }
  }

  /// Adds an item for the player. Waits while it is too far ahead.
  func put(_ item: Item, at time: MediaTime?) {
    while true {
      let isTaken = state.withLock { state in
        if state.isStopped { return true }
        let isAhead = if let time, let played = state.played { time > played + Self.lead } else { false }
        // Before the player has begun there is no time yet, but there may already be too many items.
        guard !isAhead, state.items.count < Self.largestCount else { return false }
        state.items.append(item)
        return true
      }
      if isTaken || Interruption.isRequested { return }
      Interruption.pause(milliseconds: 10)
    }
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  /// When the programme begins for the player: the start of the stream, once a copy or the end was read; `nil` before that.
  func beginning() -> MediaTime? {
    state.withLock { state in
      for item in state.items {
        switch item {
        case .copy(_, let time): return from ?? min(state.start ?? .zero, time)
        case .end, .failure: return from ?? .zero
        case .message: continue
        }
      }
      return nil
    }
  }

  /// Removes and returns the items that are due at `time`; before the player has begun (`nil`) only those without time.
  func removeItems(upTo time: MediaTime?) -> [Item] {
    state.withLock { state in
      state.played = time ?? state.played
      let due = state.items.prefix { $0.time.map { due in time.map { due <= $0 } ?? false } ?? true }
      state.items.removeFirst(due.count)
      return Array(due)
    }
  }

  /// The end of the stream, if it was read and `isKnown` is true for the events of all copies before it.
  func ending(ifKnown isKnown: (GameEvent) -> Bool) -> Item? {
    state.withLock { state in
      guard let last = state.items.last, case .end = last else { return nil }
      return state.items.allSatisfy { if case .copy(let copy, _) = $0 { isKnown(copy.event) } else { true } } ? last : nil
    }
  }

  /// The end of the stream, if it was read and no item precedes it.
  var mereEnding: Item? {
    state.withLock { state in
      guard state.items.count == 1, case .end = state.items[0] else { return nil }
      return state.items[0]
    }
  }

  /// Whether the player has to wait for the stream.
  var isEmpty: Bool { state.withLock { $0.items.isEmpty } }

  /// Ends reading. Waits up to 0.2 seconds for the thread; one that still waits for a server is left running.
  func stop() {
    state.withLock { $0.isStopped = true }
    for _ in 0..<20 where state.withLock({ $0.isRunning }) { Interruption.pause(milliseconds: 10) }
  }
}

package import LiveGame
import Synchronization

/// The input for published streams: one publisher at a time, and one after the other.
package final class PublisherInbox: Sendable {
  /// What is received, in order.
  enum Item: Equatable, Sendable {
    /// A publisher begins.
    case begin
    /// Whole packets of a transport stream.
    case packets([UInt8])
    /// An event of the publisher.
    case event(ForeignEvent)
    /// A message for the operator.
    case notice(String)
    /// The publisher has ended.
    case end
  }

  private struct State {
    /// The number of the current publisher; `nil` without one.
    var current: Int?
    var count = 0
    var lastArrival = ContinuousClock.now
    var isClosed = false
    /// Called once there is room.
    var waitingForRoom: [@Sendable () -> Void] = []
  }

  /// Where publishers connect.
  package let address: PublishAddress
  private let state = Mutex(State())
  private let items = JobQueue<Item> { if case .packets(let bytes) = $0 { bytes.count } else { 0 } }

  /// The number of waiting bytes at which the publisher is no longer read.
  private static let mostBytes = 4 << 20
  /// The maximum number of waiting events.
  private static let mostItems = 4_096
  /// A publisher that has been silent for this long is replaced: its connection may be dead, and the encoder may have connected again.
  private static let patience = Duration.seconds(2)

  init(_ address: PublishAddress) { self.address = address }

  /// Lets a publisher begin.
  ///
  /// - Returns: The publisher's number, from 1; `nil` if there is another publisher, or the stream is over.
  package func begin(at now: ContinuousClock.Instant = .now) -> Int? {
    state.withLock { state in
      guard !state.isClosed, state.current == nil || now - state.lastArrival >= Self.patience else { return nil }
      if state.current != nil { items.add(.end) }
      state.count += 1
      (state.current, state.lastArrival) = (state.count, now)
      items.add(.begin)
      return state.count
    }
  }

  /// Receives what a publisher sends.
  ///
  /// - Returns: Whether it is still the current publisher, and the stream is not over.
  package func add(_ packets: [UInt8], events: [ForeignEvent] = [], notices: [String] = [], of number: Int) -> Bool {
    state.withLock { state in
      guard state.current == number, !state.isClosed else { return false }
      state.lastArrival = .now
      // Events go before the frames that the publisher sent after them.
      let others: [Item] = events.map { .event($0) } + notices.map { .notice($0) }
      for item in others.prefix(max(Self.mostItems - items.count, 0)) { items.add(item) }
      if !packets.isEmpty { items.add(.packets(packets)) }
      return true
    }
  }

  /// Records that a publisher has ended.
  package func end(_ number: Int) {
    state.withLock { state in
      guard state.current == number else { return }
      state.current = nil
      items.add(.end)
    }
  }

  /// Tells the operator of a client that does not publish.
  package func tell(_ notice: String) {
    if items.count < Self.mostItems { items.add(.notice(notice)) }
  }

  /// Calls `body` when there is room for more: at once, or when the waiting items were taken.
  package func whenThereIsRoom(_ body: @escaping @Sendable () -> Void) {
    let hasRoom = state.withLock { state in
      guard items.cost >= Self.mostBytes else { return true }
      state.waitingForRoom.append(body)
      return false
    }
    if hasRoom { body() }
  }

  /// Lets no further publisher begin, and receives no more from the current one.
  func close() { state.withLock { $0.isClosed = true } }

  /// Makes ``take()`` return.
  func wake() { items.wake() }

  /// All waiting items, once there are some, or none after a wake-up.
  func take() -> [Item] {
    let taken = items.take() ?? []
    for body in state.withLock({ exchange(&$0.waitingForRoom, with: []) }) { body() }
    return taken
  }
}

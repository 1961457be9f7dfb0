package import LiveGame
import Synchronization

/// Where a stream comes in that others publish: one publisher at a time, and one after the other.
package final class PublisherInbox: Sendable {
  /// What comes, in order.
  enum Item: Equatable, Sendable {
    /// A publisher begins.
    case begin
    /// Whole packets of a transport stream.
    case packets([UInt8])
    /// An event of the publisher.
    case event(ForeignEvent)
    /// Something that an operator should know.
    case notice(String)
    /// The publisher has ended.
    case end
  }

  private struct State {
    var items: [Item] = []
    var byteCount = 0
    /// The number of the publisher who publishes; `nil` for nobody.
    var current: Int?
    var count = 0
    var lastArrival = ContinuousClock.now
    var isClosed = false
    /// What is to be done once there is room.
    var waitingForRoom: [@Sendable () -> Void] = []
  }

  /// Where publishers connect.
  package let address: PublishAddress
  private let state = Mutex(State())
  private let arrival = WakeUp()

  /// More bytes than this do not wait: the publisher is not read meanwhile.
  private static let mostBytes = 4 << 20
  /// The most events of a publisher that wait.
  private static let mostItems = 4_096
  /// A publisher from whom nothing has come for this long is replaced: the connection may be dead, and the encoder has connected again.
  private static let patience = Duration.seconds(2)

  init(_ address: PublishAddress) { self.address = address }

  /// Lets a publisher begin.
  ///
  /// - Returns: The publisher's number, from 1; `nil` where somebody else publishes, or the stream is over.
  package func begin(at now: ContinuousClock.Instant = .now) -> Int? {
    let number: Int? = state.withLock { state in
      guard !state.isClosed, state.current == nil || now - state.lastArrival >= Self.patience else { return nil }
      if state.current != nil { state.items.append(.end) }
      state.count += 1
      (state.current, state.lastArrival) = (state.count, now)
      state.items.append(.begin)
      return state.count
    }
    if number != nil { arrival.signal() }
    return number
  }

  /// Takes what a publisher sends.
  ///
  /// - Returns: Whether it is still the one who publishes.
  package func add(_ packets: [UInt8], events: [ForeignEvent] = [], notices: [String] = [], of number: Int) -> Bool {
    let isCurrent = state.withLock { state in
      guard state.current == number else { return false }
      state.lastArrival = .now
      // Events go before the frames that came behind them.
      state.items += (events.map { .event($0) } + notices.map { .notice($0) }).prefix(max(Self.mostItems - state.items.count, 0))
      if !packets.isEmpty {
        state.items.append(.packets(packets))
        state.byteCount += packets.count
      }
      return true
    }
    if isCurrent { arrival.signal() }
    return isCurrent
  }

  /// A publisher has ended.
  package func end(_ number: Int) {
    state.withLock { state in
      guard state.current == number else { return }
      state.current = nil
      state.items.append(.end)
    }
    arrival.signal()
  }

  /// Tells the operator of somebody who does not publish.
  package func tell(_ notice: String) {
    state.withLock { state in
      if state.items.count < Self.mostItems { state.items.append(.notice(notice)) }
    }
    arrival.signal()
  }

  /// Calls `body` when more may come: at once, or when what waits was taken.
  package func whenThereIsRoom(_ body: @escaping @Sendable () -> Void) {
    let hasRoom = state.withLock { state in
      guard state.byteCount >= Self.mostBytes else { return true }
      state.waitingForRoom.append(body)
      return false
    }
    if hasRoom { body() }
  }

  /// Lets nobody begin any more.
  func close() { state.withLock { $0.isClosed = true } }

  /// Lets the thread that takes look at something else.
  func wake() { arrival.signal() }

  /// Takes all that waits, once something has come, or nothing when somebody wakes the thread.
  func take() -> [Item] {
    arrival.wait()
    let (items, waiting) = state.withLock { state in
      defer { (state.items, state.byteCount, state.waitingForRoom) = ([], 0, []) }
      return (state.items, state.waitingForRoom)
    }
    for body in waiting { body() }
    return items
  }
}

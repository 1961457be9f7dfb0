import Synchronization

/// The loaded segments of a playlist that is an input. One thread loads, and waits if it is far ahead of the thread that takes.
final class SegmentBuffer: Sendable {
  enum Piece: Equatable, Sendable {
    /// The playlist was loaded for the first time. It is live, or complete.
    case playlist(isLive: Bool)
    /// The initialization segment of the fragmented MP4 that follows; `nil` if a transport stream follows.
    case initialization([UInt8]?)
    /// The next bytes of a segment.
    case bytes(ArraySlice<UInt8>)
    case segmentEnd
    case discontinuity
  }

  private struct State {
    var pieces: [Piece] = []
    var byteCount = 0
    var segmentCount = 0
    var isClosed = false
    var failure: LiveSessionError?
  }

  private let state = Mutex(State())
  /// Wakes the thread that takes, and the one that adds.
  private let arrival = WakeUp()
  private let room = WakeUp()
  /// Asks both to end.
  private let stop: StopFlag

  /// The maximum numbers of waiting bytes and of complete segments.
  static let mostBytes = 32 << 20
  static let mostSegments = 3

  /// An empty buffer.
  ///
  /// - Parameter stop: Asks both threads to end.
  init(until stop: StopFlag) {
    self.stop = stop
    stop.whenSet { [arrival, room] in
      arrival.signal()
      room.signal()
    }
  }

  /// The number of complete segments that wait.
  var segmentCount: Int { state.withLock { $0.segmentCount } }

  /// Adds a piece, and waits for room; returns whether it was added before the end was asked for.
  @discardableResult
  func add(_ piece: Piece) -> Bool {
    while !stop.isSet {
      let isAdded = state.withLock { state in
        guard state.byteCount < Self.mostBytes, state.segmentCount < Self.mostSegments else { return false }
        state.pieces.append(piece)
        switch piece {
        case .bytes(let bytes): state.byteCount += bytes.count
        case .segmentEnd: state.segmentCount += 1
        case .playlist, .initialization, .discontinuity: break
        }
        return true
      }
      if isAdded {
        arrival.signal()
        return true
      }
      room.wait()
    }
    return false
  }

  /// Records that no piece follows.
  ///
  /// - Parameter failure: Why, unless that is the end.
  func close(_ failure: LiveSessionError? = nil) {
    state.withLock { ($0.isClosed, $0.failure) = (true, failure) }
    arrival.signal()
  }

  /// Waits for pieces, and takes those up to the end of a segment; `nil` if none follow, or the threads are asked to end.
  ///
  /// - Throws: The error that the buffer was closed with.
  func take() throws(LiveSessionError) -> [Piece]? {
    while !stop.isSet {
      let (pieces, isClosed, failure): ([Piece], Bool, LiveSessionError?) = state.withLock { state in
        let count = state.pieces.firstIndex(of: .segmentEnd).map { $0 + 1 } ?? state.pieces.count
        let taken = Array(state.pieces[..<count])
        state.pieces.removeFirst(count)
        for case .bytes(let bytes) in taken { state.byteCount -= bytes.count }
        if taken.last == .segmentEnd { state.segmentCount -= 1 }
        return (taken, state.isClosed, state.failure)
      }
      if !pieces.isEmpty {
        room.signal()
        return pieces
      }
      if let failure { throw failure }
      if isClosed { return nil }
      arrival.wait()
    }
    return nil
  }
}

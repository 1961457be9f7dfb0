import Synchronization

/// What is loaded of a playlist before it goes into the stream: one thread loads, another takes. Whoever loads waits if it is far ahead.
final class SegmentBuffer: Sendable {
  /// What comes, in order.
  enum Piece: Equatable, Sendable {
    /// The playlist is there for the first time: more is added to it, or it is complete.
    case playlist(isLive: Bool)
    /// Segments that follow are fragmented MP4 and have this in front; they are a transport stream where it is `nil`.
    case initialization([UInt8]?)
    /// The next bytes of a segment.
    case bytes(ArraySlice<UInt8>)
    /// The end of a segment.
    case segmentEnd
    /// What follows does not continue what came before.
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

  /// More bytes than this (32 MiB) do not wait, nor more segments that are complete.
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

  /// The number of segments all of which wait.
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

  /// No piece follows.
  ///
  /// - Parameter failure: Why, where that is no end.
  func close(_ failure: LiveSessionError? = nil) {
    state.withLock { ($0.isClosed, $0.failure) = (true, failure) }
    arrival.signal()
  }

  /// Takes all pieces that wait up to the end of the next segment, and waits for some; `nil` where none follow, or the end was asked for.
  ///
  /// - Throws: What the buffer was closed with.
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

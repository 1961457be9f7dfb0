internal import Dispatch
internal import Synchronization

/// Writes the pieces of a file in order on a thread of its own, so that reading and muxing go on meanwhile.
///
/// More than a third of the time that it takes to copy a gigabyte is spent in the system's `write`.
final class BackgroundWriter: Sendable {
  private struct Shared {
    /// Buffers that are free, with their memory.
    var spare: [[UInt8]] = []
    /// The number of the error that the system refused a piece with, or 0; nothing is written after it.
    var failure: Int32 = 0
  }

  private let descriptor: Int32
  private let queue = DispatchQueue(label: "cuelight.file", qos: .userInitiated)
  /// Counts the pieces that may still be added before one has to be written.
  private let room: DispatchSemaphore
  private let shared = Mutex(Shared())

  /// The most pieces that wait: one is written while the next is filled, and one evens out the two speeds.
  static let mostPieces = 3

  /// Begins to write to a descriptor, which stays open until `finish` has returned.
  init(to descriptor: Int32) {
    self.descriptor = descriptor
    // Counted up from zero: a semaphore must not end below what it began with.
    room = DispatchSemaphore(value: 0)
    for _ in 0..<Self.mostPieces { room.signal() }
  }

  /// An empty buffer with room for `capacity` bytes; buffers that were written are used again.
  func buffer(capacity: Int) -> [UInt8] {
    var buffer = shared.withLock { $0.spare.popLast() } ?? []
    buffer.reserveCapacity(capacity)
    return buffer
  }

  /// Writes a piece after those before it; waits only while too many of them wait.
  ///
  /// - Returns: 0, or the error number of an earlier piece.
  func write(_ piece: consuming [UInt8]) -> Int32 {
    room.wait()
    queue.async { [piece] in
      if self.failure == 0, let failure = writeAll(self.descriptor, piece.span) {
        self.shared.withLock { $0.failure = failure.code }
      }
      self.recycle(piece)
      self.room.signal()
    }
    return failure
  }

  /// Waits until all pieces are written.
  ///
  /// - Returns: 0, or the error number of the first piece that failed.
  func finish() -> Int32 {
    queue.sync {}
    return failure
  }

  private var failure: Int32 { shared.withLock { $0.failure } }

  private func recycle(_ piece: [UInt8]) {
    var piece = piece
    piece.removeAll(keepingCapacity: true)
    shared.withLock { [piece] in $0.spare.append(piece) }
  }
}

internal import Dispatch
internal import Synchronization

/// Hands pieces of a file to the system on a thread of its own, in order, so that reading and muxing go on meanwhile.
///
/// Of the time that copying a gigabyte takes, the system spends more than a third on taking in what is written.
final class BackgroundWriter: Sendable {
  private struct Shared {
    /// Buffers that nobody uses, with the memory they had.
    var spare: [[UInt8]] = []
    /// The number of the error that the system refused a piece with, or 0; nothing is written after it.
    var failure: Int32 = 0
  }

  private let descriptor: Int32
  private let queue = DispatchQueue(label: "cuelight.file", qos: .userInitiated)
  /// Counts the pieces that may still come before one has to be written.
  private let room: DispatchSemaphore
  private let shared = Mutex(Shared())

  /// So many pieces wait at most: one is written while the next is filled, and one evens out what both take.
  static let mostPieces = 3

  /// Begins to write to a descriptor, which stays open until `finish` has returned.
  init(to descriptor: Int32) {
    self.descriptor = descriptor
    // Counted up from zero: a semaphore must not end below what it began with.
    room = DispatchSemaphore(value: 0)
    for _ in 0..<Self.mostPieces { room.signal() }
  }

  /// An empty buffer with room for `capacity` bytes, which may be one that was written.
  func buffer(capacity: Int) -> [UInt8] {
    var buffer = shared.withLock { $0.spare.popLast() } ?? []
    buffer.reserveCapacity(capacity)
    return buffer
  }

  /// Writes a piece when its turn has come; waits only while too many are before it.
  ///
  /// - Returns: 0, or the number of the error that an earlier piece was refused with.
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

  /// Waits until all pieces are written; 0, or the number of the error that one was refused with.
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

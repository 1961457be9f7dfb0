import Dispatch
import Synchronization

/// Reads a piece of a regular file on a thread of its own, while another piece is read and parsed.
///
/// Most of the time that reading takes is spent in the system, which copies from its page cache; two cores do that in half the time.
final class ReadAhead: Sendable {
  private struct Shared {
    /// The buffer to read into; without memory while the thread reads into it.
    var buffer: AlignedBuffer
    /// The result of reading the last piece.
    var result = Result<Int, SystemFailure>.success(0)
  }

  private let descriptor: Int32
  private let queue = DispatchQueue(label: "cuelight.reading", qos: .userInitiated)
  private let shared: Mutex<Shared>

  /// Reads nothing yet. The descriptor stays open until `wait` has returned.
  ///
  /// - Parameter size: How many bytes are read at once, at most.
  init(of descriptor: Int32, size: Int) {
    self.descriptor = descriptor
    shared = Mutex(Shared(buffer: AlignedBuffer(size: size)))
  }

  /// Begins to read a piece; the one before is dropped, unless it was received.
  func begin(at offset: Int, count: Int) {
    queue.async { [self] in
      var buffer = AlignedBuffer(size: 0)
      shared.withLock { swap(&buffer, &$0.buffer) }
      let result = buffer.read(descriptor, at: offset, count: count)
      shared.withLock { shared in
        swap(&buffer, &shared.buffer)
        shared.result = result
      }
    }
  }

  /// Waits for the piece that was begun last, and exchanges buffers with it; returns how many bytes were read.
  func take(_ buffer: inout AlignedBuffer) -> Result<Int, SystemFailure> {
    wait()
    return shared.withLock { shared in
      swap(&buffer, &shared.buffer)
      return shared.result
    }
  }

  /// Waits until nothing is being read.
  func wait() { queue.sync {} }
}

import Files
import LibAV
import LiveInterface
import Synchronization

/// Sends a live transport stream to one output, on a thread of its own, so that a slow output does not slow the others.
///
/// If the other side cannot follow, whole access units are dropped until the next random access point.
final class StreamSink: Sendable {
  private struct State {
    var isDropping = false
    var droppedUnits = 0
    var isStopped = false
    /// Whether the file is open, or the other side of the network is connected.
    var isConnected = false
  }

  let name: String
  /// Whether it writes a file or standard output, which always accept everything.
  let isFile: Bool
  private let state = Mutex(State())
  private let pieces = JobQueue<[UInt8]> { $0.count }
  private let worker: Mutex<Worker?> = Mutex(nil)

  /// The maximum number of waiting bytes, three seconds at 20 Mbit/s.
  private static let mostWaiting = 8 << 20
  /// A connection that takes longer than this gets nothing from before.
  private static let mostDelay = Duration.seconds(1)

  /// Opens a file, or begins to connect to the other side of a network.
  ///
  /// - Parameters:
  ///   - isStopped: Polled while the sink waits for the network; `true` ends it.
  ///   - say: Receives messages for the operator.
  /// - Throws: `FileSinkError` if the file cannot be made.
  init(
    _ address: LiveOutputAddress, overwrite: Bool, isStopped: @escaping @Sendable () -> Bool, say: @escaping @Sendable (String) -> Void
  ) throws(FileSinkError) {
    name = address.name
    if case .network = address { isFile = false } else { isFile = true }
    let worker: Worker
    switch address {
    case .network(let url): worker = Worker("output") { [self] in serve(url, isStopped, say) }
    case .standardOutput, .recording, .presentation, .origin:
      // A thread's function cannot own what is not copied.
      let file = Mutex<GrowingFile?>(try GrowingFile(path: address.file ?? "-", overwrite: overwrite))
      state.withLock { $0.isConnected = true }
      worker = Worker("output") { [self] in write(file, say) }
    }
    self.worker.withLock { $0 = worker }
  }

  /// Whether the output receives what it is sent.
  var isUp: Bool { state.withLock { $0.isConnected && !$0.isStopped } }

  /// The number of dropped access units.
  var droppedUnits: Int { state.withLock { $0.droppedUnits } }

  /// Queues the next bytes, which start an access unit or continue one.
  func add(_ bytes: [UInt8], startsUnit: Bool, isRandomAccess: Bool) {
    let waiting = pieces.cost
    let isSent = state.withLock { state in
      guard !state.isStopped else { return false }
      if startsUnit {
        if state.isDropping, isRandomAccess, waiting < Self.mostWaiting / 2 { state.isDropping = false }
        if !state.isDropping, waiting > Self.mostWaiting { state.isDropping = true }
        if state.isDropping { state.droppedUnits += 1 }
      }
      return !state.isDropping
    }
    if isSent { pieces.add(bytes) }
  }

  private func write(_ file: borrowing Mutex<GrowingFile?>, _ say: @Sendable (String) -> Void) {
    while let next = pieces.take() {
      let bytes = Self.joined(next)
      guard !bytes.isEmpty else { continue }
      do throws(FileSinkError) {
        try file.withLock { (file) throws(FileSinkError) in try file?.write(bytes.span) }
      } catch {
        say("\(error)")
        return state.withLock { $0.isStopped = true }
      }
    }
  }

  private func serve(_ url: String, _ isStopped: @escaping @Sendable () -> Bool, _ say: @Sendable (String) -> Void) {
    var backOff = BackOff(.seconds(1))
    var begun = ContinuousClock.now
    while !isStopped() {
      do throws(RemuxError) {
        var stream = try NetworkStream(url, .sending, isInterrupted: isStopped)
        if backOff.succeed() { say("\(name): connected again") }
        state.withLock { $0.isConnected = true }
        if ContinuousClock.now - begun > Self.mostDelay {
          // The waiting frames are too old to be sent.
          _ = pieces.take(seconds: 0)
          state.withLock { $0.isDropping = true }
        }
        while let next = pieces.take() {
          let bytes = Self.joined(next)
          if !bytes.isEmpty { try stream.send(bytes) }
        }
        return
      } catch {
        guard error != .interrupted, !isStopped() else { return }
        state.withLock { $0.isConnected = false }
        if backOff.failures == 0 { say("\(name): \(error)") }
        begun = ContinuousClock.now - Self.mostDelay
        backOff.fail("\(error)", at: .now)
        // Meanwhile frames are dropped: they would be too old after the wait.
        while let next = backOff.nextTry, ContinuousClock.now < next {
          guard pieces.take(until: next) != nil else { return }
        }
      }
    }
  }

  /// The bytes of all pieces, one after the other, copied as blocks.
  private static func joined(_ pieces: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
    for piece in pieces { bytes.append(contentsOf: piece) }
    return bytes
  }

  /// Lets the sink end once it has sent everything.
  func close() { pieces.close() }

  /// Waits until the sink has ended; returns whether it has.
  func join(until instant: ContinuousClock.Instant) -> Bool { worker.withLock { $0 }?.join(until: instant) ?? true }
}

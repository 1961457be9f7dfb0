import Basics
import Files
import LibAV
import LiveInterface
import Synchronization

/// Sends a live transport stream to one output, on a thread of its own: a slow output does not slow the others.
///
/// Where the other side cannot follow, whole access units are left out until the next one that decoding can start with.
final class StreamSink: Sendable {
  private struct State {
    var waiting = 0
    var isDropping = false
    var droppedUnits = 0
    var isStopped = false
    /// Whether the file is open, or the other side of the network is connected.
    var isConnected = false
  }

  let name: String
  private let state = Mutex(State())
  private let pieces = JobQueue<[UInt8]>()
  private let worker: Mutex<Worker?> = Mutex(nil)

  /// The most bytes that wait: three seconds at 20 Mbit/s.
  private static let mostWaiting = 8 << 20
  /// Who connects later than this gets nothing from before.
  private static let mostDelay = Duration.seconds(1)

  /// Opens a file, or begins to wait for the other side of a network.
  ///
  /// - Parameters:
  ///   - isStopped: Asked while the sink waits for the network; `true` ends it.
  ///   - say: Receives messages for the operator.
  /// - Throws: `FileSinkError` where the file cannot be made.
  init(
    _ address: LiveOutputAddress, overwrite: Bool, isStopped: @escaping @Sendable () -> Bool, say: @escaping @Sendable (String) -> Void
  ) throws(FileSinkError) {
    name = address.name
    var file: GrowingFile?
    var network: String?
    switch address {
    case .standardOutput: file = try GrowingFile(path: "-", overwrite: overwrite)
    case .recording(let path): file = try GrowingFile(path: path, overwrite: overwrite)
    case .network(let url): network = url
    case .presentation: break
    }
    state.withLock { $0.isConnected = network == nil }
    let box = Mutex(file.take())
    let url = network
    let worker = Worker("output") { [self] in
      if let url { serve(url, isStopped, say) } else { write(box, say) }
    }
    self.worker.withLock { $0 = worker }
  }

  /// Whether it takes what it is sent.
  var isUp: Bool { state.withLock { $0.isConnected && !$0.isStopped } }

  /// The number of access units that were left out.
  var droppedUnits: Int { state.withLock { $0.droppedUnits } }

  /// Takes the next bytes, from the start of an access unit on or inside of one.
  func add(_ bytes: [UInt8], startsUnit: Bool, isRandomAccess: Bool) {
    let isTaken = state.withLock { state in
      guard !state.isStopped else { return false }
      if startsUnit {
        if state.isDropping, isRandomAccess, state.waiting < Self.mostWaiting / 2 { state.isDropping = false }
        if !state.isDropping, state.waiting > Self.mostWaiting { state.isDropping = true }
        if state.isDropping { state.droppedUnits += 1 }
      }
      guard !state.isDropping else { return false }
      state.waiting += bytes.count
      return true
    }
    if isTaken { pieces.add(bytes) }
  }

  private func taken(_ pieces: [[UInt8]]) -> [UInt8] {
    let bytes = Array(pieces.joined())
    state.withLock { $0.waiting -= bytes.count }
    return bytes
  }

  private func stop() {
    state.withLock { $0.isStopped = true }
  }

  private func write(_ file: borrowing Mutex<GrowingFile?>, _ say: @Sendable (String) -> Void) {
    while let next = pieces.take() {
      let bytes = taken(next)
      guard !bytes.isEmpty else { continue }
      do throws(FileSinkError) {
        try file.withLock { (file) throws(FileSinkError) in try file?.write(bytes.span) }
      } catch {
        say("\(error)")
        return stop()
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
          // What has waited for the other side is too old to be sent.
          _ = pieces.take(seconds: 0).map { taken($0) }
          state.withLock { $0.isDropping = true }
        }
        while let next = pieces.take() {
          let bytes = taken(next)
          if !bytes.isEmpty { try stream.send(bytes) }
        }
        return
      } catch {
        guard error != .interrupted, !isStopped() else { return }
        state.withLock { $0.isConnected = false }
        if backOff.failures == 0 { say("\(name): \(error)") }
        begun = ContinuousClock.now - Self.mostDelay
        backOff.fail("\(error)", at: .now)
        // Meanwhile the frames are dropped: they would be too old after the wait.
        while let next = backOff.nextTry, ContinuousClock.now < next {
          guard let waiting = pieces.take(until: next) else { return }
          _ = taken(waiting)
        }
      }
    }
  }

  /// Lets the sink end once it has sent what waits.
  func close() { pieces.close() }

  /// Waits until the sink has ended; returns whether it has.
  func join(until instant: ContinuousClock.Instant) -> Bool {
    worker.withLock { $0 }?.join(seconds: max(instant - .now, .zero).inSeconds) ?? true
  }
}

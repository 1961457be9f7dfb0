import Basics
import EventSchedule
import GameEvents
import LibAV
import LiveFragments
import LiveHLS
import PacketStamping
import Stamping
import Synchronization

/// Makes fragmented MP4 of a live stream, on a thread of its own: one stretch after the other.
final class Fragmenter: Sendable {
  /// A stretch that is being made, and its bytes.
  private struct Stretch: Sendable {
    var input: StretchInput
    var bytes: ByteQueue

    /// Lets a part start with an access unit.
    func startPart(_ unit: LiveAccessUnit) {
      input.startPart(decodedAt: unit.time - (unit.presentationTime - unit.decodingTime), presentedAt: unit.time)
    }
  }

  private struct State {
    var stretch: Stretch?
    /// Whether what comes up to the next boundary is left out: the thread cannot follow, or the stretch has failed.
    var isLeavingOut = false
    /// What is known of segments that the thread has still to make.
    var waiting: [(segment: LiveSegment, wallClock: Int64)] = []
    var stretchCount = 0
    /// How many stretches the thread has finished.
    var finishedCount = 0
    /// Why the latest stretch could not be made, in words.
    var failure: String?
    /// What is known of parts; `nil` without low-latency HLS.
    var parts: PartLedger?

    mutating func endStretch() {
      parts?.endSegment()
      stretch?.bytes.close()
      stretch = nil
    }

    /// Ends the stretch before its time; another one begins with the next segment.
    mutating func leaveOut() {
      endStretch()
      isLeavingOut = true
    }
  }

  private let state: Mutex<State>
  private let stretches = JobQueue<Stretch>()
  private let worker: Mutex<Worker?> = Mutex(nil)

  /// A thread that is this many bytes behind does not follow any more: 25 s at 20 Mbit/s.
  private static let mostWaiting = 64 << 20
  private static let mostSegments = 256

  /// - Parameters:
  ///   - messages: What the events are written with.
  ///   - partDuration: How long the parts of segments should be; `nil` for none.
  ///   - isInterrupted: Whether the work is to end at once.
  ///   - say: Receives messages for the operator.
  ///   - publishPart: Receives parts of the segment that comes next, with the date of its start.
  ///   - publish: Receives complete segments, with the dates of their starts.
  ///   - finished: Called when a stretch has come out.
  init(
    _ messages: EventMessages, partDuration: MediaTime? = nil, isInterrupted: @escaping @Sendable () -> Bool,
    say: @escaping @Sendable (String) -> Void, publishPart: @escaping @Sendable (LivePart, Int64) -> Void = { _, _ in },
    publish: @escaping @Sendable (LiveSegment, Int64) -> Void, finished: @escaping @Sendable () -> Void
  ) {
    var initial = State()
    initial.parts = partDuration.map { PartLedger(duration: $0) }
    state = Mutex(initial)
    let worker = Worker("fragments") { [self] in
      var messages = messages
      while let next = stretches.take() {
        for stretch in next {
          make(stretch, &messages, isInterrupted, say, publishPart, publish)
          finished()
        }
      }
    }
    self.worker.withLock { $0 = worker }
  }

  // MARK: What comes in

  /// Takes what is known of a segment, before the bytes that end it.
  func add(_ segment: LiveSegment, wallClock: Int64) {
    state.withLock { state in
      state.waiting.append((segment, wallClock))
      // Those that came to nothing need not be kept.
      if state.waiting.count > Self.mostSegments { state.waiting.removeFirst() }
    }
  }

  /// Takes the next bytes.
  ///
  /// - Parameter wallClock: The date of a time on the programme's timeline, in milliseconds since 1970.
  func add(_ piece: LivePipeline.Piece, wallClock: (MediaTime) -> Int64) {
    let date = piece.unit.flatMap { $0.boundary == nil ? nil : wallClock($0.time) }
    let begun: Stretch? = state.withLock { state in
      var begun: Stretch?
      if let unit = piece.unit, unit.boundary != nil {
        if unit.boundary == .discontinuity || state.isLeavingOut { state.endStretch() }
        state.isLeavingOut = false
        state.parts?.beginSegment(unit, wallClock: date ?? 0)
        if let stretch = state.stretch {
          stretch.input.startSegment(at: unit.time)
          stretch.startPart(unit)
        } else {
          begun = Self.stretch(from: unit, hasParts: state.parts != nil)
          state.stretch = begun
          state.stretchCount += 1
        }
      } else if let unit = piece.unit, state.parts?.push(unit) == true {
        state.stretch?.startPart(unit)
      }
      guard let stretch = state.stretch else { return begun }
      for event in piece.events { stretch.input.add(event) }
      stretch.bytes.add(piece.portion)
      if stretch.bytes.count > Self.mostWaiting { state.leaveOut() }
      return begun
    }
    if let begun { stretches.add(begun) }
  }

  private static func stretch(from unit: LiveAccessUnit, hasParts: Bool) -> Stretch {
    let bytes = ByteQueue()
    let timestamp = TimestampUnwrapper.timestamp(of: unit.presentationTime)
    return Stretch(input: StretchInput(timestamp: timestamp, time: unit.time, hasParts: hasParts) { bytes.next() }, bytes: bytes)
  }

  /// Ends the stretch that is being made: the input has ended, or nothing comes from it.
  func endStretch() { state.withLock { $0.endStretch() } }

  /// Whether everything that came in has come out.
  var isIdle: Bool { state.withLock { $0.stretch == nil && $0.finishedCount == $0.stretchCount } }

  /// Makes what is left, and ends.
  ///
  /// - Parameter seconds: How long that may take.
  func close(seconds: Double) {
    endStretch()
    stretches.close()
    worker.withLock { $0 }?.join(seconds: seconds)
  }

  // MARK: What comes out

  private func make(
    _ stretch: Stretch, _ messages: inout EventMessages, _ isInterrupted: @escaping @Sendable () -> Bool, _ say: (String) -> Void,
    _ publishPart: (LivePart, Int64) -> Void, _ publish: (LiveSegment, Int64) -> Void
  ) {
    // The first segment of all does not follow another one.
    var isDiscontinuous = state.withLock { $0.finishedCount > 0 }
    do throws(RemuxError) {
      var fragmenter = try StretchFragmenter(stretch.input, isInterrupted: isInterrupted)
      for stream in fragmenter.leftOut { say("\(stream.codecName) (stream \(stream.index)) is not in the segments") }
      // That of a segment of which nothing is known goes to the next one.
      var program: LiveProgram?
      while let next = try fragmenter.next(&messages) {
        let made: StretchFragmenter.Segment
        switch next {
        case .part(let part):
          if let (part, wallClock) = known(part) { publishPart(part, wallClock) }
          continue
        case .segment(let segment): made = segment
        }
        program = made.program ?? program
        guard let (known, wallClock) = take(made.start) else { continue }
        var segment = known
        (segment.bytes, segment.audio, segment.program) = (made.main, made.audio, program.take())
        if isDiscontinuous { segment.boundary = .discontinuity }
        segment.parts = made.parts.compactMap { self.known($0)?.part }
        isDiscontinuous = false
        publish(segment, wallClock)
        state.withLock { $0.failure = nil }
      }
    } catch {
      let failure = "no segments can be made for the moment: \(error)"
      let isNew =
        error != .interrupted
        && state.withLock { state in
          defer { state.failure = failure }
          return state.failure != failure
        }
      if isNew { say(failure) }
    }
    state.withLock { state in
      state.finishedCount += 1
      if state.stretch?.input === stretch.input { state.leaveOut() }
    }
  }

  /// A part with what is known of it, and the date of its segment's start; `nil` where nothing is known.
  private func known(_ part: StretchFragmenter.Part) -> (part: LivePart, wallClock: Int64)? {
    let known = state.withLock { $0.parts?.take(segmentStart: part.segmentStart, number: part.number) }
    return known.map { (LivePart(part, $0), $0.wallClock) }
  }

  /// What is known of the segment that starts at a time. Those before it have come to nothing.
  private func take(_ start: MediaTime) -> (LiveSegment, Int64)? {
    state.withLock { state in
      guard let index = state.waiting.firstIndex(where: { $0.segment.start == start }) else { return nil }
      defer { state.waiting.removeFirst(index + 1) }
      return state.waiting[index]
    }
  }
}

extension LivePart {
  /// Those of a stretch's first segment, which may be discontinuous, come with it.
  fileprivate init(_ part: StretchFragmenter.Part, _ known: PartLedger.Entry) {
    self.init(
      bytes: part.main, number: known.number, segmentStart: known.segmentStart, boundary: .randomAccess, duration: known.duration,
      isIndependent: known.isIndependent, target: known.target)
    audio = part.audio
  }
}

/// Bytes that one thread reads and another one writes.
final class ByteQueue: Sendable {
  private let portions = JobQueue<[UInt8]>()
  private let waiting = Atomic<Int>(0)

  /// The number of bytes that were not read yet.
  var count: Int { waiting.load(ordering: .relaxed) }

  func add(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    waiting.add(bytes.count, ordering: .relaxed)
    portions.add(bytes)
  }

  /// Lets the reader end once it has read what was added.
  func close() { portions.close() }

  /// All bytes that wait; `nil` at the end. While there are none, it waits.
  func next() -> [UInt8]? {
    while let next = portions.take() {
      let bytes = Array(next.joined())
      waiting.subtract(bytes.count, ordering: .relaxed)
      if !bytes.isEmpty { return bytes }
    }
    return nil
  }
}

import Basics
import Files
import LibAV
import LiveGame
import LiveInterface
import TransportStream

/// Receives the packets of an input.
protocol InputReceiver: AnyObject, Sendable {
  var settings: LiveSettings { get }
  var input: LiveInput { get }
  /// Asks the input to end.
  var inputStop: StopFlag { get }

  /// The DTS of the access unit that starts in a packet, 33 bits; `nil` if none does, or the input needs no pace. All packets before it have been pushed.
  func decodingTime(_ packet: Span<UInt8>) -> UInt64?
  /// Records that the next packet starts an access unit.
  func startUnit()
  /// Receives packets of 188 bytes, one after the other: at most those up to the next one that starts a PES packet or a section.
  func push(_ packets: Span<UInt8>)
  /// Records the end of the bytes that were received at once.
  func endPortion(byteCount: Int)
  /// Records that the input is up or down.
  func setInput(isUp: Bool)
  /// Records a discontinuity before the next packet.
  func interruptInput()
  /// The inbox for published streams; `nil` for another input.
  var inbox: PublisherInbox? { get }
  /// Receives an event that was in the input, for the session.
  func receive(_ event: ForeignEvent)
  /// Receives the counts of the packets so far.
  func note(_ counts: InputCounts)
  /// Tells the operator.
  func report(_ message: String)
}

// For an input that is not the first one of a session.
extension InputReceiver {
  func decodingTime(_ packet: Span<UInt8>) -> UInt64? { nil }
  func startUnit() {}
  func receive(_ event: ForeignEvent) {}
}

/// Reads an input packet by packet, at its own pace if it is faster.
struct InputReader<Receiver: InputReceiver>: ~Copyable {
  private let session: Receiver
  private var framer = PacketFramer()
  /// Absent only during its use.
  private var monitor: InputMonitor? = InputMonitor()
  private var pacer: Pacer?
  private var run = PacketRun()
  /// The loaded segments of a live presentation; `nil` for another input.
  private var backlog: SegmentBuffer?

  /// A network is opened again after half a second.
  private static var backOff: BackOff { BackOff(.milliseconds(500)) }

  init(_ session: Receiver) { self.session = session }

  /// Reads until the input ends, or the session does.
  ///
  /// - Throws: `LiveSessionError` if a file cannot be read. A network is tried again.
  mutating func read() throws(LiveSessionError) {
    switch session.input {
    case .standardInput: try readBytes("-")
    case .file(let path):
      pacer = Pacer(pace: session.settings.pace)
      repeat { try readFile(path) } while session.settings.loops && !session.inputStop.isSet
    case .network(let address):
      if let datagrams = DatagramAddress(address) { receive(datagrams) } else { receive(address) }
    case .publisher: if let inbox = session.inbox { receive(from: inbox) }
    case .playlist(let name): try readPresentation(name)
    }
  }

  // MARK: Files

  private mutating func readFile(_ path: String) throws(LiveSessionError) {
    if FileInput.isReadOnce(path) { return try readBytes(path) }
    if try isTransportStream(path) { return try readBytes(path) }
    let stop = session.inputStop
    do throws(RemuxError) {
      var remuxer = try TransportStreamRemuxer(MediaInput(path: path, isInterrupted: { stop.isSet }))
      beginSource()
      session.setInput(isUp: true)
      while !stop.isSet, let bytes = try remuxer.next() { push(bytes.span) }
      finish()
    } catch {
      guard error != .interrupted else { return }
      throw .media(error)
    }
  }

  private func isTransportStream(_ path: String) throws(LiveSessionError) -> Bool {
    do throws(FileInputError) {
      var file = try FileInput(path: path)
      var framer = PacketFramer()
      while framer.isTransportStream == nil, try file.fill() {
        framer.push(file.bytes) { _, _ in
        } skip: { _ in
        }
      }
      return framer.isTransportStreamAtEnd
    } catch {
      throw .input(error)
    }
  }

  private mutating func readBytes(_ path: String) throws(LiveSessionError) {
    let stop = session.inputStop
    do throws(FileInputError) {
      var file = try FileInput(path: path, isInterrupted: { stop.isSet })
      beginSource()
      while try file.fill() {
        push(file.bytes)
        if framer.isTransportStream == false { break }
      }
      finish()
    } catch {
      guard error != .interrupted else { return }
      throw .input(error)
    }
    guard framer.framing != nil else { throw .notATransportStream(session.input.name) }
  }

  // MARK: Networks

  /// Receives one stream after the other.
  private mutating func receive(_ address: String) {
    let stop = session.inputStop
    var backOff = Self.backOff
    while !stop.isSet {
      do throws(RemuxError) {
        var stream = try NetworkStream(address, .receiving, isInterrupted: { stop.isSet })
        beginSource()
        while true {
          let bytes = try stream.receive()
          guard !bytes.isEmpty else { break }
          backOff.succeed()
          push(bytes.span)
        }
        backOff.fail(nil, at: .now)
      } catch {
        guard error != .interrupted else { return }
        if backOff.fail("\(error)", at: .now) { session.report("\(error)") }
      }
      session.setInput(isUp: false)
      stop.wait(until: backOff.nextTry ?? .now)
    }
  }

  /// Receives datagrams of one sender after the other.
  private mutating func receive(_ address: DatagramAddress) {
    let (session, stop) = (session, session.inputStop)
    var backOff = Self.backOff
    while !stop.isSet {
      do throws(DatagramError) {
        let inbox = try DatagramInbox(address)
        stop.whenSet { [weak inbox] in inbox?.close() }
        while !stop.isSet, let items = inbox.take() {
          for item in items {
            switch item {
            case .packets(let bytes): push(bytes.span)
            case .begin:
              finish()
              beginSource()
              session.interruptInput()
            case .ignored(let count):
              monitor?.ignore(datagrams: count)
              noteCounts()
            case .order(let counts):
              monitor?.add(counts)
              noteCounts()
            case .notice(let text): session.report("\(session.input.name): \(text)")
            case .failure(let reason): throw DatagramError(description: reason)
            }
          }
        }
        inbox.close()
      } catch {
        if backOff.fail(error.description, at: .now) { session.report("\(session.input.name): \(error)") }
        session.setInput(isUp: false)
        stop.wait(until: backOff.nextTry ?? .now)
      }
    }
  }

  /// Receives one publisher after the other from a listener.
  private mutating func receive(from inbox: PublisherInbox) {
    session.inputStop.whenSet { inbox.wake() }
    while !session.inputStop.isSet {
      for item in inbox.take() {
        switch item {
        case .begin: beginSource()
        case .packets(let bytes): push(bytes.span)
        case .event(let event): session.receive(event)
        case .notice(let text): session.report("\(session.input.name): \(text)")
        case .end:
          finish()
          session.setInput(isUp: false)
        }
      }
    }
    inbox.close()
  }

  // MARK: Presentations

  /// Reads a presentation at its own pace, while another thread loads it. A live one is at most a segment behind the loaded ones.
  private mutating func readPresentation(_ name: String) throws(LiveSessionError) {
    let stop = session.inputStop
    let buffer = SegmentBuffer(until: stop)
    let loader = PlaylistLoader(session: session, name: name, buffer: buffer)
    let worker = Worker("loader") { loader.run() }
    defer { worker.join(seconds: 1) }
    let source = PieceSource(buffer)
    while let piece = try source.next() {
      switch piece {
      case .playlist(let isLive):
        pacer = isLive ? Pacer(pace: 1, patience: .milliseconds(100)) : Pacer(pace: session.settings.pace)
        if isLive { backlog = buffer }
      case .initialization(let bytes): source.initialization = bytes
      case .bytes(let bytes):
        session.setInput(isUp: true)
        if source.initialization == nil {
          push(bytes.span)
        } else {
          source.putBack(piece)
          try readFragments(source, of: name)
        }
      case .segmentEnd: break
      case .discontinuity:
        finish()
        beginSource()
        session.interruptInput()
      }
    }
    finish()
  }

  /// Copies fragmented MP4 into a transport stream, until its next discontinuity. A segment that cannot be copied is left out.
  private mutating func readFragments(_ source: PieceSource, of name: String) throws(LiveSessionError) {
    let stop = session.inputStop
    beginSource()
    do throws(RemuxError) {
      var remuxer = try TransportStreamRemuxer(
        MediaInput(name: name.withoutSecrets, isInterrupted: { stop.isSet }, reading: source.fragments))
      while !stop.isSet, let bytes = try remuxer.next() { push(bytes.span) }
      finish()
    } catch {
      switch error {
      case .interrupted: return
      case .notOpened(let cause) where cause.missingLibrary != nil: throw .media(error)
      case .codecsNotCarried, .noVideoOrAudio: throw .media(error)
      default: break
      }
      session.report("\(name.withoutSecrets): \(error)")
      finish()
      session.interruptInput()
      try source.skipSegment()
    }
  }

  // MARK: Packets

  /// Begins another source, with new packets and counters.
  private mutating func beginSource() {
    framer = PacketFramer()
    monitor?.beginSource()
  }

  private mutating func push(_ bytes: Span<UInt8>) {
    let (session, stop) = (session, session.inputStop)
    var (pacer, monitor, run) = (pacer, monitor.take() ?? InputMonitor(), run)
    self.run = PacketRun()
    let backlog = backlog
    framer.push(bytes) { packet, _ in
      guard !stop.isSet else { return }
      if TransportPacket.startsUnit(packet) { run.pass(to: session) }
      if run.isEmpty, let time = session.decodingTime(packet) {
        if let backlog, backlog.segmentCount > 1 { pacer?.hurry() }
        if let due = pacer?.due(time, now: .now) {
          // The stamped packets are sent now, and do not wait for the next access unit.
          session.endPortion(byteCount: 0)
          stop.wait(until: due)
        }
        session.startUnit()
      }
      monitor.push(packet)
      run.append(packet)
    } skip: {
      monitor.skip(byteCount: $0.count)
    }
    run.pass(to: session)
    (self.pacer, self.monitor, self.run) = (pacer, monitor, run)
    endPortion(byteCount: bytes.count)
  }

  private mutating func finish() {
    let session = session
    var monitor = monitor.take() ?? InputMonitor()
    framer.finish { packet, _ in
      monitor.push(packet)
      session.push(packet)
    } skip: {
      monitor.skip(byteCount: $0.count)
    }
    self.monitor = monitor
    endPortion(byteCount: 0)
  }

  private mutating func endPortion(byteCount: Int) {
    for notice in monitor?.endPortion(byteCount: byteCount, at: .now) ?? [] { session.report("\(session.input.name): \(notice)") }
    noteCounts()
    session.endPortion(byteCount: byteCount)
  }

  private func noteCounts() { if let counts = monitor?.counts { session.note(counts) } }
}

/// Packets that are pushed together, since each call takes a lock: from one that starts a PES packet or a section up to the next one.
struct PacketRun: Sendable {
  private var bytes: [UInt8] = []

  /// Whether there are none.
  var isEmpty: Bool { bytes.isEmpty }

  mutating func append(_ packet: Span<UInt8>) { bytes.append(copying: packet) }

  /// Pushes the packets. The memory is used again.
  mutating func pass(to receiver: some InputReceiver) {
    guard !bytes.isEmpty else { return }
    receiver.push(bytes.span)
    bytes.removeAll(keepingCapacity: true)
  }
}

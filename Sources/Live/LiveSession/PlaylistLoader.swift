import Basics
import HLSPlaylist
import HLSReading
import LibAV
import LiveInterface
import StreamInput
import TransportStream

/// Loads the presentation that a session reads, on a thread of its own: what is waited for here keeps nobody else waiting.
struct PlaylistLoader<Receiver: InputReceiver>: Sendable {
  let session: Receiver
  let name: String
  let buffer: SegmentBuffer

  /// Loads until the playlist ends, or the session does. A server is waited for.
  func run() {
    let stop = session.inputStop
    var backOff = BackOff(.seconds(1))
    while !stop.isSet {
      do throws(StreamInputError) {
        try load()
        guard session.settings.loops else { break }
        buffer.add(.discontinuity)
      } catch {
        guard error != .interrupted else { break }
        guard error.isWorthWaiting else { return buffer.close(.presentation(error)) }
        if backOff.fail("\(error)", at: .now) { session.report("\(error)") }
        stop.wait(until: backOff.nextTry ?? .now)
      }
    }
    buffer.close()
  }

  private func load() throws(StreamInputError) {
    let stop = session.inputStop
    var input = StreamInput(name)
    input.isInterrupted = { stop.isSet }
    input.options.isPatient = true
    input.options.start = .lastSegments(1)
    input.options.rendition = session.settings.rendition.map { .named($0) } ?? .highestBandwidth
    var sorter = SegmentSorter()
    var isKnown = false
    try input.load { portions, choices, choice in
      for portion in portions where !stop.isSet {
        if case .segments(let playlist, _, _) = portion, !isKnown {
          isKnown = true
          if let choice { tell(choice, choices) }
          buffer.add(.playlist(isLive: !playlist.isFinal))
        }
        if case .notice(let notice) = portion { session.report("\(name.withoutSecrets): \(notice)") }
        let (pieces, problem) = sorter.receive(portion)
        for piece in pieces { buffer.add(piece) }
        if let problem { session.report("\(name.withoutSecrets): \(problem)") }
      }
      return !stop.isSet
    }
  }

  private func tell(_ choice: HLSChoice, _ choices: [HLSChoice]) {
    let others = choices.filter { $0 != choice }
    guard !others.isEmpty else { return }
    let why = session.settings.rendition == nil ? ", which has the highest bandwidth" : ""
    session.report("\(name.withoutSecrets): \(choice) is read\(why), and not \(others.map { "\($0)" }.joined(separator: ", "))")
  }
}

/// Sorts what a presentation consists of into pieces that can be stamped.
struct SegmentSorter: Sendable {
  /// What the segments are made of, as far as it is known.
  private enum Format: Sendable {
    case transportStream
    case fragments
  }

  private var format: Format?
  private var source: HLSSource?
  /// What comes before segments, while it is loaded.
  private var initialization: [UInt8]?
  /// Whether a segment has begun of which nothing has come.
  private var isStarting = false
  /// Whether the segment is left out, and whether that was said.
  private var isUnreadable = false
  private var hasToldUnreadable = false

  /// Receives the next portion; returns the pieces of it, and what an operator should know.
  mutating func receive(_ portion: HLSPortion) -> (pieces: [SegmentBuffer.Piece], problem: String?) {
    switch portion {
    case .playlist, .segments, .next, .notice, .finished: break
    case .begin(let part):
      initialization = part.kind == .initializationSegment ? [] : nil
      (source, isStarting, isUnreadable) = (part.source, true, false)
    case .bytes(let bytes):
      guard initialization == nil else {
        initialization? += bytes
        break
      }
      return sort(bytes)
    case .end:
      if let initialization = initialization.take() { return (begin(initialization), nil) }
      return isUnreadable ? ([.discontinuity], nil) : ([.segmentEnd], nil)
    case .discontinuity:
      format = nil
      return ([.discontinuity], nil)
    case .lost: return ([.discontinuity], nil)
    }
    return ([], nil)
  }

  private mutating func begin(_ initialization: [UInt8]) -> [SegmentBuffer.Piece] {
    guard initialization.first == TransportPacket.syncByte else {
      format = .fragments
      return [.initialization(initialization)]
    }
    format = .transportStream
    return [.initialization(nil), .bytes(initialization[...])]
  }

  private mutating func sort(_ bytes: ArraySlice<UInt8>) -> (pieces: [SegmentBuffer.Piece], problem: String?) {
    guard !isUnreadable else { return ([], nil) }
    guard isStarting else { return ([.bytes(bytes)], nil) }
    isStarting = false
    let isTransportStream = bytes.first == TransportPacket.syncByte
    if isTransportStream, format == .transportStream { return ([.bytes(bytes)], nil) }
    if isTransportStream {
      format = .transportStream
      return ([.initialization(nil), .bytes(bytes)], nil)
    }
    // A box begins with its size, which is small here, and its type.
    if format == .fragments, bytes.count >= 8, bytes.dropFirst(4).prefix(4).allSatisfy({ (0x61...0x7A).contains($0) }) {
      return ([.bytes(bytes)], nil)
    }
    isUnreadable = true
    defer { hasToldUnreadable = true }
    let name = source.map { "\($0)" } ?? ""
    return ([], hasToldUnreadable ? nil : "\(name): neither MPEG transport stream nor fragmented MP4: such segments are left out")
  }
}

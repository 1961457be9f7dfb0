import Basics
import EventSchedule
import GameEvents
import HLSReading
import ID3
import StreamDoctor
import TestSupport
import Testing
import TransportStream

/// Something that breaks one rule and no other.
struct Fixture: Sendable, CustomTestStringConvertible {
  let rule: String
  let report: @Sendable () throws -> DoctorReport

  var testDescription: String { rule }

  /// A stream.
  init(_ rule: String, requiring signatures: SignatureCheck? = nil, _ bytes: @escaping @Sendable () throws -> [UInt8]) {
    self.rule = rule
    report = { examine(try bytes(), requiring: signatures) }
  }

  /// A presentation.
  init(_ rule: String, requiring signatures: SignatureCheck? = nil, presentation: @escaping @Sendable () throws -> SamplePresentation) {
    self.rule = rule
    report = { try presentation().report(requiring: signatures) }
  }

  /// A stream that a web server delivers in this way.
  init(_ rule: String, delivered delivery: Delivery) {
    self.rule = rule
    report = {
      var doctor = StreamDoctor(name: delivery.url)
      let bytes = TagStream().with(tag: try SampleTag.event(at: 21_600)).bytes
      doctor.receive(.bytes(bytes[...]))
      doctor.receive(delivery)
      return doctor.finish()
    }
  }

  /// Anything.
  init(_ rule: String, reporting report: @escaping @Sendable () throws -> DoctorReport) { (self.rule, self.report) = (rule, report) }

  static let all: [Fixture] = [transportStream, packets, tags, eventMessages, presentations, manifests, deliveries, events, breaks].flatMap
  { $0 }
}

/// What a doctor says of a stream, handed on in chunks of a size or as a whole.
func examine(_ bytes: [UInt8], chunk: Int? = nil, requiring signatures: SignatureCheck? = nil) -> DoctorReport {
  var doctor = StreamDoctor(name: "show", requiring: signatures)
  for start in stride(from: 0, to: bytes.count, by: chunk ?? max(bytes.count, 1)) {
    doctor.receive(.bytes(bytes[start..<min(start + (chunk ?? bytes.count), bytes.count)]))
  }
  return doctor.finish()
}

extension DoctorReport {
  /// The rules that are broken.
  var rules: [String] { findings.map(\.rule.id) }

  func player(_ player: Player) -> PlayerPrediction? { players.first { $0.player == player } }
}

/// Tags to put into streams.
enum SampleTag {
  /// A tag without an event.
  static let plain = frames([frame("TIT2", text(3, "Title"))])

  /// A tag of these frames.
  static func frames(_ frames: [[UInt8]], version: UInt8 = 4, flags: UInt8 = 0, size: [UInt8]? = nil) -> [UInt8] {
    let body = frames.flatMap { $0 }
    return Array("ID3".utf8) + [version, 0, flags] + (size ?? synchsafe(body.count)) + body
  }

  /// A frame, with its size as 2.4 writes it unless another is given.
  static func frame(_ id: String, _ content: [UInt8], size: [UInt8]? = nil) -> [UInt8] {
    Array(id.utf8) + (size ?? synchsafe(content.count)) + [0, 0] + content
  }

  static func text(_ encoding: UInt8, _ text: String) -> [UInt8] { [encoding] + Array(text.utf8) }

  static func userText(_ description: String, _ value: String, encoding: UInt8 = 3) -> [UInt8] {
    frame("TXXX", text(encoding, description) + [0] + Array(value.utf8))
  }

  static func synchsafe(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (7 * (3 - $0)) & 0x7F) } }

  static func plainSize(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * (3 - $0))) } }

  /// A copy of an event of a game.
  static func event(
    _ name: String = "info", at ticks: Int64, age: Int64 = 0, viewers: Int = 1, number: Int = 1, signedBy sign: EventSigner = { _ in nil }
  ) throws -> [UInt8] {
    try copy(name, at: ticks, age: age, viewers: viewers, number: number, signedBy: sign).encodedTag()
  }

  /// The same, not encoded.
  static func copy(
    _ name: String = "info", at ticks: Int64, age: Int64 = 0, viewers: Int = 1, number: Int = 1, signedBy sign: EventSigner = { _ in nil }
  ) -> EventCopy {
    let event = GameEvent(
      guid: SampleGame.guid(name), game: "g", sequence: number, at: MediaTime(ticks: ticks),
      content: .periodicInfo(PeriodicInfo(viewers: viewers)))
    return EventCopy(of: event, age: MediaTime(ticks: age), signature: sign(event.signedBytes))
  }
}

/// A transport stream with tags before some video frames, by their indices in decoding order.
struct TagStream: Sendable {
  static let pid: PID = 0x102

  var stream = SampleStream()

  init(_ map: ProgramMapTable = TagStream.map()) { stream.map = map }

  /// Video, audio, and timed ID3 with these descriptors.
  static func map(
    version: UInt8 = 3, pointer: [Descriptor] = [MetadataPointerDescriptor(serviceID: 0, programNumber: 1).descriptor],
    metadata: [Descriptor] = [MetadataDescriptor(serviceID: 0).descriptor], type: StreamType = .metadata,
    more: [ProgramMapTable.ElementaryStream] = []
  ) -> ProgramMapTable {
    ProgramMapTable(
      programNumber: 1, version: version, pcrPID: 0x100, descriptors: pointer,
      streams: SampleStream.videoAndAudio.streams + [.init(type: type, pid: pid, descriptors: metadata)] + more)
  }

  /// With a PES packet before a video frame.
  func with(_ pes: [UInt8], before frame: Int = 6, on pid: PID = TagStream.pid) -> TagStream {
    var other = self
    other.stream.extras[frame, default: []].append(.pes(pid, pes))
    return other
  }

  /// With a tag in a PES packet as it should be.
  func with(tag: [UInt8], before frame: Int = 6, on pid: PID = TagStream.pid, off ticks: Int64 = 0) -> TagStream {
    with(pes(tag, at: Int64(frame) * 3_600 + ticks), before: frame, on: pid)
  }

  /// A packet with a payload, presented at a time of the programme.
  func pes(_ payload: [UInt8], at ticks: Int64 = 21_600, streamID: UInt8 = 0xBD) -> [UInt8] {
    SamplePacketWriter.pes(streamID: streamID, presentation: time(ticks), payload: payload)
  }

  func time(_ ticks: Int64) -> UInt64 { UInt64(Int64(stream.start) + ticks) & 0x1_FFFF_FFFF }

  var bytes: [UInt8] { stream.bytes }
}

package import Basics
import CMAF
import NALUnits
import TransportStream

/// Turns a publisher's messages into a transport stream. Nothing is decoded.
///
/// The stream begins with a key frame. Access units are held back until all announced streams are known, half a second at most; a stream that
/// starts later changes the program map.
package struct PublishedProgram: Sendable {
  /// What an operator should know. Each notice is reported once.
  package enum Notice: Equatable, Sendable {
    /// A codec that is not carried into the transport stream; its stream is left out.
    case notCarried(String)
    /// What was damaged and left out, and where in its message.
    case damaged(String, ParseError)
  }

  private struct Stream {
    var pid: PID
    var type: StreamType?
    /// Whether the publisher announced such a stream; `nil` if it announced nothing.
    var isAnnounced: Bool?
    var hasBegun = false
  }

  private var clock = MillisecondClock()
  private var video = Stream(pid: 0x100)
  private var audio = Stream(pid: 0x101)
  private var format: NALUnitFormat?
  private var header: ADTSHeader?
  private var writer: ProgramWriter?
  private let version: UInt8
  private var held: [ProgramWriter.AccessUnit] = []
  private var heldCount = 0
  private var bytes: [UInt8] = []
  private var notices: [Notice] = []
  private var reportedNames: [String] = []

  /// How long to wait for announced streams, and how many bytes are held back meanwhile.
  private static let patience = MediaTime(ticks: 45_000)
  private static let mostHeld = 8 << 20
  /// The maximum number of codecs that are reported.
  private static let mostReported = 16

  /// A stream that has not begun.
  ///
  /// - Parameter version: The version of its program map, which differs from the previous publisher's.
  package init(version: UInt8 = 0) { self.version = version }

  /// Returns and removes the packets so far.
  package mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Returns and removes the notices so far.
  package mutating func takeNotices() -> [Notice] {
    defer { notices = [] }
    return notices
  }

  /// Receives the publisher's `onMetaData`, which says what the stream consists of.
  package mutating func receive(metadata: AMF0Value) {
    guard metadata.members != nil else { return }
    (video.isAnnounced, audio.isAnnounced) = (metadata["videocodecid"] != nil, metadata["audiocodecid"] != nil)
  }

  /// Receives a message with video or audio. What is damaged is left out.
  package mutating func receive(_ message: RTMPMessage) {
    let isVideo = message.kind == RTMPMessage.Kind.video
    do throws(ParseError) {
      if isVideo { try receiveVideo(message) } else { try receiveAudio(message) }
    } catch {
      report(isVideo ? "video" : "audio") { .damaged($0, error) }
    }
  }

  /// Ends the stream and releases what was held back.
  package mutating func finish() { begin() }

  // MARK: Video and audio

  private mutating func receiveVideo(_ message: RTMPMessage) throws(ParseError) {
    let tag = try MediaTag(video: message.payload.view)
    let body = message.payload.view.extracting(droppingFirst: tag.start)
    switch (tag.codec, tag.content) {
    case (.other(let name), _): report(name) { .notCarried($0) }
    case (.h264, .configuration): setFormat(try NALUnitFormat(.h264, configuration: body), .h264)
    case (.hevc, .configuration): setFormat(try NALUnitFormat(.hevc, configuration: body), .hevc)
    case (_, .accessUnit):
      let time = clock.time(message.timestamp)
      guard let format else { throw ParseError(.invalid("video before its configuration"), at: 0) }
      guard tag.isRandomAccess || video.hasBegun else { return }
      let unit = try format.accessUnit(body, isRandomAccess: tag.isRandomAccess, baseOffset: tag.start)
      video.hasBegun = true
      let presentationTime = time + MediaTime(milliseconds: Int64(tag.compositionOffset))
      try add(
        ProgramWriter.AccessUnit(
          pid: video.pid, bytes: unit, presentationTime: presentationTime, decodingTime: min(time, presentationTime),
          isRandomAccess: tag.isRandomAccess))
    default: break
    }
  }

  private mutating func setFormat(_ format: NALUnitFormat, _ type: StreamType) {
    self.format = format
    video.type = type
    streamsHaveChanged()
  }

  private mutating func receiveAudio(_ message: RTMPMessage) throws(ParseError) {
    let tag = try MediaTag(audio: message.payload.view)
    let body = message.payload.view.extracting(droppingFirst: tag.start)
    switch (tag.codec, tag.content) {
    case (.other(let name), _): report(name) { .notCarried($0) }
    case (_, .configuration):
      // FFmpeg sends an empty one before it knows the stream.
      guard body.count > 0 else { return }
      header = try ADTSHeader(audioSpecificConfig: body)
      audio.type = .aac
      streamsHaveChanged()
    case (_, .accessUnit):
      let time = clock.time(message.timestamp)
      guard let header else { throw ParseError(.invalid("audio before its configuration"), at: 0) }
      guard body.count > 0 else { return }
      audio.hasBegun = true
      var unit = try header.encoded(frameSize: body.count)
      unit.append(copying: body)
      try add(
        ProgramWriter.AccessUnit(pid: audio.pid, bytes: unit, presentationTime: time, decodingTime: time, isRandomAccess: true))
    default: break
    }
  }

  /// - Parameter notice: Makes the notice of a name.
  private mutating func report(_ name: String, _ notice: (String) -> Notice) {
    guard reportedNames.count < Self.mostReported, !reportedNames.contains(where: { $0.hasSameBytes(as: name) }) else { return }
    reportedNames.append(name)
    notices.append(notice(name))
  }

  // MARK: The program

  private var streams: [ProgramMapTable.ElementaryStream] {
    [video, audio].compactMap { stream in stream.type.map { ProgramMapTable.ElementaryStream(type: $0, pid: stream.pid) } }
  }

  private mutating func streamsHaveChanged() {
    let streams = streams
    writer?.change(streams)
  }

  private mutating func add(_ unit: ProgramWriter.AccessUnit) throws(ParseError) {
    if writer != nil { return try write(unit) }
    held.append(unit)
    heldCount += unit.bytes.count
    let first = held.first?.decodingTime ?? unit.decodingTime
    let isOverdue = (unit.decodingTime - first).magnitude >= Self.patience || heldCount >= Self.mostHeld
    guard isOverdue || !(awaits(video) || awaits(audio)) else { return }
    begin()
  }

  /// Whether a stream may still start.
  private func awaits(_ stream: Stream) -> Bool { stream.type == nil ? stream.isAnnounced ?? true : !stream.hasBegun }

  private mutating func begin() {
    guard writer == nil, !held.isEmpty else { return }
    writer = ProgramWriter(streams, version: version)
    // With audio from before the first key frame, viewers would hear sound without a picture.
    let start = held.first { $0.pid == video.pid }?.decodingTime
    let units = held.filter { unit in start.map { unit.decodingTime >= $0 } ?? true }
    (held, heldCount) = ([], 0)
    do throws(ParseError) { for unit in units { try write(unit) } } catch { report("tables") { .damaged($0, error) } }
  }

  private mutating func write(_ unit: ProgramWriter.AccessUnit) throws(ParseError) { try writer?.write(unit, to: &bytes) }
}

extension PublishedProgram.Notice: CustomStringConvertible {
  /// The notice in words.
  package var description: String {
    switch self {
    case .notCarried(let name): "\(name.visible(.text)) cannot be carried, and is left out"
    case .damaged(let name, let error): "\(name) is damaged, and the damaged data are left out: \(error)"
    }
  }
}

/// Unwraps timestamps in milliseconds of 32 bits, which wrap after 49 days.
struct MillisecondClock: Sendable {
  private var last: (stamp: UInt32, milliseconds: Int64)?

  /// The unwrapped time of a timestamp: the one nearest to the previous time.
  mutating func time(_ stamp: UInt32) -> MediaTime {
    let step = last.map { Int64(Int32(truncatingIfNeeded: stamp &- $0.stamp)) } ?? 0
    let milliseconds = last.map { $0.milliseconds &+ step } ?? Int64(stamp)
    last = (stamp, milliseconds)
    return MediaTime(milliseconds: milliseconds)
  }
}

package import Basics
import CMAF
import TransportStream

/// Makes a transport stream of what a publisher sends. Nothing is decoded.
///
/// The stream begins with a key frame. What comes until all streams are known that were announced, half a second of it at most, is held back; a stream that
/// comes later changes the program map.
package struct PublishedProgram: Sendable {
  /// What an operator should know. Each is told once.
  package enum Notice: Equatable, Sendable {
    /// A codec that a transport stream does not have here; what is in it is left out.
    case notCarried(String)
    /// What was damaged and left out, and where in its message.
    case damaged(String, ParseError)
  }

  private struct Stream {
    var pid: PID
    var type: StreamType?
    /// Whether the publisher has said that it has such a stream; `nil` if it has said nothing.
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
  private var toldNames: [String] = []

  /// How long streams are waited for that have not come, and how many bytes meanwhile.
  private static let patience = MediaTime(ticks: 45_000)
  private static let mostHeld = 8 << 20
  /// The most codecs that are told of.
  private static let mostTold = 16

  /// A stream that has not begun.
  ///
  /// - Parameter version: The version of its program map: another one than that of the publisher before.
  package init(version: UInt8 = 0) { self.version = version }

  /// Gives back the packets that have come out, once.
  package mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Gives back what an operator should know, once.
  package mutating func takeNotices() -> [Notice] {
    defer { notices = [] }
    return notices
  }

  /// Receives what the stream consists of, as the publisher says it in `onMetaData`.
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
      tell(isVideo ? "video" : "audio") { .damaged($0, error) }
    }
  }

  /// Ends the stream: what was held back comes out.
  package mutating func finish() { begin() }

  // MARK: Video and audio

  private mutating func receiveVideo(_ message: RTMPMessage) throws(ParseError) {
    let tag = try MediaTag(video: message.payload.view)
    let body = message.payload.view.extracting(droppingFirst: tag.start)
    switch (tag.codec, tag.content) {
    case (.other(let name), _): tell(name) { .notCarried($0) }
    case (.h264, .configuration): try setFormat(NALUnitFormat(avc: body))
    case (.hevc, .configuration): try setFormat(NALUnitFormat(hevc: body))
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

  private mutating func setFormat(_ format: NALUnitFormat) throws(ParseError) {
    self.format = format
    video.type = format.type
    streamsHaveChanged()
  }

  private mutating func receiveAudio(_ message: RTMPMessage) throws(ParseError) {
    let tag = try MediaTag(audio: message.payload.view)
    let body = message.payload.view.extracting(droppingFirst: tag.start)
    switch (tag.codec, tag.content) {
    case (.other(let name), _): tell(name) { .notCarried($0) }
    case (_, .configuration):
      // FFmpeg sends one that says nothing before it knows the stream.
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
  private mutating func tell(_ name: String, _ notice: (String) -> Notice) {
    guard toldNames.count < Self.mostTold, !toldNames.contains(where: { $0.hasSameBytes(as: name) }) else { return }
    toldNames.append(name)
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

  /// Whether a stream may come that has not.
  private func awaits(_ stream: Stream) -> Bool { stream.type == nil ? stream.isAnnounced ?? true : !stream.hasBegun }

  private mutating func begin() {
    guard writer == nil, !held.isEmpty else { return }
    writer = ProgramWriter(streams, version: version)
    // Audio that belongs before the first key frame would make the stream begin with silence on the screen.
    let start = held.first { $0.pid == video.pid }?.decodingTime
    let units = held.filter { unit in start.map { unit.decodingTime >= $0 } ?? true }
    (held, heldCount) = ([], 0)
    do throws(ParseError) { for unit in units { try write(unit) } } catch { tell("tables") { .damaged($0, error) } }
  }

  private mutating func write(_ unit: ProgramWriter.AccessUnit) throws(ParseError) { try writer?.write(unit, to: &bytes) }
}

extension PublishedProgram.Notice: CustomStringConvertible {
  /// The notice in words.
  package var description: String {
    switch self {
    case .notCarried(let name): "\(name.visible(.text)) cannot be carried, and is left out"
    case .damaged(let name, let error): "\(name) is damaged, and what is damaged is left out: \(error)"
    }
  }
}

/// Turns milliseconds of 32 bits, which begin anew after 49 days, into a time that goes on.
struct MillisecondClock: Sendable {
  private var last: (stamp: UInt32, milliseconds: Int64)?

  /// The time of a timestamp: of all those that it may stand for, the one that is nearest to the time before.
  mutating func time(_ stamp: UInt32) -> MediaTime {
    let step = last.map { Int64(Int32(truncatingIfNeeded: stamp &- $0.stamp)) } ?? 0
    let milliseconds = last.map { $0.milliseconds &+ step } ?? Int64(stamp)
    last = (stamp, milliseconds)
    return MediaTime(milliseconds: milliseconds)
  }
}

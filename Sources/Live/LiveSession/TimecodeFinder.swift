import Basics
import CMAF
import CueSheet
import NALUnits
import PacketStamping
import TransportStream

/// A picture with a timecode, in a live transport stream.
struct FoundTimecode: Equatable, Sendable {
  /// The timecode.
  var label: TimecodeLabel
  /// When the picture is presented, on the programme's timeline.
  var time: MediaTime
  /// When it is decoded, on the same timeline.
  var decodingTime: MediaTime
}

/// Finds the timecodes in the video of a live transport stream.
struct TimecodeFinder: Sendable {
  private var video: (stream: LivePacketStamper.Video, messages: MessageReader, timecodes: TimecodeReader)?

  /// Receives a packet.
  ///
  /// - Parameters:
  ///   - stream: The video that tells the time; `nil` while it is unknown, or if there is none. It may change where an access unit starts.
  ///   - unit: The latest access unit.
  /// - Returns: The timecode that is complete with the packet.
  mutating func push(
    _ packet: Span<UInt8>, of stream: @autoclosure () -> LivePacketStamper.Video?, at unit: LiveAccessUnit?
  ) -> FoundTimecode? {
    if TransportPacket.startsUnit(packet) {
      let stream = stream()
      if stream != video?.stream { video = stream.map { ($0, MessageReader($0.codec), TimecodeReader($0.codec)) } }
    } else if video?.messages.isInsideUnit != true {
      return nil
    }
    guard TransportPacket.pid(of: packet) == video?.stream.pid, let header = try? TransportPacket(packet),
      let found = video?.messages.pushHead(header, payload: packet.extracting(header.payload), offset: 0),
      let stamp = video?.timecodes.push(found.head), let label = TimecodeLabel(stamp), let unit,
      TimestampUnwrapper.timestamp(of: unit.presentationTime) == found.timestamp
    else { return nil }
    return FoundTimecode(label: label, time: unit.time, decodingTime: unit.time - (unit.presentationTime - unit.decodingTime))
  }

  /// Records that packets are missing here.
  mutating func interrupt() { video?.messages.interrupt() }
}

extension TimecodeLabel {
  /// The label of a timestamp with all its parts; `nil` if one is missing.
  fileprivate init?(_ stamp: ClockTimestamp) {
    guard let hours = stamp.hours, let minutes = stamp.minutes, let seconds = stamp.seconds else { return nil }
    self.init(hours: hours, minutes: minutes, seconds: seconds, frames: stamp.frames, isDrop: stamp.isDrop)
  }
}

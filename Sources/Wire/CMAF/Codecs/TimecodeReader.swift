import Basics
package import NALUnits

/// Reads the timecode of each picture of H.264 or HEVC, which SEI messages state (`pic_timing`, `time_code`).
package struct TimecodeReader: Sendable {
  private let codec: NALUnitCodec
  /// What the latest sequence parameter set says about picture timing messages; `nil` if they have no timecodes. Used for H.264 only.
  private var timing: PictureTiming?
  /// The latest timestamp in decoding order.
  private var latest: ClockTimestamp?

  /// payloadType of pic_timing in H.264, and of time_code in HEVC.
  private static let (pictureTiming, timeCode) = (1, 136)

  /// Starts before the first access unit.
  package init(_ codec: NALUnitCodec) { self.codec = codec }

  /// Receives the next access unit in decoding order, up to its first slice.
  ///
  /// - Returns: The first timestamp of its picture, with all its parts; `nil` for a picture without one.
  package mutating func push(_ head: AccessUnitHead) -> ClockTimestamp? {
    var first: ClockTimestamp?
    for range in head.units {
      let header = head.bytes[range.lowerBound]
      if codec == .h264, codec.isSequenceParameterSet(header) {
        timing = (try? VideoParameters(h264SequenceParameterSet: head.bytes.view.extracting(range)))?.pictureTiming
      } else if codec.isMessage(header) {
        for timestamp in timestamps(head.bytes.view.extracting(range)) {
          guard let whole = timestamp.completed(from: latest) else { continue }
          (first, latest) = (first ?? whole, whole)
        }
      }
    }
    return first
  }

  /// The timestamps in a NAL unit of SEI messages. Messages that cannot be read are skipped.
  private func timestamps(_ unit: Span<UInt8>) -> [ClockTimestamp] {
    var found: [ClockTimestamp] = []
    TagMessage.forEachPayload(in: unit, codec) { type, payload, _ in
      if codec == .h264, type == Self.pictureTiming, let timing {
        found += (try? ClockTimestamp.timestamps(inPictureTiming: payload, timing)) ?? []
      } else if codec == .hevc, type == Self.timeCode {
        found += (try? ClockTimestamp.timestamps(inTimeCode: payload)) ?? []
      }
    }
    return found
  }
}

import Basics
import EventReading
import GameJSON
import HLSReading
import ID3

// The lines of `inspect --json`: what the game's JSON does not have is where things lie in a stream.

extension StreamItem {
  /// The item as `inspect --json` prints it.
  ///
  /// - Parameters:
  ///   - isDuplicate: Whether an earlier copy said the same.
  ///   - source: The segment of a presentation that it lies in.
  ///   - choice: The rendition, where several are read.
  func line(isDuplicate: Bool, in source: HLSSource? = nil, of choice: HLSChoice? = nil) -> JSONObject {
    var line = object(isDuplicate: isDuplicate, in: source)
    if let choice { line.append("rendition", choice.uri) }
    return line
  }

  private func object(isDuplicate: Bool, in source: HLSSource?) -> JSONObject {
    var line = JSONObject()
    switch self {
    case .copy(let copy, let place):
      return copy.object(at: place.time, isDuplicate: isDuplicate, place: place.object(in: source), byteCount: place.byteCount)
    case .tag(let tag, let place):
      line.append("type", "tag")
      line.append("time", place.time)
      line.appendAbsent(place.object(in: source))
      line.append("bytes", place.byteCount)
      line.append("frames", tag.frames.map(\.object))
    case .damage(let damage):
      line.append("type", "damage")
      line.append("offset", damage.offset)
      line.append("segment", orNull: source?.uri)
      line.append("what", damage.reason)
    }
    return line
  }
}

extension HLSNotice {
  /// What went wrong in a presentation, as `--json` prints it.
  func line(of choice: HLSChoice? = nil) -> JSONObject {
    var line = JSONObject()
    line.append("type", "notice")
    line.append("what", "\(self)")
    if let choice { line.append("rendition", choice.uri) }
    return line
  }
}

extension Place {
  /// The presentation time as the stream has it: transport streams and packed audio count in 33 bits, from 0 again behind the last one.
  private var timestamp: MediaTime {
    let wraps = carriage.pid != nil || carriage == .packedAudio
    return wraps ? MediaTime(ticks: Int64(TimestampUnwrapper.timestamp(of: presentationTime))) : presentationTime
  }

  fileprivate func object(in source: HLSSource?) -> JSONObject {
    var object = JSONObject()
    object.append("pts", Int(timestamp.ticks))
    object.append("carriage", carriage.name)
    if let pid = carriage.pid { object.append("pid", Int(pid)) }
    if case .eventMessage(let id) = carriage { object.append("id", Int(id)) }
    if case .dateRange(let id) = carriage { object.append("id", id) }
    object.append("offset", offset)
    object.append("segment", orNull: source?.uri)
    if isRestored { object.append("repaired", true) }
    return object
  }
}

extension ID3Frame {
  fileprivate var object: JSONObject {
    var object = JSONObject()
    object.append("id", id)
    switch self {
    case .userText(let description, let value):
      object.append("description", description)
      object.append("text", [value])
    case .text(_, let values): object.append("text", values)
    case .privateData(let owner, let data):
      object.append("owner", owner)
      object.append("data", Self.hexadecimal(data))
    case .unknown(_, _, let data): object.append("data", Self.hexadecimal(data))
    }
    return object
  }

  private static func hexadecimal(_ data: [UInt8]) -> String {
    data.map { $0.digits(2, radix: 16, uppercase: false) }.joined()
  }
}

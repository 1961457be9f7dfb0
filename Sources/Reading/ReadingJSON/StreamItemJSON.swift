public import Basics
public import EventReading
import GameJSON
package import ID3
import TransportStream

extension StreamItem {
  /// The item as a line of `inspect --json`.
  ///
  /// - Parameters:
  ///   - isDuplicate: Whether an earlier copy had the same content.
  ///   - segment: The URI of the segment of a presentation that contains it; `nil` if the stream is none.
  public func object(isDuplicate: Bool, segment: String? = nil) -> JSONObject {
    var line = JSONObject()
    switch self {
    case .copy(let copy, let place):
      return copy.object(at: place.time, isDuplicate: isDuplicate, place: place.object(segment: segment), byteCount: place.byteCount)
    case .tag(let tag, let place):
      line.append("type", "tag")
      line.append("time", place.time)
      line.appendAbsent(place.object(segment: segment))
      line.append("bytes", place.byteCount)
      line.append("frames", tag.frames.map { $0.object })
    case .damage(let damage):
      line.append("type", "damage")
      line.append("offset", damage.offset)
      line.append("segment", orNull: segment)
      line.append("what", damage.reason)
    }
    return line
  }
}

extension Place {
  /// The presentation time as written in the stream: transport streams and packed audio count in 33 bits, which wrap around to 0.
  private var timestamp: MediaTime {
    let wraps = carriage.pid != nil || carriage == .packedAudio
    return wraps ? MediaTime(ticks: Int64(TimestampUnwrapper.timestamp(of: presentationTime))) : presentationTime
  }

  fileprivate func object(segment: String?) -> JSONObject {
    var object = JSONObject()
    object.append("pts", Int(timestamp.ticks))
    object.append("carriage", carriage.name)
    if let pid = carriage.pid { object.append("pid", Int(pid)) }
    if case .eventMessage(let id) = carriage { object.append("id", Int(id)) }
    if case .dateRange(let id) = carriage { object.append("id", id) }
    object.append("offset", offset)
    object.append("segment", orNull: segment)
    if isRestored { object.append("repaired", true) }
    return object
  }
}

extension ID3Frame {
  /// The frame as a member of `frames` in a line of `inspect --json`.
  package var object: JSONObject {
    var object = JSONObject()
    object.append("id", id)
    switch self {
    case .userText(let description, let value):
      object.append("description", description)
      object.append("text", [value])
    case .text(_, let values): object.append("text", values)
    case .privateData(let owner, let data):
      object.append("owner", owner)
      object.append("data", data.hexadecimal)
    case .unknown(_, _, let data): object.append("data", data.hexadecimal)
    case .unreadable(_, _, let data, let error):
      object.append("data", data.hexadecimal)
      object.append("unreadable", "\(error.reason)")
    }
    return object
  }
}

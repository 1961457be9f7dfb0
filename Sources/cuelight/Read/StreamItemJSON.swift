import Basics
import EventReading
import GameJSON
import HLSReading
import ID3

// The lines of `inspect --json`, which add places in the stream to the game's JSON.

extension StreamItem {
  /// The item as `inspect --json` prints it.
  ///
  /// - Parameters:
  ///   - isDuplicate: Whether an earlier copy had the same content.
  ///   - source: The segment of a presentation that contains it.
  ///   - choice: The rendition, if several are read.
  func line(isDuplicate: Bool, in source: HLSSource? = nil, of choice: HLSChoice? = nil) -> JSONObject {
    object(isDuplicate: isDuplicate, in: source).with("rendition", choice?.uri)
  }

  /// The item as `inspect --all --json` prints it: a tag has the type `id3`.
  func lineOfAll(isDuplicate: Bool, in source: HLSSource?, of choice: HLSChoice?) -> JSONObject {
    let line = line(isDuplicate: isDuplicate, in: source, of: choice)
    guard case .tag(let tag, _) = self else { return line }
    let frames = tag.frames.map { frame in
      var object = frame.object
      if let details = ID3FrameDetails(frame, version: tag.version) { object.appendAbsent(details.object) }
      return object
    }
    var all = JSONObject(fields: ["type": "id3"])
    all.appendAbsent(line, except: ["frames"])
    all.append("frames", frames)
    return all
  }

  private func object(isDuplicate: Bool, in source: HLSSource?) -> JSONObject {
    switch self {
    case .copy(let copy, let place):
      return copy.object(at: place.time, isDuplicate: isDuplicate, place: place.object(in: source), byteCount: place.byteCount)
    case .tag(let tag, let place):
      var line = JSONObject(fields: ["type": "tag", "time": place.time])
      line.appendAbsent(place.object(in: source))
      return line.with("bytes", place.byteCount).with("frames", tag.frames.map(\.object))
    case .damage(let damage):
      return JSONObject(fields: ["type": "damage", "offset": damage.offset, "segment": source?.uri, "what": damage.reason])
    }
  }
}

extension HLSNotice {
  /// What went wrong in a presentation, as `--json` prints it.
  func line(of choice: HLSChoice? = nil) -> JSONObject {
    JSONObject(fields: ["type": "notice", "what": "\(self)"]).with("rendition", choice?.uri)
  }
}

extension Place {
  /// The presentation time as written in the stream: transport streams and packed audio count in 33 bits, which wrap around to 0.
  private var timestamp: MediaTime {
    let wraps = carriage.pid != nil || carriage == .packedAudio
    return wraps ? MediaTime(ticks: Int64(TimestampUnwrapper.timestamp(of: presentationTime))) : presentationTime
  }

  fileprivate func object(in source: HLSSource?) -> JSONObject {
    var object = JSONObject(fields: ["pts": Int(timestamp.ticks), "carriage": carriage.name])
    if let pid = carriage.pid { object.append("pid", Int(pid)) }
    if case .eventMessage(let id) = carriage { object.append("id", Int(id)) }
    if case .dateRange(let id) = carriage { object.append("id", id) }
    object.append("offset", offset)
    object.append("segment", orNull: source?.uri)
    return object.with("repaired", isRestored ? true : nil)
  }
}

extension ID3Frame {
  fileprivate var object: JSONObject {
    switch self {
    case .userText(let description, let value): JSONObject(fields: ["id": id, "description": description, "text": [value]])
    case .text(_, let values): JSONObject(fields: ["id": id, "text": values])
    case .privateData(let owner, let data): JSONObject(fields: ["id": id, "owner": owner, "data": Self.hexadecimal(data)])
    case .unknown(_, _, let data): JSONObject(fields: ["id": id, "data": Self.hexadecimal(data)])
    case .unreadable(_, _, let data, let error):
      JSONObject(fields: ["id": id, "data": Self.hexadecimal(data), "unreadable": "\(error.reason)"])
    }
  }

  private static func hexadecimal(_ data: [UInt8]) -> String { data.map { $0.digits(2, radix: 16, uppercase: false) }.joined() }
}

extension ID3FrameDetails {
  fileprivate var object: JSONObject {
    JSONObject(fields: [:])
      .with("language", language).with("mime", mime).with("pictureType", pictureType.map { Int($0) }).with("owner", owner)
      .with("description", description).with("value", text).with("size", size)
  }

  /// What the frame says, for people.
  var line: String {
    let words = [
      owner, mime, pictureType.map { "picture type \($0)" }, language, description.flatMap { $0.isEmpty ? nil : $0 }, text,
      size.map { $0.of("byte") },
    ]
    return words.compactMap(\.self).joined(separator: ", ")
  }
}

import Basics
import CMAF
import EventReading
import HLSPlaylist
import HLSReading
import MetadataReading
import NALUnits
import SCTE35
import TransportStream

// The lines of `inspect --all` for metadata that is no ID3 tag.

extension TimedMetadata {
  /// The metadata as `inspect --all --json` prints it.
  ///
  /// - Parameter count: How often it is in the stream.
  func line(count: Int, of choice: HLSChoice?) -> JSONObject {
    var line = JSONObject(fields: ["type": kind.rawValue, "time": time])
    if let presentationTime {
      let ticks = pid == nil ? presentationTime.ticks : Int64(TimestampUnwrapper.timestamp(of: presentationTime))
      line.append("pts", Int(ticks))
    }
    if let pid { line.append("pid", Int(pid)) }
    line.append("offset", offset)
    line.append("segment", orNull: source?.uri)
    line.append("bytes", byteCount)
    line.append("count", count)
    line.appendAbsent(contentObject)
    return line.with("rendition", choice?.uri)
  }

  private var contentObject: JSONObject {
    switch content {
    case .splice(let section): return section.object
    case .klv(let units):
      return JSONObject(fields: ["sets": units.map { JSONObject(fields: ["key": $0.key.hexadecimal, "length": $0.length]) }])
    case .eventMessage(let message, let splice):
      var object = JSONObject(fields: [
        "scheme": message.schemeID.text, "value": message.value.text, "id": Int(message.id), "duration": message.duration,
        "size": message.messageData.count,
      ])
      switch splice {
      case .section(let section): object.append("splice", section.object)
      case .unreadable(let reason): object.append("unreadable", reason)
      case nil: break
      }
      return object
    case .message(let name, let values):
      var object = JSONObject(fields: ["name": name])
      object.append("values", .array(values))
      return object
    case .userData(let data): return data.object
    case .dateRange(let range, let splices):
      return JSONObject(fields: ["id": range.id])
        .with("class", range.rangeClass).with("startDate", range.startDate?.text).with("endDate", range.endDate?.text)
        .with("duration", range.duration.map { MediaTime($0) }).with("plannedDuration", range.plannedDuration.map { MediaTime($0) })
        .with("attributes", range.attributes.attributes.map { "\($0.name)=\($0.value.text)" })
        .with("splices", splices.isEmpty ? nil : splices.map(\.object))
    case .playlistTag(let text, let tag, let splice):
      return JSONObject(fields: ["tag": text])
        .with("out", tag.isOut).with("duration", tag.duration.map { MediaTime($0) }).with("elapsed", tag.elapsed.map { MediaTime($0) })
        .with("splice", splice?.object)
    case .unreadable(_, let reason): return JSONObject(fields: ["unreadable": reason])
    }
  }

  /// The metadata as `inspect --all` prints it for people.
  func text(count: Int) -> String {
    let place = [source?.uri, pid.map { "pid \($0)" }, byteCount > 0 ? "byte \(offset)  \(byteCount) bytes" : nil].compactMap(\.self)
    let columns = [
      time.clockText, kind.rawValue.padded(to: 5), place.joined(separator: "  "), contentText, count > 1 ? "\(count) times" : "",
    ]
    return columns.filter { !$0.isEmpty }.joined(separator: "  ")
  }

  private var contentText: String {
    switch content {
    case .splice(let section): return section.text
    case .klv(let units): return units.map { "\($0.key.hexadecimal) \($0.length) bytes" }.joined(separator: "; ")
    case .eventMessage(let message, let splice):
      let value = message.value.text.isEmpty ? "" : " value \(message.value.text)"
      let duration = message.duration.map { " for \($0.decimalSeconds) s" } ?? ""
      return "\(message.schemeID.text)\(value) id \(message.id)\(duration)" + (splice.map { ": \($0.text)" } ?? "")
    case .message(let name, let values): return ([name] + values.map(\.text)).joined(separator: " ")
    case .userData(let data): return data.text
    case .dateRange(let range, let splices):
      let names = [
        range.rangeClass.map { "class \($0)" }, range.startDate.map { "from \($0.text)" }, range.duration.map { "for \($0.text) s" },
        range.plannedDuration.map { "planned for \($0.text) s" },
      ]
      let others = range.attributes.attributes.map { "\($0.name)=\($0.value.text)" }
      return (["\(range.id)"] + names.compactMap(\.self) + others + splices.map(\.text)).joined(separator: "  ")
    case .playlistTag(let text, _, let splice): return "\(text)" + (splice.map { "  \($0.text)" } ?? "")
    case .unreadable(_, let reason): return "unreadable: \(reason)"
    }
  }
}

extension SpliceReading {
  fileprivate var text: String {
    switch self {
    case .section(let section): section.text
    case .unreadable(let reason): "unreadable: \(reason)"
    }
  }
}

extension PlaylistSplice {
  fileprivate var object: JSONObject {
    var object = JSONObject(fields: ["in": name])
    switch content {
    case .section(let section): object.appendAbsent(section.object)
    case .unreadable(let reason): object.append("unreadable", reason)
    }
    return object
  }

  fileprivate var text: String { "\(name): \(content.text)" }
}

extension EventMessageBox {
  /// How long the event lasts; `nil` if that is not known.
  fileprivate var duration: MediaTime? { eventDuration == Self.unknownDuration ? nil : timescale.mediaTime(eventDuration) }
}

extension UserData {
  fileprivate var object: JSONObject {
    var object: JSONObject
    switch owner {
    case .unregistered(let uuid): object = JSONObject(fields: ["uuid": uuid.hexadecimal])
    case .registered(let country, let provider, let code):
      object = JSONObject(fields: ["country": Int(country)]).with("provider", provider.map { Int($0) })
      if !code.isEmpty, code.allSatisfy({ 0x20...0x7E ~= $0 }) { object.append("code", String(decoding: code, as: UTF8.self)) }
    }
    return object.with("name", name)
  }

  fileprivate var text: String {
    let owner: String
    switch self.owner {
    case .unregistered(let uuid): owner = "UUID \(uuid.hexadecimal)"
    case .registered(let country, let provider, _):
      owner = "T.35 country 0x\(country.digits(2, radix: 16))" + (provider.map { " provider 0x\($0.digits(4, radix: 16))" } ?? "")
    }
    return owner + (name.map { "  \($0)" } ?? "")
  }
}

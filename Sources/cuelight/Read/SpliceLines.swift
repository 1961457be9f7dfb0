import Basics
import SCTE35

extension SpliceSection {
  /// The section as JSON: its command, and its segmentation descriptors.
  var object: JSONObject {
    var object = JSONObject(fields: ["command": command.name])
    switch command {
    case .encrypted: object.append("encrypted", true)
    case .insert(let insert):
      object.append("eventId", Int(insert.eventID))
      guard let splice = insert.splice else {
        object.append("cancelled", true)
        break
      }
      object.append("out", splice.isOut)
      object.append("immediate", splice.isImmediate)
      if let duration = splice.duration {
        object.append("duration", MediaTime(ticks: Int64(duration)))
        object.append("autoReturn", splice.returnsByItself)
      }
      object.append("programId", Int(splice.programID))
    case .timeSignal, .null, .schedule, .bandwidthReservation: break
    case .privateCommand(let identifier, let data):
      object.append("identifier", Int(identifier))
      object.append("size", data.count)
    case .unknown(let type, let data):
      object.append("commandType", Int(type))
      object.append("size", data.count)
    }
    if let time { object.append("splicePts", Int(time)) }
    object.append("ptsAdjustment", Int(ptsAdjustment))
    let list = descriptors.filter(\.isSegmentation).map(\.object)
    return object.with("segmentation", list.isEmpty ? nil : list)
  }

  /// The section for people.
  var text: String {
    var words = [command.name]
    switch command {
    case .insert(let insert):
      words.append("event \(insert.eventID)")
      guard let splice = insert.splice else {
        words.append("cancelled")
        break
      }
      words.append(splice.isOut ? "out" : "in")
      if splice.isImmediate { words.append("now") }
      if let duration = splice.duration { words.append("for \(MediaTime(ticks: Int64(duration)).decimalSeconds) s") }
      if splice.returnsByItself { words.append("returns by itself") }
    case .privateCommand(let identifier, let data): words.append("of 0x\(identifier.digits(8, radix: 16)), \(data.count.of("byte"))")
    case .unknown(let type, let data): words.append("command 0x\(type.digits(2, radix: 16)), \(data.count.of("byte"))")
    case .timeSignal(nil): words.append("now")
    case .timeSignal, .null, .schedule, .bandwidthReservation, .encrypted: break
    }
    return words.joined(separator: " ") + descriptors.filter(\.isSegmentation).map { "; \($0.text)" }.joined()
  }
}

extension SpliceDescriptor {
  /// The segmentation; `nil` if it cannot be read.
  private var segmentation: SegmentationDescriptor? { try? SegmentationDescriptor(self) }

  fileprivate var object: JSONObject {
    guard let segmentation else { return JSONObject(fields: ["unreadable": "segmentation_descriptor is cut off", "size": data.count]) }
    var object = JSONObject(fields: ["eventId": Int(segmentation.eventID)])
    guard let segment = segmentation.segment else { return object.with("cancelled", true) }
    object.append("typeId", Int(segment.type.rawValue))
    object.append("name", orNull: segment.type.name)
    if let isStart = segment.type.isStart, segment.type.isBreak { object.append("out", isStart) }
    if let duration = segment.duration { object.append("duration", MediaTime(ticks: Int64(duration))) }
    if !segment.upid.isEmpty {
      object.append("upidType", Int(segment.upidType))
      object.append("upid", segment.upidText)
    }
    object.append("segment", Int(segment.number))
    object.append("segments", Int(segment.expected))
    return object
  }

  fileprivate var text: String {
    guard let segmentation else { return "unreadable segmentation_descriptor of \(data.count.of("byte"))" }
    guard let segment = segmentation.segment else { return "event \(segmentation.eventID) cancelled" }
    var words = [segment.type.name ?? "type 0x\(segment.type.rawValue.digits(2, radix: 16))", "event \(segmentation.eventID)"]
    if let isStart = segment.type.isStart, segment.type.isBreak { words.append(isStart ? "out" : "in") }
    if let duration = segment.duration { words.append("for \(MediaTime(ticks: Int64(duration)).decimalSeconds) s") }
    if !segment.upid.isEmpty { words.append("\(segment.upidName ?? "upid") \(segment.upidText)") }
    return words.joined(separator: " ")
  }
}

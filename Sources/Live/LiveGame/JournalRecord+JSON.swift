package import Basics
import GameEvents
import SCTE35

// Times are whole ticks of 90 kHz, so that nothing is rounded.
extension JournalRecord {
  /// The record as an object in JSON.
  package var object: JSONObject {
    switch self {
    case .started(let game, let sealKey): Self.object("started", ["version": 1, "game": game]).with("sealKey", sealKey)
    case .accepted(let guid, let key, let request, let from):
      Self.object("accepted", ["guid": guid.text]).with("key", key).with("wallClock", Int(from.wallClock))
        .with("now", from.time.map { Int($0.ticks) }).with("request", request)
    case .numbered(let guid, let sequence, let deadline):
      Self.object("numbered", ["guid": guid.text, "sequence": sequence]).with("deadline", deadline.map { Int($0) })
    case .released(let guid, let key): Self.object("released", ["guid": guid.text]).with("key", key)
    case .moved(let guid, let at): Self.object("moved", ["guid": guid.text, "at": Int(at.ticks)])
    case .reserved(let sequence): Self.object("reserved", ["sequence": sequence])
    case .cancelled(let guid): Self.object("cancelled", ["guid": guid.text])
    case .lost(let guid, let reason): Self.object("lost", ["guid": guid.text, "reason": reason])
    case .placed(let guid, let at, let pts, let wallClock):
      Self.object("placed", ["guid": guid.text, "at": Int(at.ticks), "pts": Int(pts), "wallClock": Int(wallClock)])
    case .segment(let segment): Self.object("segment", [:], segment.object)
    case .led(let term, let isAlone): Self.object("led", ["term": term, "alone": isAlone])
    case .adBreak(let known): Self.object("break", [:], known.record)
    case .ended: Self.object("ended", [:])
    }
  }

  private static func object(
    _ record: String, _ fields: KeyValuePairs<String, any JSONWritable>, _ rest: JSONObject = JSONObject()
  ) -> JSONObject {
    JSONObject(JSONObject(fields: ["record": record]).members + JSONObject(fields: fields).members + rest.members)
  }

  /// The record that an object in JSON describes; `nil` if it describes none.
  package init?(_ object: JSONObject) {
    do throws(JSONFieldError) { self = try Self.record(object) } catch { return nil }
  }

  private static func record(_ object: JSONObject) throws(JSONFieldError) -> JournalRecord {
    switch try object.string("record") {
    case "started":
      _ = try object.int("version", in: 1...1)
      return .started(game: try object.string("game"), sealKey: object["sealKey"]?.string)
    case "accepted":
      let time = object["now"]?.int(in: .exact).map { MediaTime(ticks: Int64($0)) }
      return .accepted(
        guid: try object.guid, key: object["key"]?.string, request: try object.object("request"),
        from: Acceptance(wallClock: try object.int64("wallClock"), time: time))
    case "numbered":
      return .numbered(
        guid: try object.guid, sequence: try object.int("sequence"), deadline: object["deadline"]?.int(in: .exact).map { Int64($0) })
    case "released": return .released(guid: try object.guid, key: object["key"]?.string)
    case "moved": return .moved(guid: try object.guid, at: try object.ticks("at"))
    case "reserved": return .reserved(sequence: try object.int("sequence"))
    case "cancelled": return .cancelled(guid: try object.guid)
    case "lost": return .lost(guid: try object.guid, reason: try object.string("reason"))
    case "placed":
      return .placed(
        guid: try object.guid, at: try object.ticks("at"), pts: try object.unsigned("pts"), wallClock: try object.int64("wallClock"))
    case "segment": return .segment(try SegmentRecord(object))
    case "led": return .led(term: try object.int("term"), isAlone: try object.bool("alone"))
    case "break": return .adBreak(try AdBreak(record: object))
    case "ended": return .ended
    default: throw JSONFieldError("record")
    }
  }
}

extension JournalRecord.SegmentRecord {
  fileprivate var object: JSONObject {
    JSONObject(fields: [
      "name": name, "mediaSequence": Int(mediaSequence), "discontinuitySequence": Int(discontinuitySequence),
      "discontinuous": isDiscontinuous, "targetDuration": Int(targetDuration), "start": Int(start.ticks), "duration": Int(duration.ticks),
      "wallClock": Int(wallClock),
    ])
    .with("gap", isGap ? true : nil).with("parts", precedesParts ? true : nil).with("next", nextTimestamp.map { Int($0) })
    .with("bursts", bursts.isEmpty ? nil : bursts.map { JSONObject(fields: ["guid": $0.guid.text, "copies": $0.copies]) })
    .with("initialization", initialization).with("audio", audio.isEmpty ? nil : audio.map(\.object))
    .with("variants", variants.isEmpty ? nil : variants.map(\.object))
  }

  fileprivate init(_ object: JSONObject) throws(JSONFieldError) {
    self.init(
      name: try object.string("name"), mediaSequence: try object.unsigned("mediaSequence"),
      discontinuitySequence: try object.unsigned("discontinuitySequence"), isDiscontinuous: try object.bool("discontinuous"),
      targetDuration: try object.unsigned("targetDuration"), start: try object.ticks("start"), duration: try object.ticks("duration"),
      wallClock: try object.int64("wallClock"))
    guard discontinuitySequence >= (isDiscontinuous ? 1 : 0) else { throw JSONFieldError("discontinuitySequence") }
    isGap = object["gap"]?.bool ?? false
    precedesParts = object["parts"]?.bool ?? false
    nextTimestamp = object["next"]?.int(in: .counts).map { UInt64($0) }
    bursts = object.objects("bursts").compactMap { burst in
      guard let guid = burst["guid"]?.string.flatMap({ GUID($0) }), let copies = burst["copies"]?.int(in: .counts) else { return nil }
      return Burst(guid: guid, copies: copies)
    }
    initialization = object["initialization"]?.string
    audio = object.objects("audio").map { TrackFile($0) }
    variants = object.objects("variants").map { TrackFile($0) }
  }
}

extension JournalRecord.SegmentRecord.TrackFile {
  fileprivate var object: JSONObject { JSONObject().with("name", name).with("initialization", initialization) }

  fileprivate init(_ object: JSONObject) {
    self.init(name: object["name"]?.string, initialization: object["initialization"]?.string)
  }
}

extension JSONObject {
  fileprivate var guid: GUID { get throws(JSONFieldError) { try require("guid") { $0.string.flatMap { GUID($0) } } } }

  fileprivate func int64(_ key: String) throws(JSONFieldError) -> Int64 { Int64(try int(key)) }

  fileprivate func ticks(_ key: String) throws(JSONFieldError) -> MediaTime { MediaTime(ticks: try int64(key)) }

  fileprivate func unsigned(_ key: String) throws(JSONFieldError) -> UInt64 { UInt64(try int(key, in: .counts)) }

  /// The objects of a list; none without the list.
  fileprivate func objects(_ key: String) -> [JSONObject] { self[key]?.array?.compactMap(\.object) ?? [] }
}

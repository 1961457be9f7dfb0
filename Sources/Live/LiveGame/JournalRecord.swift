package import Basics
package import GameEvents
import Sheets

/// A line of the journal: one thing that must not be forgotten when the process ends.
package enum JournalRecord: Equatable, Sendable {
  /// The journal begins: the game, and the secret that answers are sealed with, in hexadecimal digits.
  case started(game: String, sealKey: String?)
  /// An event was accepted. The key is what the client calls the request, where it calls it anything.
  case accepted(guid: GUID, key: String?, request: JSONObject, from: Acceptance)
  /// The event has its place in the game. After the deadline, in milliseconds since 1970, it does not go into the stream any more.
  case numbered(guid: GUID, sequence: Int, deadline: Int64? = nil)
  /// The operator has given the sign for an event, with a request of this name.
  case released(guid: GUID, key: String? = nil)
  /// Sequence numbers of the session's game up to this one may be in the stream, though the journal has lost their events.
  case reserved(sequence: Int)
  /// The event was taken back.
  case cancelled(guid: GUID)
  /// The event will not be in the stream.
  case lost(guid: GUID, reason: String)
  /// The event's first copy is in the stream.
  case placed(guid: GUID, at: MediaTime, pts: UInt64, wallClock: Int64)
  /// A segment is in the playlist.
  case segment(SegmentRecord)
  /// One of two nodes begins to lead, for the time of this number from 1 on; or the other one has gone, or is back: whether it leads alone.
  case led(term: Int, isAlone: Bool)
  /// The stream has ended as it should.
  case ended

  /// When a request came.
  package struct Acceptance: Equatable, Sendable {
    /// In milliseconds since 1970.
    package var wallClock: Int64
    /// On the programme's timeline, where there was one.
    package var time: MediaTime?

    /// A request that came at this date and programme time.
    package init(wallClock: Int64, time: MediaTime?) { (self.wallClock, self.time) = (wallClock, time) }
  }

  /// What the next session has to know of a segment.
  package struct SegmentRecord: Equatable, Sendable {
    /// The name of its file.
    package var name: String
    /// The media sequence number of the segment.
    package var mediaSequence: UInt64
    /// The discontinuity sequence number of the segment.
    package var discontinuitySequence: UInt64
    /// Whether EXT-X-DISCONTINUITY applies to it.
    package var isDiscontinuous: Bool
    /// The target duration of the playlist, in seconds.
    package var targetDuration: UInt64
    /// When it starts, on the programme's timeline.
    package var start: MediaTime
    /// How long it lasts, as EXTINF says.
    package var duration: MediaTime
    /// The date of its start, in milliseconds since 1970.
    package var wallClock: Int64
    /// Whether it is missing: nothing came from the input for so long.
    package var isGap = false
    /// Whether players may have loaded parts of the segment behind it.
    package var precedesParts = false
    /// When the access unit is presented that the next segment starts with, on the stream's clock in 33 bits; `nil` where nothing goes on behind it.
    package var nextTimestamp: UInt64?
    /// The events whose bursts go on behind it.
    package var bursts: [Burst] = []
    /// The name of its initialization segment; `nil` in a transport stream.
    package var initialization: String?
    /// Audio in tracks of its own.
    package var audio: [TrackFile] = []
    /// Other renditions of the same programme.
    package var variants: [TrackFile] = []

    /// An event whose burst goes on, with the number of copies of it so far.
    package struct Burst: Equatable, Sendable {
      package var guid: GUID
      package var copies: Int

      package init(guid: GUID, copies: Int) { (self.guid, self.copies) = (guid, copies) }
    }

    /// The part of a track besides the main one.
    package struct TrackFile: Equatable, Sendable {
      /// The file's name; `nil` where the track has nothing in this segment.
      package var name: String?
      /// The name of its initialization segment.
      package var initialization: String?

      package init(name: String?, initialization: String?) { (self.name, self.initialization) = (name, initialization) }
    }

    /// The names of its own files.
    package var segmentFiles: [String] { isGap ? [] : [name] + (audio + variants).compactMap(\.name) }

    /// The names of all files that a player needs for it, initialization segments first.
    package var files: [String] { isGap ? [] : initializations + segmentFiles }

    /// The names of the initialization segments of all tracks.
    package var initializations: [String] { [initialization].compactMap(\.self) + (audio + variants).compactMap(\.initialization) }

    /// What is recorded of a segment.
    package init(
      name: String, mediaSequence: UInt64, discontinuitySequence: UInt64, isDiscontinuous: Bool, targetDuration: UInt64, start: MediaTime,
      duration: MediaTime, wallClock: Int64
    ) {
      (self.name, self.mediaSequence, self.discontinuitySequence) = (name, mediaSequence, discontinuitySequence)
      (self.isDiscontinuous, self.targetDuration) = (isDiscontinuous, targetDuration)
      (self.start, self.duration, self.wallClock) = (start, duration, wallClock)
    }
  }
}

// As JSON. Times are whole ticks of 90 kHz, so that nothing is rounded.
extension JournalRecord {
  /// The record as an object in JSON.
  package var object: JSONObject {
    var object = JSONObject()
    switch self {
    case .started(let game, let sealKey):
      object.append("record", "started")
      object.append("version", 1)
      object.append("game", game)
      if let sealKey { object.append("sealKey", sealKey) }
    case .accepted(let guid, let key, let request, let from):
      object.append("record", "accepted")
      object.append("guid", guid.text)
      if let key { object.append("key", key) }
      object.append("wallClock", Int(from.wallClock))
      if let time = from.time { object.append("now", Int(time.ticks)) }
      object.append("request", request)
    case .numbered(let guid, let sequence, let deadline):
      object.append("record", "numbered")
      object.append("guid", guid.text)
      object.append("sequence", sequence)
      if let deadline { object.append("deadline", Int(deadline)) }
    case .released(let guid, let key):
      object.append("record", "released")
      object.append("guid", guid.text)
      if let key { object.append("key", key) }
    case .reserved(let sequence):
      object.append("record", "reserved")
      object.append("sequence", sequence)
    case .cancelled(let guid):
      object.append("record", "cancelled")
      object.append("guid", guid.text)
    case .lost(let guid, let reason):
      object.append("record", "lost")
      object.append("guid", guid.text)
      object.append("reason", reason)
    case .placed(let guid, let at, let pts, let wallClock):
      object.append("record", "placed")
      object.append("guid", guid.text)
      object.append("at", Int(at.ticks))
      object.append("pts", Int(pts))
      object.append("wallClock", Int(wallClock))
    case .segment(let segment):
      object.append("record", "segment")
      object.append("name", segment.name)
      object.append("mediaSequence", Int(segment.mediaSequence))
      object.append("discontinuitySequence", Int(segment.discontinuitySequence))
      object.append("discontinuous", segment.isDiscontinuous)
      object.append("targetDuration", Int(segment.targetDuration))
      object.append("start", Int(segment.start.ticks))
      object.append("duration", Int(segment.duration.ticks))
      object.append("wallClock", Int(segment.wallClock))
      if segment.isGap { object.append("gap", true) }
      if segment.precedesParts { object.append("parts", true) }
      if let timestamp = segment.nextTimestamp { object.append("next", Int(timestamp)) }
      if !segment.bursts.isEmpty { object.append("bursts", segment.bursts.map(\.object)) }
      if let initialization = segment.initialization { object.append("initialization", initialization) }
      if !segment.audio.isEmpty { object.append("audio", segment.audio.map(\.object)) }
      if !segment.variants.isEmpty { object.append("variants", segment.variants.map(\.object)) }
    case .led(let term, let isAlone):
      object.append("record", "led")
      object.append("term", term)
      object.append("alone", isAlone)
    case .ended: object.append("record", "ended")
    }
    return object
  }

  /// The record that an object in JSON describes; `nil` where it describes none.
  package init?(_ object: JSONObject) {
    let guid = object["guid"]?.string.flatMap { GUID($0) }
    func integer(_ key: String) -> Int? { object[key]?.int(in: .exact) }
    func ticks(_ key: String) -> MediaTime? { integer(key).map { MediaTime(ticks: Int64($0)) } }
    func milliseconds(_ key: String) -> Int64? { integer(key).map { Int64($0) } }
    func unsigned(_ key: String) -> UInt64? { integer(key).flatMap { UInt64(exactly: $0) } }
    switch object["record"]?.string {
    case "started":
      guard object["version"]?.int(in: 1...1) != nil, let game = object["game"]?.string else { return nil }
      self = .started(game: game, sealKey: object["sealKey"]?.string)
    case "accepted":
      guard let guid, let request = object["request"]?.object, let wallClock = milliseconds("wallClock") else { return nil }
      self = .accepted(
        guid: guid, key: object["key"]?.string, request: request, from: Acceptance(wallClock: wallClock, time: ticks("now")))
    case "numbered":
      guard let guid, let sequence = integer("sequence") else { return nil }
      self = .numbered(guid: guid, sequence: sequence, deadline: milliseconds("deadline"))
    case "released":
      guard let guid else { return nil }
      self = .released(guid: guid, key: object["key"]?.string)
    case "reserved":
      guard let sequence = integer("sequence") else { return nil }
      self = .reserved(sequence: sequence)
    case "cancelled":
      guard let guid else { return nil }
      self = .cancelled(guid: guid)
    case "lost":
      guard let guid, let reason = object["reason"]?.string else { return nil }
      self = .lost(guid: guid, reason: reason)
    case "placed":
      guard let guid, let at = ticks("at"), let pts = unsigned("pts"), let wallClock = milliseconds("wallClock") else { return nil }
      self = .placed(guid: guid, at: at, pts: pts, wallClock: wallClock)
    case "segment":
      guard let name = object["name"]?.string, let mediaSequence = unsigned("mediaSequence"),
        let discontinuitySequence = unsigned("discontinuitySequence"), let isDiscontinuous = object["discontinuous"]?.bool,
        let targetDuration = unsigned("targetDuration"), let start = ticks("start"), let duration = ticks("duration"),
        let wallClock = milliseconds("wallClock"), discontinuitySequence >= (isDiscontinuous ? 1 : 0)
      else { return nil }
      var segment = SegmentRecord(
        name: name, mediaSequence: mediaSequence, discontinuitySequence: discontinuitySequence, isDiscontinuous: isDiscontinuous,
        targetDuration: targetDuration, start: start, duration: duration, wallClock: wallClock)
      segment.isGap = object["gap"]?.bool ?? false
      segment.precedesParts = object["parts"]?.bool ?? false
      segment.nextTimestamp = unsigned("next")
      segment.bursts = SegmentRecord.Burst.bursts(object["bursts"])
      segment.initialization = object["initialization"]?.string
      segment.audio = SegmentRecord.TrackFile.files(object["audio"])
      segment.variants = SegmentRecord.TrackFile.files(object["variants"])
      self = .segment(segment)
    case "led":
      guard let term = integer("term"), let isAlone = object["alone"]?.bool else { return nil }
      self = .led(term: term, isAlone: isAlone)
    case "ended": self = .ended
    default: return nil
    }
  }
}

extension JournalRecord.SegmentRecord.Burst {
  fileprivate var object: JSONObject {
    var object = JSONObject()
    object.append("guid", guid.text)
    object.append("copies", copies)
    return object
  }

  fileprivate static func bursts(_ value: JSONValue?) -> [Self] {
    value?.array?.compactMap { element in
      guard let guid = element.object?["guid"]?.string.flatMap({ GUID($0) }), let copies = element.object?["copies"]?.int(in: .counts)
      else {
        return nil
      }
      return Self(guid: guid, copies: copies)
    } ?? []
  }
}

extension JournalRecord.SegmentRecord.TrackFile {
  fileprivate var object: JSONObject {
    var object = JSONObject()
    if let name { object.append("name", name) }
    if let initialization { object.append("initialization", initialization) }
    return object
  }

  fileprivate init(_ object: JSONObject) {
    self.init(name: object["name"]?.string, initialization: object["initialization"]?.string)
  }

  fileprivate static func files(_ value: JSONValue?) -> [Self] { value?.array?.compactMap { $0.object.map { Self($0) } } ?? [] }
}

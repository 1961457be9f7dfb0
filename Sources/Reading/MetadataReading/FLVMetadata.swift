import Basics
import EventReading
import RTMP

/// Reads the script data of a file of FLV, and follows its timeline.
struct FLVMetadata: Sendable {
  private var reader = FLVReader()
  private var timeline: ProgrammeTimeline
  private var held: [TimedMetadata] = []
  /// The audio's start, which counts if there is no video.
  private var audioStart: MediaTime?

  /// The maximum number of items that wait for the start of the video.
  private static let mostHeld = 256

  init(startingAt start: ProgrammeTimeline.Start) { timeline = ProgrammeTimeline(startingAt: start) }

  /// The programme time at which the video ends so far.
  var end: MediaTime? { timeline.videoEnd }

  mutating func push(_ chunk: Span<UInt8>) -> [TimedMetadata] { receive(reader.push(chunk)) }

  mutating func finish() -> [TimedMetadata] {
    var found = receive(reader.finish())
    timeline.release(&held, into: &found, isLast: true, audioStart: audioStart)
    return found
  }

  private mutating func receive(_ items: [FLVReader.Item]) -> [TimedMetadata] {
    var found: [TimedMetadata] = []
    for item in items {
      switch item {
      case .message(let name, let values, let time, let offset, let byteCount):
        hold(.message(name: name, values.map { $0.json }), time, offset, byteCount)
      case .unreadable(let time, let offset, let byteCount, let reason):
        hold(.unreadable(.amf, reason: reason), time, offset, byteCount)
      case .damage(let offset, let reason): hold(.unreadable(.amf, reason: reason), timeline.position ?? .zero, offset, 0)
      case .video(let time):
        timeline.startVideo(at: time)
        timeline.extend(from: time, to: time)
      case .audio(let time): audioStart = audioStart ?? time
      }
    }
    timeline.release(&held, into: &found, isLast: held.count > Self.mostHeld, audioStart: audioStart)
    return found
  }

  private mutating func hold(_ content: TimedMetadata.Content, _ time: MediaTime, _ offset: Int, _ byteCount: Int) {
    held.append(TimedMetadata(content: content, time: time, presentationTime: time, offset: offset, byteCount: byteCount))
  }
}

extension AMF0Value {
  /// The value as JSON: a date is its milliseconds since 1970, and a number that JSON does not have is null.
  fileprivate var json: JSONValue {
    switch self {
    case .number(let number), .date(let number): Self.json(number)
    case .boolean(let isTrue): .bool(isTrue)
    case .string(let text): .string(text)
    case .object(let members), .array(let members): Self.json(members)
    case .list(let values): .array(values.map { $0.json })
    case .null, .undefined: .null
    }
  }

  private static func json(_ number: Double) -> JSONValue {
    var text = "\(number)"
    if text.utf8.suffix(2).elementsEqual(".0".utf8) { text.removeLast(2) }
    return (try? JSONValue(parsing: text)) ?? .null
  }

  /// An object with the members; of those with the same name the last one counts.
  private static func json(_ members: [Member]) -> JSONValue {
    var last: [(name: String, value: JSONValue)] = []
    for member in members {
      last.removeAll { $0.name.hasSameBytes(as: member.name) }
      last.append((member.name, member.value.json))
    }
    return .object(JSONObject(last.map { JSONObject.Member(key: $0.name, value: $0.value) }))
  }
}

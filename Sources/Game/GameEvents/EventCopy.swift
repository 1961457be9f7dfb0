import ByteCursor
import JSONText
public import MediaTime

/// One copy of an event as it travels in a stream: the event, and which repeat of it this is.
public struct EventCopy: Equatable, Sendable {
  /// What happened.
  public var event: GameEvent
  /// Which repeat this is, from 1. A refresh has a number above `copies`.
  public var copy: Int
  /// How many repeats the burst has.
  public var copies: Int
  /// How long before this copy's presentation time the event happened.
  public var age: MediaTime
  /// Whether a checksum proves that the copy is undamaged.
  public var isVerified: Bool

  /// The largest age, 24 hours.
  public static let largestAge = MediaTime(seconds: 86_400)

  /// The largest text of a copy that is read, in bytes: twice what the largest tag of one PES packet holds.
  public static let largestText = 131_072

  /// A copy of `event`.
  public init(of event: GameEvent, copy: Int = 1, copies: Int = 1, age: MediaTime = .zero, isVerified: Bool = true) {
    self.event = event
    self.copy = copy
    self.copies = copies
    self.age = age
    self.isVerified = isVerified
  }

  /// When the copy is presented, on the programme's timeline, as the copy itself says; `nil` where its event does not tell its time.
  public var programmeTime: MediaTime? { event.at.map { $0 + age } }

  /// Whether this repeats, for those who come late, an event whose burst is over.
  public var isRefresh: Bool { copy > copies }
}

extension EventCopy {
  /// The copy's JSON: compact, keys in their fixed order, the checksum last, so that equal copies have equal bytes.
  public var text: String {
    var object = JSONObject()
    object.append("eventType", event.type.text)
    object.append("guid", event.guid.text)
    if let game = event.game { object.append("game", game) }
    if let sequence = event.sequence { object.append("sequence", sequence) }
    if let at = event.at { object.append(sixDecimals: at, "at") }
    object.append("copy", copy)
    object.append("copies", copies)
    object.append(sixDecimals: age, "age")
    object.appendAbsent(event.content.object, except: ChecksumSuffix.key)
    object.appendAbsent(event.unknownKeys, except: ChecksumSuffix.key)
    let covered = object.text.dropLast()
    return "\(covered)\(ChecksumSuffix.text(crc: CRC32MPEG2.checksum(String(covered))))"
  }

  /// Reads a copy from its JSON, checking the checksum where there is one.
  ///
  /// - Parameters:
  ///   - text: One JSON object.
  ///   - description: The type of the event where the object has no `eventType`: the description of the ID3 frame.
  /// - Throws: ``EventError/notAnEvent`` where it is a text of another kind, and the other errors where it is an event that cannot be used.
  public init(parsing text: String, description: String) throws(EventError) {
    let claimsToBeAnEvent = EventType.known.contains(EventType(description)) || text.utf8.starts(with: #"{"eventType":"#.utf8)
    let object: JSONObject
    do throws(ParseError) {
      guard let parsed = try JSONValue(parsing: text, limits: JSONLimits(bytes: Self.largestText)).object else {
        throw ParseError(.invalid("no JSON object"), at: 0)
      }
      object = parsed
    } catch {
      throw claimsToBeAnEvent ? .json(error) : .notAnEvent
    }
    guard object["guid"] != nil, object["eventType"] != nil || !description.isEmpty else {
      throw claimsToBeAnEvent ? .missing(key: "guid") : .notAnEvent
    }
    try self.init(object, isVerified: try ChecksumSuffix.verify(text, object), description: description)
  }

  private init(_ object: JSONObject, isVerified: Bool, description: String) throws(EventError) {
    var fields = EventFields(object)
    let type = EventType(try fields.text("eventType") ?? description)
    let guid = try EventFields.require(try fields.guid("guid"), "guid")
    let game = try fields.text("game")
    let sequence = try fields.integer("sequence", atLeast: 1)
    let at = try fields.take("at", "seconds") { $0.number.flatMap { MediaTime(decimalSeconds: $0.text) } }
    copy = try fields.integer("copy", atLeast: 1) ?? 1
    copies = try fields.integer("copies", atLeast: 1) ?? 1
    age = try fields.duration("age", limit: Self.largestAge) ?? .zero
    if isVerified { _ = fields.takeValue(ChecksumSuffix.key) }
    let content = try EventContent(type, from: &fields)
    event = GameEvent(guid: guid, game: game, sequence: sequence, at: at, content: content, unknownKeys: fields.rest)
    self.isVerified = isVerified
  }
}

/// The end of a copy's JSON: `,"crc":"9a3f01bc"}`. The checksum covers everything before its comma.
private enum ChecksumSuffix {
  static let key = "crc"
  private static let length = 18
  private static let checksumLength = 8

  /// Whether an object has our envelope, one of whose keys may be damaged. Other systems do not count copies.
  private static func isEnvelope(_ object: JSONObject) -> Bool {
    ["copy", "copies", "age"].filter { object[$0] != nil }.count >= 2
  }

  static func text(crc: UInt32) -> String {
    let digits = String(crc, radix: 16)
    return ",\"\(key)\":\"\(String(repeating: "0", count: 8 - digits.utf8.count))\(digits)\"}"
  }

  /// Whether the checksum at the end of `text` is right; `false` where there is none.
  ///
  /// A right checksum under another key than `crc` is ours with a damaged key, and so is any text of its length behind the keys of our envelope.
  /// A key `crc` elsewhere than at the end proves nothing.
  static func verify(_ text: String, _ object: JSONObject) throws(EventError) -> Bool {
    let hasKey = object[key] != nil
    guard let last = object.members.last, last.key.utf8.count == key.utf8.count, case .string = last.value, text.utf8.count > length else {
      if hasKey { throw .checksumMismatch }
      return false
    }
    let bytes = Array(text.utf8)
    let covered = CRC32MPEG2.checksum(bytes.span.extracting(..<(bytes.count - length)))
    let isRight = bytes.suffix(length).suffix(12).elementsEqual(self.text(crc: covered).utf8.suffix(12))
    guard hasKey else {
      let hasLength = last.value.string?.utf8.count == checksumLength && bytes.suffix(length).first == UInt8(ascii: ",")
      if isRight || (hasLength && isEnvelope(object)) { throw .checksumMismatch }
      return false
    }
    guard isRight, bytes.suffix(length).elementsEqual(self.text(crc: covered).utf8) else { throw .checksumMismatch }
    return true
  }
}

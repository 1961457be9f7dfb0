public import Basics

/// One copy of an event in a stream: the event, and which repeat of it this is.
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
  /// The signature of the event's author, as the copy states it; `nil` if it is not signed. Only a ``SignatureCheck`` can verify it.
  public var signature: EventSignature?

  /// The largest age, 24 hours.
  public static let largestAge = MediaTime(seconds: 86_400)

  /// The key of an event's identifier in copies that pass through a system that replaces `guid`.
  package static let guidBesideAnother = "eventGuid"

  /// The largest text of a copy that is read, in bytes: twice the capacity of the largest tag in one PES packet.
  public static let largestText = 131_072

  /// A copy of `event`.
  public init(
    of event: GameEvent, copy: Int = 1, copies: Int = 1, age: MediaTime = .zero, isVerified: Bool = true,
    signature: EventSignature? = nil
  ) {
    self.event = event
    self.copy = copy
    self.copies = copies
    self.age = age
    self.isVerified = isVerified
    self.signature = signature
  }

  /// When the copy is presented, on the programme's timeline, as the copy itself states it; `nil` if its event does not state its time.
  public var programmeTime: MediaTime? { event.at.map { $0 + age } }

  /// Whether this copy repeats an event whose burst is over, for viewers who join late.
  public var isRefresh: Bool { copy > copies }
}

extension EventCopy {
  /// The copy's JSON: compact, keys in their fixed order, the checksum last, so that equal copies have equal bytes.
  public var text: String { CopyTemplate(event, signature: signature).text(copy: copy, copies: copies, age: age) }

  /// The copy's JSON in ASCII alone, with all other characters escaped, for systems that damage them. It is the same copy.
  package var asciiText: String { text(escaping: { $0 >= 0x80 }) }

  /// The copy's JSON without dollar signs, which are escaped, for systems that replace variables such as `$t$`. It is the same copy.
  package var dollarlessText: String { text(escaping: { $0 == 0x24 }) }

  /// The copy's JSON with some UTF-16 units of its strings escaped, and the checksum of that. All other characters are as they were.
  private func text(escaping isEscaped: (UInt16) -> Bool) -> String {
    let text = text
    guard text.utf16.contains(where: isEscaped) else { return text }
    let escaped = String(
      decoding: text.utf16.dropLast(ChecksumSuffix.length).flatMap { unit in
        isEscaped(unit) ? Array("\\u\(unit.digits(4, radix: 16, uppercase: false))".utf16) : [unit]
      }, as: UTF16.self
    ).bytes
    return String(decoding: escaped + ChecksumSuffix.text(crc: CRC32MPEG2.checksum(escaped.view)).bytes, as: UTF8.self)
  }

  /// Reads a copy from its JSON, checking the checksum if there is one.
  ///
  /// - Parameters:
  ///   - text: One JSON object.
  ///   - description: The type of the event if the object has no `eventType`: the description of the ID3 frame.
  ///   - isRightlySigned: Checks the signature, which the copy must have; `nil` if signatures are not required.
  /// - Throws: ``EventError/notAnEvent`` if it is a text of another kind, and the other errors if it is an event that cannot be used.
  public init(parsing text: String, description: String, requiring isRightlySigned: SignatureCheck? = nil) throws(EventError) {
    let claimsToBeAnEvent = EventType.known.contains(EventType(description)) || text.hasBytes(first: #"{"eventType":"#)
    let object: JSONObject
    do throws(ParseError) {
      let limits = JSONLimits(bytes: Self.largestText)
      guard let parsed = try JSONValue(parsing: text, limits: limits).object else { throw ParseError(.invalid("no JSON object"), at: 0) }
      object = parsed
    } catch {
      throw claimsToBeAnEvent ? .json(error) : .notAnEvent
    }
    guard object["guid"] != nil, object["eventType"] != nil || !description.isEmpty else {
      throw claimsToBeAnEvent ? .missing(key: "guid") : .notAnEvent
    }
    try self.init(object, isVerified: try ChecksumSuffix.verify(text, object), description: description)
    if let isRightlySigned { try requireSignature(isRightlySigned) }
  }

  private init(_ object: JSONObject, isVerified: Bool, description: String) throws(EventError) {
    var fields = EventFields(object)
    let type = EventType(try fields.text("eventType") ?? description)
    let given = try EventFields.require(try fields.guid("guid"), "guid")
    // Wowza's plugin writes an identifier of its own; the event's identifier is under another key then.
    let guid = try fields.guid(Self.guidBesideAnother) ?? given
    let game = try fields.text("game")
    let sequence = try fields.integer("sequence", atLeast: 1)
    let at = try fields.take("at", "seconds") { $0.number.flatMap { MediaTime(decimalSeconds: $0.text) } }
    copy = try fields.integer("copy", atLeast: 1) ?? 1
    copies = try fields.integer("copies", atLeast: 1) ?? 1
    age = try fields.duration("age", limit: Self.largestAge) ?? .zero
    signature = fields.signature()
    if isVerified { _ = fields.removeValue(ChecksumSuffix.key) }
    let content = try EventContent(type, from: &fields)
    event = GameEvent(guid: guid, game: game, sequence: sequence, at: at, content: content, unknownKeys: fields.rest)
    self.isVerified = isVerified
  }
}

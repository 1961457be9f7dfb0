public import Basics
import ID3

/// Writes the copies of one event: their JSON differs in three numbers and the checksum, and the rest is written once.
public struct CopyTemplate: Sendable {
  /// The event.
  public let event: GameEvent
  /// The JSON up to the copy's number.
  private let head: [UInt8]
  /// The JSON after the age, up to the signature.
  private let contents: [UInt8]
  /// The signature's member of the JSON; empty if there is none.
  private let signature: [UInt8]

  /// A template for the copies of an event.
  public init(_ event: GameEvent, signature: EventSignature? = nil) {
    self.event = event
    var object = JSONObject()
    object.append("eventType", event.type.text)
    object.append("guid", event.guid.text)
    if let game = event.game { object.append("game", game) }
    if let sequence = event.sequence { object.append("sequence", sequence) }
    if let at = event.at { object.append(sixDecimals: at, "at") }
    // The keys are in their fixed order, and none occurs twice.
    let head = object.text.bytes.dropLast() + Self.copyKey.bytes
    let numbers = Self.numbers(copy: 1, copies: 1, age: .zero)
    object.append("copy", 1)
    object.append("copies", 1)
    object.append(sixDecimals: .zero, "age")
    object.appendAbsent(event.content.object, except: Self.keysOfTheEnd)
    object.appendAbsent(event.unknownKeys, except: Self.keysOfTheEnd)
    self.head = head
    self.signature = signature.map { ",\"\(EventSignature.key)\":\"\($0.text)\"".bytes } ?? []
    contents = Array(object.text.bytes.dropFirst(head.count + numbers.utf8.count).dropLast())
  }

  private static let copyKey = #","copy":"#
  /// The keys that follow all others, including an event's unknown keys.
  private static let keysOfTheEnd = [EventSignature.key, ChecksumSuffix.key]

  /// See ``GameEvent/signedBytes``.
  var signedBytes: [UInt8] { head.dropLast(Self.copyKey.utf8.count) + contents + [UInt8(ascii: "}")] }

  /// A copy's JSON: compact, keys in their fixed order, the checksum last, so that equal copies have equal bytes.
  public func text(copy: Int, copies: Int, age: MediaTime) -> String {
    let numbers = Self.numbers(copy: copy, copies: copies, age: age)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(head.count + numbers.utf8.count + contents.count + signature.count + ChecksumSuffix.length)
    bytes += head
    bytes += numbers.bytes
    bytes += contents
    bytes += signature
    bytes += ChecksumSuffix.text(crc: CRC32MPEG2.checksum(bytes.view)).bytes
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes of a copy's ID3v2.4 tag.
  ///
  /// - Throws: ``EventError/tag(_:)`` if the tag would be larger than an ID3 tag can be.
  public func encodedTag(copy: Int, copies: Int, age: MediaTime) throws(EventError) -> [UInt8] {
    let text = text(copy: copy, copies: copies, age: age)
    do throws(ParseError) {
      return try ID3Tag(frames: [.userText(description: event.type.text, value: text)]).encode()
    } catch {
      throw .tag(error)
    }
  }

  private static func numbers(copy: Int, copies: Int, age: MediaTime) -> String {
    "\(copy),\"copies\":\(copies),\"age\":\(age.decimalSeconds)"
  }
}

import Basics
import RTMP

/// Bytes as publishers send them.
enum PublisherBytes {
  /// The handshake of a client.
  static let handshake: [UInt8] = [3] + [UInt8](repeating: 7, count: 1_536) + [UInt8](repeating: 9, count: 1_536)

  static func command(_ name: String, _ transaction: Double, _ values: [AMF0Value], streamID: UInt32 = 0) throws -> RTMPMessage {
    RTMPMessage(
      kind: RTMPMessage.Kind.command, streamID: streamID, payload: try AMF0Value.encode([.string(name), .number(transaction)] + values))
  }

  static func data(_ values: [AMF0Value], kind: UInt8 = RTMPMessage.Kind.data, timestamp: UInt32 = 0) throws -> RTMPMessage {
    RTMPMessage(kind: kind, streamID: 1, timestamp: timestamp, payload: try AMF0Value.encode(values))
  }

  static func media(_ kind: UInt8, _ timestamp: UInt32, _ payload: [UInt8]) -> RTMPMessage {
    RTMPMessage(kind: kind, streamID: 1, timestamp: timestamp, payload: payload)
  }

  static let connect: [AMF0Value] = [
    .object([.init("app", .string("live/")), .init("type", .string("nonprivate")), .init("tcUrl", .string("rtmp://127.0.0.1/live"))])
  ]

  /// What a publisher says until it publishes, as ffmpeg does.
  static func greeting(key: String = "key?x=1") throws -> [RTMPMessage] {
    [
      try command("connect", 1, connect), try command("releaseStream", 2, [.null, .string(key)]),
      try command("FCPublish", 3, [.null, .string(key)]), try command("createStream", 4, [.null]),
      try command("publish", 5, [.null, .string(key), .string("live")], streamID: 1),
    ]
  }

  /// The chunks of messages.
  static func chunks(_ messages: [RTMPMessage], size: Int = 128) throws -> [UInt8] {
    var writer = ChunkWriter()
    writer.chunkSize = size
    var bytes: [UInt8] = []
    for message in messages {
      let id: UInt8 = message.kind == RTMPMessage.Kind.audio ? 4 : message.kind == RTMPMessage.Kind.video ? 6 : 3
      bytes += try writer.chunks(message, on: id)
    }
    return bytes
  }

  // MARK: Media

  static let sequenceSet: [UInt8] = [0x67, 0x64, 0, 0x1F, 0xAC]
  static let pictureSet: [UInt8] = [0x68, 0xEE, 0x3C, 0x80]
  /// An AVCDecoderConfigurationRecord whose lengths have four bytes.
  static let avcConfiguration: [UInt8] = [1, 0x64, 0, 0x1F, 0xFF, 0xE1, 0, 5] + sequenceSet + [1, 0, 4] + pictureSet
  static let avcHeader: [UInt8] = [0x17, 0, 0, 0, 0] + avcConfiguration
  static let aacHeader: [UInt8] = [0xAF, 0, 0x11, 0x90]

  /// A video message of a frame.
  static func frame(_ isKey: Bool, offset: Int = 0, _ units: [[UInt8]]) -> [UInt8] {
    let bits = UInt32(bitPattern: Int32(offset))
    var bytes: [UInt8] = [isKey ? 0x17 : 0x27, 1, UInt8(bits >> 16 & 0xFF), UInt8(bits >> 8 & 0xFF), UInt8(bits & 0xFF)]
    for unit in units { bytes += [0, 0, UInt8(unit.count >> 8), UInt8(unit.count & 0xFF)] + unit }
    return bytes
  }

  static func sound(_ bytes: [UInt8]) -> [UInt8] { [0xAF, 1] + bytes }

  static func metadata(_ codecs: [String]) -> AMF0Value { .array(codecs.map { .init($0, .number(7)) }) }
}

/// Hands bytes over whole, byte by byte, and in two parts of every length.
func inEveryWay<Result: Equatable>(_ bytes: [UInt8], step: Int = 1, _ body: ([[UInt8]]) throws -> Result) rethrows -> [Result] {
  var results = [try body([bytes]), try body(bytes.map { [$0] })]
  for length in stride(from: 1, to: bytes.count, by: step) { results.append(try body([Array(bytes[..<length]), Array(bytes[length...])])) }
  return results
}

import Basics

/// A tag of timed metadata as an SEI message of video: user_data_unregistered (ISO/IEC 14496-10, D.1.7; ISO/IEC 23008-2, D.2.7).
///
/// The message is a UUID, the time of the tag as a signed number of 32 bits, and the tag.
package struct TagMessage: Equatable, Sendable {
  /// When the tag is presented, in 90 kHz ticks after the presentation of the access unit: an event need not coincide with a picture.
  package var delay: Int32
  /// The ID3 tag.
  package var tag: [UInt8]

  /// Identifies the messages.
  package static let uuid: [UInt8] = [
    0xFE, 0xDF, 0xED, 0x37, 0x33, 0xC4, 0x44, 0x66, 0xB9, 0x8F, 0xF5, 0xE8, 0xA0, 0xE4, 0xA7, 0xAE,
  ]

  /// payloadType of user_data_unregistered.
  private static let payloadType: UInt8 = 5
  /// The bit that ends the messages of a NAL unit, and the bits after it.
  private static let end: UInt8 = 0x80

  /// A tag with its delay.
  package init(delay: Int32, tag: [UInt8]) { (self.delay, self.tag) = (delay, tag) }

  // MARK: Writing

  /// A NAL unit with these messages.
  package static func unit(_ messages: [TagMessage], _ codec: NALUnitCodec) -> [UInt8] {
    var writer = ByteWriter(capacity: messages.reduce(16) { $0 + $1.tag.count + 32 })
    for message in messages { message.write(to: &writer) }
    writer.writeUInt8(end)
    return codec.messageHeader + escaped(writer.bytes)
  }

  /// Inserts a byte 3 after two zero bytes wherever three bytes could be taken for a start code (emulation prevention, ISO/IEC 14496-10, 7.4.1).
  private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(bytes.count + bytes.count / 32)
    var zeros = 0
    for byte in bytes {
      if zeros == 2, byte <= 3 {
        escaped.append(3)
        zeros = 0
      }
      escaped.append(byte)
      zeros = byte == 0 ? zeros + 1 : 0
    }
    return escaped
  }

  // MARK: Reading

  /// The tags in a NAL unit of SEI messages. Other messages are skipped, and a message that is cut off ends the search.
  ///
  /// - Parameter unit: The NAL unit with its header, without its start code or length.
  package static func messages(in unit: Span<UInt8>, _ codec: NALUnitCodec) -> [TagMessage] { content(of: unit, codec).tags }

  /// The tags in a NAL unit of SEI messages, and whether there is anything else in it.
  package static func content(of unit: Span<UInt8>, _ codec: NALUnitCodec) -> (tags: [TagMessage], hasOthers: Bool) {
    var messages: [TagMessage] = []
    var hasOthers = false
    let rest = forEachMessage(in: unit, codec) { message, _ in
      if let message { messages.append(message) } else { hasOthers = true }
    }
    return (messages, hasOthers || rest.count > 1)
  }

  /// Calls `body` with each message: its tag, if it has one, and its bytes. Returns the bytes after the last whole message: the one byte that ends the
  /// messages, or a message that is cut off.
  private static func forEachMessage(
    in unit: Span<UInt8>, _ codec: NALUnitCodec, _ body: (TagMessage?, ArraySlice<UInt8>) -> Void
  ) -> ArraySlice<UInt8> {
    var end = 0
    let bytes = forEachPayload(in: unit, codec) { type, payload, bytes in
      body(type == Int(payloadType) ? TagMessage(payload) : nil, bytes)
      end = bytes.endIndex
    }
    return bytes[end...]
  }

  /// Calls `body` with the type, the payload and all bytes of each message. Returns the bytes of all messages, without emulation prevention.
  @discardableResult
  package static func forEachPayload(
    in unit: Span<UInt8>, _ codec: NALUnitCodec, _ body: (Int, Span<UInt8>, ArraySlice<UInt8>) -> Void
  ) -> [UInt8] {
    var bytes = EmulationPrevention.removed(from: unit.extracting(droppingFirst: codec.headerSize))
    // A NAL unit does not end with zero bytes: those belong to the next start code.
    while bytes.last == 0 { bytes.removeLast() }
    var reader = ByteReader(bytes.view)
    var position = 0
    while reader.remaining > 1, let type = readNumber(&reader), let size = readNumber(&reader), size <= reader.remaining,
      let payload = try? reader.readSpan(size)
    {
      body(type, payload, bytes[position..<reader.position])
      position = reader.position
    }
    return bytes
  }

  private init?(_ payload: Span<UInt8>) {
    let fieldsEnd = Self.uuid.count + 4
    guard payload.count > fieldsEnd, payload.starts(with: Self.uuid.view) else { return nil }
    delay = Int32(bitPattern: (Self.uuid.count..<fieldsEnd).reduce(UInt32(0)) { $0 << 8 | UInt32(payload[$1]) })
    tag = [UInt8](copying: payload.extracting(droppingFirst: fieldsEnd))
  }

  /// The coding of types and sizes: 255 for each byte FF, plus the byte after them.
  private static func readNumber(_ reader: inout ByteReader) -> Int? {
    var number = 0
    while let byte = try? reader.readUInt8() {
      number += Int(byte)
      guard byte == 0xFF else { return number }
    }
    return nil
  }
}

// MARK: Editing

extension TagMessage {
  /// A NAL unit of SEI messages with other tags, or without some of them. Messages of others stay as they are, and so does everything from a message
  /// that is cut off.
  ///
  /// - Parameters:
  ///   - unit: The NAL unit with its header, without its start code or length.
  ///   - edit: Returns the tag to write instead of a tag, empty to remove the message, or `nil` to keep it.
  /// - Returns: The NAL unit, empty if no message is left in it; `nil` if all of them stay.
  package static func editing(_ unit: Span<UInt8>, _ codec: NALUnitCodec, _ edit: ([UInt8]) -> [UInt8]?) -> [UInt8]? {
    var edited = ByteWriter(capacity: unit.count)
    var isEdited = false
    let rest = forEachMessage(in: unit, codec) { message, bytes in
      if let message, let tag = edit(message.tag) {
        isEdited = true
        if !tag.isEmpty { TagMessage(delay: message.delay, tag: tag).write(to: &edited) }
      } else {
        edited.write(bytes)
      }
    }
    guard isEdited else { return nil }
    guard rest.count > 1 || !edited.bytes.isEmpty else { return [] }
    edited.write(rest)
    return [UInt8](copying: unit.extracting(first: codec.headerSize)) + escaped(edited.bytes)
  }

  private func write(to writer: inout ByteWriter) {
    let size = Self.uuid.count + 4 + tag.count
    writer.writeUInt8(Self.payloadType)
    writer.fill(0xFF, count: size / 255)
    writer.writeUInt8(UInt8(size % 255))
    writer.write(Self.uuid)
    writer.writeUInt32(UInt32(bitPattern: delay))
    writer.write(tag)
  }
}

import Basics
import ID3

func decode(_ bytes: [UInt8], baseOffset: Int = 0) throws(ParseError) -> ID3Tag { try ID3Tag.decode(bytes.span, baseOffset: baseOffset) }

func encodedLength(_ bytes: [UInt8]) -> Int? { ID3Tag.encodedLength(bytes.span) }

/// The bytes of a tag's header, and the body behind it.
func tagBytes(version: UInt8 = 4, flags: UInt8 = 0, size: Int? = nil, _ body: [UInt8]...) -> [UInt8] {
  let body = body.flatMap(\.self)
  return [UInt8]("ID3".utf8) + [version, 0, flags] + synchsafe(size ?? body.count) + body
}

/// The bytes of a frame of ID3v2.4 or, with `isPlain`, of ID3v2.3.
func frameBytes(_ id: String, flags: UInt16 = 0, isPlain: Bool = false, _ content: [UInt8]...) -> [UInt8] {
  let content = content.flatMap(\.self)
  let size = isPlain ? plain(content.count) : synchsafe(content.count)
  return [UInt8](id.utf8) + size + [UInt8(flags >> 8), UInt8(flags & 0xFF)] + content
}

/// The bytes of a frame of ID3v2.2.
func oldFrameBytes(_ id: String, _ content: [UInt8]) -> [UInt8] {
  [UInt8](id.utf8) + plain(content.count).dropFirst() + content
}

func utf8(_ text: String) -> [UInt8] { [UInt8](text.utf8) }

func synchsafe(_ value: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(value >> $0 & 0x7F) } }

func plain(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) } }

import Basics

/// The end of a copy's JSON: `,"crc":"9a3f01bc"}`. The checksum covers everything before its comma.
enum ChecksumSuffix {
  static let key = "crc"
  /// How many bytes it has.
  static let length = 18
  private static let checksumLength = 8

  /// Whether an object has the envelope that Cuelight writes, with at most one damaged key. Other systems do not number copies.
  private static func isEnvelope(_ object: JSONObject) -> Bool {
    ["copy", "copies", "age"].filter { object[$0] != nil }.count >= 2
  }

  static func text(crc: UInt32) -> String {
    ",\"\(key)\":\"\(crc.digits(8, radix: 16, uppercase: false))\"}"
  }

  /// Whether `bytes` are the end of a text, and the text before them has this checksum.
  static func isRight(_ bytes: Span<UInt8>, _ crc: UInt32) -> Bool {
    guard bytes.count == length else { return false }
    var position = 0
    for byte in #","crc""#.utf8 {
      guard bytes[position] == byte else { return false }
      position += 1
    }
    return endsRight(bytes, crc)
  }

  /// Whether the checksum that follows the key is right, whatever the key is.
  private static func endsRight(_ bytes: Span<UInt8>, _ crc: UInt32) -> Bool {
    guard bytes[6] == UInt8(ascii: ":"), bytes[7] == UInt8(ascii: "\""), bytes[16] == UInt8(ascii: "\""), bytes[17] == UInt8(ascii: "}")
    else {
      return false
    }
    for digit in 0..<checksumLength {
      let value = UInt8(truncatingIfNeeded: crc >> UInt32(28 - 4 * digit)) & 0x0F
      guard bytes[8 + digit] == value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) else { return false }
    }
    return true
  }

  /// Whether the checksum at the end of `text` is right; `false` if there is none.
  ///
  /// The key of the checksum may be damaged, too. So a right checksum under another key of the same length, and a text as long as a checksum after
  /// the envelope that Cuelight writes, mean a damaged copy.
  ///
  /// - Throws: `checksumMismatch` for a damaged copy, and for a key `crc` that is not at the end.
  static func verify(_ text: String, _ object: JSONObject) throws(EventError) -> Bool {
    guard let last = object.members.last, last.key.utf8.count == key.utf8.count, case .string(let value) = last.value,
      text.utf8.count > length
    else {
      if object[key] != nil { throw .checksumMismatch }
      return false
    }
    let (isRight, looksOurs) = text.withBytes { bytes in
      let suffix = bytes.extracting((bytes.count - length)...)
      let crc = CRC32MPEG2.checksum(bytes.extracting(..<(bytes.count - length)))
      let hasLength = value.utf8.count == checksumLength && suffix[0] == UInt8(ascii: ",")
      return (Self.isRight(suffix, crc), endsRight(suffix, crc) || (hasLength && isEnvelope(object)))
    }
    if isRight { return true }
    guard object[key] == nil, !looksOurs else { throw .checksumMismatch }
    return false
  }
}

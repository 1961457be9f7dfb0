import Basics

/// How keys of 32 bytes are written in files and environment variables.
enum KeyText {
  /// How many bytes a key has.
  static let length = 32

  /// The key in a text: 32 bytes, 64 hexadecimal digits, or 32 bytes in base64. A line ending may follow.
  static func key(in whole: [UInt8]) -> [UInt8]? {
    var text = whole[...]
    if text.last == UInt8(ascii: "\n") { text.removeLast() }
    if text.last == UInt8(ascii: "\r") { text.removeLast() }
    let key: [UInt8]? =
      switch text.count {
      // A line ending may be the key's last byte.
      case _ where whole.count == length: whole
      case length: Array(text)
      case 2 * length: [UInt8](hexadecimal: text)
      default: Base64.decode(text)
      }
    return key?.count == length ? key : nil
  }
}

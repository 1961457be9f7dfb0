import Basics

/// Where the picture or the sound of a question is: an address that begins with `https://`, or one that is relative.
///
/// A relative address is a path: `/` and a path, or a path alone. It has neither a protocol, a host, a query nor a fragment, and none of its parts is `.` or
/// `..`, so that it stays in the folder that it is relative to.
public struct MediaAddress: Equatable, Sendable {
  /// The address as it was written.
  public let text: String

  /// The maximum number of bytes.
  public static let largestSize = 300
  private static let scheme = "https://"

  /// An address; `nil` if the text is none, or is too long.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, bytes.count <= Self.largestSize, Self.isClean(bytes) else { return nil }
    guard Self.hasScheme(bytes) ? Self.hasHost(bytes) : Self.isPath(bytes) else { return nil }
    self.text = text
  }

  /// Whether it is relative.
  public var isRelative: Bool { !Self.hasScheme(Array(text.utf8)) }

  /// Whether both are equal, byte by byte.
  public static func == (left: MediaAddress, right: MediaAddress) -> Bool { left.text.hasSameBytes(as: right.text) }

  // The functions go from byte to byte: those of the standard library would enlarge the module for the web.

  private static func hasScheme(_ bytes: [UInt8]) -> Bool {
    var index = 0
    for byte in scheme.utf8 {
      guard index < bytes.count, bytes[index] == byte else { return false }
      index += 1
    }
    return true
  }

  /// Whether a text has no control characters, and none with which an address could end in a page, or look like another one.
  private static func isClean(_ bytes: [UInt8]) -> Bool {
    for index in 0..<bytes.count {
      let second = index + 1 < bytes.count ? bytes[index + 1] : 0
      let third = index + 2 < bytes.count ? bytes[index + 2] : 0
      switch (bytes[index], second) {
      case (0..<0x20, _), (0x22, _), (0x3C, _), (0x3E, _), (0x5C, _), (0x60, _), (0x7F, _), (0xC2, 0x80..<0xA0): return false
      // U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F and U+FEFF.
      case (0xE2, 0x80) where third >= 0x8B && third <= 0x8F || third >= 0xA8 && third <= 0xAE: return false
      case (0xE2, 0x81) where third >= 0xA0 && third <= 0xAF: return false
      case (0xEF, 0xBB) where third == 0xBF: return false
      default: break
      }
    }
    return true
  }

  /// Whether a host follows the scheme, with no user name before it: with a user name, the address of one host may look like that of another.
  private static func hasHost(_ bytes: [UInt8]) -> Bool {
    var (length, isHost) = (0, true)
    for index in scheme.utf8.count..<bytes.count {
      switch bytes[index] {
      case 0x20: return false
      case UInt8(ascii: "@") where isHost: return false
      case UInt8(ascii: ":") where length == 0: return false
      case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): isHost = false
      default: break
      }
      if isHost { length += 1 }
    }
    return length > 0
  }

  /// Whether a text is a path that stays where it is. Browsers read `%2e` as a dot.
  private static func isPath(_ bytes: [UInt8]) -> Bool {
    let slash = UInt8(ascii: "/")
    guard bytes[bytes.count - 1] != slash, bytes.count < 2 || bytes[0] != slash || bytes[1] != slash else { return false }
    var (dots, isOther, index) = (0, false, 0)
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: ":"), UInt8(ascii: "?"), UInt8(ascii: "#"): return false
      case slash:
        guard isOther || dots == 0 || dots > 2 else { return false }
        (dots, isOther) = (0, false)
      case UInt8(ascii: "."): dots += 1
      case UInt8(ascii: "%")
      where index + 2 < bytes.count && bytes[index + 1] == UInt8(ascii: "2") && bytes[index + 2] | 0x20 == UInt8(ascii: "e"):
        dots += 1
        index += 2
      default: isOther = true
      }
      index += 1
    }
    return isOther || dots == 0 || dots > 2
  }
}

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
    guard (1...Self.largestSize).contains(bytes.count), Self.isClean(text) else { return nil }
    self.text = text
    guard !bytes.starts(with: Self.scheme.utf8) else {
      let host = bytes[Self.scheme.utf8.count...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
      // An address of another host may look like one of this host if it has a user's name.
      guard !host.isEmpty, host.first != UInt8(ascii: ":"), !host.contains(UInt8(ascii: "@")), !bytes.contains(0x20) else { return nil }
      return
    }
    let isPath = !bytes.contains { ":?#\\".utf8.contains($0) } && !bytes.starts(with: "//".utf8) && bytes.last != UInt8(ascii: "/")
    guard isPath, !Self.hasDots(bytes) else { return nil }
  }

  /// Whether it is relative.
  public var isRelative: Bool { !text.utf8.starts(with: Self.scheme.utf8) }

  /// Whether both are equal, byte by byte.
  public static func == (left: MediaAddress, right: MediaAddress) -> Bool { left.text.hasSameBytes(as: right.text) }

  /// Whether a text has no control characters, and none with which an address could end in a page.
  private static func isClean(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0..<0x20, 0x22, 0x3C, 0x3E, 0x5C, 0x60, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: false
      default: true
      }
    }
  }

  /// Whether a part of a path is `.` or `..`, also as browsers read `%2e`.
  private static func hasDots(_ path: [UInt8]) -> Bool {
    path.split(separator: UInt8(ascii: "/")).contains { part in
      var dots = 0
      var rest = part
      while !rest.isEmpty {
        if rest.first == UInt8(ascii: ".") {
          rest = rest.dropFirst()
        } else if rest.count > 2, rest.prefix(2).elementsEqual("%2".utf8), [0x65, 0x45].contains(rest[rest.startIndex + 2]) {
          rest = rest.dropFirst(3)
        } else {
          return false
        }
        dots += 1
      }
      return dots == 1 || dots == 2
    }
  }
}

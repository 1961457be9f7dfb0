internal import HLSPlaylist

/// Where a request goes: an http or https URL, taken apart (RFC 9110, 4.2).
struct WebAddress: Equatable {
  /// The URL without its fragment.
  var url: URIReference
  /// Whether it is https.
  var isSecure: Bool
  /// A name, an IPv4 address, or an IPv6 address in brackets.
  var host: String
  var port: UInt16

  /// Takes a URL apart.
  ///
  /// - Throws: `unsupportedScheme` for anything but http and https; `invalidURL` where the host is missing or not ASCII, the port is no number,
  ///   or the URL carries a user's name, which would show up in messages and logs.
  init(_ url: URIReference) throws(NetworkInputError.Reason) {
    let scheme = url.scheme?.lowercased() ?? ""
    guard scheme == "http" || scheme == "https" else { throw .unsupportedScheme(scheme) }
    self.url = url
    self.url.fragment = nil
    isSecure = scheme == "https"
    port = isSecure ? 443 : 80
    let authority = Array((url.authority ?? "").utf8)
    var end = authority.endIndex
    if let colon = authority.lastIndex(of: UInt8(ascii: ":")), !authority[colon...].contains(UInt8(ascii: "]")) {
      let digits = authority[(colon + 1)...]
      if !digits.isEmpty {
        guard let number = Decimal.integer(digits), let port = UInt16(exactly: number), port > 0 else { throw .invalidURL }
        self.port = port
      }
      end = colon
    }
    host = String(decoding: authority[..<end], as: UTF8.self)
    guard Self.isHost(authority[..<end]) else { throw .invalidURL }
  }

  /// Where a redirection leads from here (RFC 9110, 10.2.2).
  func following(_ location: String) throws(NetworkInputError.Reason) -> WebAddress {
    try WebAddress(URIReference(location).resolve(base: url))
  }

  /// The request for the resource, or for a part of it (RFC 9112, 3 and RFC 9110, 14.2).
  func request(for range: ByteRange?) -> [UInt8] {
    let usual: UInt16 = isSecure ? 443 : 80
    var lines = [
      "GET \(target) HTTP/1.1", "Host: \(port == usual ? host : "\(host):\(port)")", "User-Agent: cuelight/0.1", "Accept: */*",
      "Accept-Encoding: identity", "Connection: close",
    ]
    if let range { lines.append("Range: bytes=\(range.offset)-\(range.end - 1)") }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// The path and the query; what may not stand in a request is percent-encoded.
  private var target: String {
    let text = (url.path.utf8.first == UInt8(ascii: "/") ? "" : "/") + url.path + (url.query.map { "?" + $0 } ?? "")
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      if (0x21...0x7e).contains(byte), !"\"<>\\^`{|}".utf8.contains(byte) {
        encoded.append(byte)
      } else {
        let digits = Array("0123456789ABCDEF".utf8)
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Whether it may be a host: registered names are kept to what names of servers consist of.
  private static func isHost(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, let last = bytes.last else { return false }
    if first == UInt8(ascii: "[") {
      return last == UInt8(ascii: "]") && bytes.count > 2
        && bytes.dropFirst().dropLast().allSatisfy { Hexadecimal.digit($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
    }
    return bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      default: "-._".utf8.contains(byte)
      }
    }
  }
}

import Basics

/// A URI reference and its parts, as they are written (RFC 3986, section 4 and appendix B).
///
/// Any text is one: nothing is refused or normalised, and percent-encoding stays as it is.
public struct URIReference: Hashable, Sendable {
  /// The text before the first colon, for example `https`; `nil` for a relative reference.
  public var scheme: String?
  /// Host and port, with the user in front; `nil` if there is no `//`.
  public var authority: String?
  /// The path; it may be empty.
  public var path: String
  /// The text after `?`; `nil` if there is none.
  public var query: String?
  /// The text after `#`; `nil` if there is none.
  public var fragment: String?

  /// Parses a reference.
  public init(_ text: String) {
    var rest = Array(text.utf8)[...]
    if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
      fragment = Self.text(rest[(hash + 1)...])
      rest = rest[..<hash]
    }
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = Self.text(rest[(mark + 1)...])
      rest = rest[..<mark]
    }
    if let colon = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
      scheme = Self.text(rest[..<colon])
      rest = rest[(colon + 1)...]
    }
    if rest.starts(with: "//".utf8) {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      authority = Self.text(rest[..<end])
      rest = rest[end...]
    }
    path = Self.text(rest)
  }

  /// The reference as text (5.3).
  public var text: String {
    var text = ""
    if let scheme { text += scheme + ":" }
    if let authority { text += "//" + authority }
    text += path
    if let query { text += "?" + query }
    if let fragment { text += "#" + fragment }
    return text
  }

  /// Scheme, host and port, for example `https://live.example:8443`, without a user in front; `nil` if one of them is missing.
  package var origin: String? {
    guard let scheme, let authority else { return nil }
    let bytes = Array(authority.utf8)
    let host = bytes.lastIndex(of: UInt8(ascii: "@")).map { bytes[($0 + 1)...] } ?? bytes[...]
    return scheme + "://" + Self.text(host)
  }

  /// The target of this reference in a resource at `base` (5.2.2, strict).
  ///
  /// A base without a scheme is accepted and gives a reference without one, which is how playlists in a folder are resolved.
  public func resolve(base: URIReference) -> URIReference {
    var target = self
    if scheme != nil || authority != nil {
      if scheme == nil { target.scheme = base.scheme }
      target.path = Self.removingDotSegments(path)
      return target
    }
    target.scheme = base.scheme
    target.authority = base.authority
    if path.isEmpty {
      target.path = base.path
      if query == nil { target.query = base.query }
    } else if path.utf8.first == UInt8(ascii: "/") {
      target.path = Self.removingDotSegments(path)
    } else {
      let merged = base.merged(with: path)
      let isRelative = base.scheme == nil && base.authority == nil && merged.utf8.first != UInt8(ascii: "/")
      target.path = isRelative ? Self.shorteningRelativePath(merged) : Self.removingDotSegments(merged)
    }
    return target
  }

  /// A relative path without `.`, and with `..` only at its start: there it leads out of the base, and must be kept.
  private static func shorteningRelativePath(_ path: String) -> String {
    let slash = UInt8(ascii: "/")
    var output: [ArraySlice<UInt8>] = []
    let parts = Array(path.utf8).split(separator: slash, omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if part.elementsEqual("..".utf8), let last = output.last, !last.elementsEqual("..".utf8) {
        output.removeLast()
      } else if !part.elementsEqual(".".utf8) {
        output.append(part)
        continue
      }
      // A path that ends in a folder keeps its final slash.
      if index == parts.count - 1 { output.append([]) }
    }
    return text(Array(output.joined(separator: [slash]))[...])
  }

  /// A relative path appended to the folder of this path (5.2.3).
  private func merged(with relative: String) -> String {
    if authority != nil && path.isEmpty { return "/" + relative }
    let bytes = Array(path.utf8)
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return relative }
    return Self.text(bytes[...slash]) + relative
  }

  /// The path without its `.` and `..` (5.2.4).
  static func removingDotSegments(_ path: String) -> String {
    var input = Array(path.utf8)[...]
    var output: [UInt8] = []
    while !input.isEmpty {
      if input.starts(with: "../".utf8) {
        input = input.dropFirst(3)
      } else if input.starts(with: "./".utf8) || input.starts(with: "/./".utf8) {
        input = input.dropFirst(2)
      } else if input.elementsEqual("/.".utf8) {
        output.append(UInt8(ascii: "/"))
        input = []
      } else if input.starts(with: "/../".utf8) || input.elementsEqual("/..".utf8) {
        let last = output.lastIndex(of: UInt8(ascii: "/")) ?? 0
        output.removeSubrange(last...)
        let isLast = input.count == 3
        input = input.dropFirst(3)
        if isLast { output.append(UInt8(ascii: "/")) }
      } else if input.elementsEqual(".".utf8) || input.elementsEqual("..".utf8) {
        input = []
      } else {
        let end = input.dropFirst().firstIndex(of: UInt8(ascii: "/")) ?? input.endIndex
        output += input[..<end]
        input = input[end...]
      }
    }
    return text(output[...])
  }

  private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, first.isASCIILetter else { return false }
    return bytes.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
  }

  static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

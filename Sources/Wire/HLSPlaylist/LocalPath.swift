import Basics

// References between files of one folder: what a playlist on disk may name, and how its writer names it.

extension URIReference {
  /// The file that the reference names, as a path relative to the playlist's folder, percent-decoded and without dots; `nil` if it is not
  /// certain that the file lies in that folder or below.
  ///
  /// It is `nil` for a scheme, an authority, an absolute path, an empty path segment, and a `..` that leads out of the folder. It is `nil`, too,
  /// if a path segment becomes `.` or `..` only by decoding, or then contains a slash, a backslash, a control character, or text that is not UTF-8.
  /// A query and a fragment are ignored. Symbolic links are not resolved; the caller must do that.
  package var pathWithinFolder: String? {
    guard scheme == nil, authority == nil, !path.isEmpty else { return nil }
    var parts: [[UInt8]] = []
    let segments = Array(path.utf8).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard let last = segments.last, !last.isEmpty, !Self.isDots(last) else { return nil }
    for segment in segments {
      switch segment.count {
      // An empty first segment is the root; elsewhere it is a doubled slash, which servers and file systems interpret differently.
      case 0: return nil
      case 1 where Self.isDots(segment): continue
      case 2 where Self.isDots(segment):
        guard parts.popLast() != nil else { return nil }
      default:
        guard let part = Self.decoded(segment) else { return nil }
        parts.append(part)
      }
    }
    return Self.text(Array(parts.joined(separator: "/".utf8))[...])
  }

  /// The same for a folder whose path from the root ends with these names: a `..` that leads out of the folder and back into it by its own name is
  /// accepted.
  package func pathWithinFolder(named names: [String]) -> String? {
    if let path = pathWithinFolder { return path }
    var rest = Array(path.utf8).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)[...]
    let steps = rest.prefix { $0.elementsEqual("..".utf8) }.count
    guard scheme == nil, authority == nil, steps > 0, steps <= names.count else { return nil }
    rest = rest.dropFirst(steps)
    for name in names.suffix(steps) {
      guard let segment = rest.popFirst(), let part = Self.decoded(segment), part.elementsEqual(name.utf8) else { return nil }
    }
    var inside = URIReference("")
    inside.path = Self.text(Array(rest.joined(separator: [UInt8(ascii: "/")]))[...])
    return inside.pathWithinFolder
  }

  /// The reference to a file at a path relative to the playlist's folder: everything that a URI's path cannot contain is percent-encoded.
  package init(relativePath: String) {
    var encoded = PercentEncoding.encode(relativePath, keeping: "-._~!$&'()*+,;=:@/")
    // A colon in the first path segment would make it a scheme (RFC 3986, 4.2).
    if encoded.prefix(while: { $0 != UInt8(ascii: "/") }).contains(UInt8(ascii: ":")) { encoded.insert(contentsOf: "./".utf8, at: 0) }
    self.init("")
    path = Self.text(encoded[...])
  }

  private static func isDots(_ bytes: some Collection<UInt8>) -> Bool {
    (bytes.count == 1 || bytes.count == 2) && bytes.allSatisfy { $0 == UInt8(ascii: ".") }
  }

  /// A path segment, percent-decoded; `nil` if the result is not a file name. A `%` without two digits is an ordinary character.
  private static func decoded(_ segment: ArraySlice<UInt8>) -> [UInt8]? {
    let result = PercentEncoding.decode(segment)
    let isName = !isDots(result) && !result.contains { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    return isName && result.view.firstIllFormedOffset == nil ? result : nil
  }
}

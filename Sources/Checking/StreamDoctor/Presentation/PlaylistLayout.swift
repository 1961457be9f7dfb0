import Basics

/// The lines in which the tags of a playlist are, from 1.
struct PlaylistLayout: Sendable {
  private var lines: [String: [Int]] = [:]
  /// Whether the text begins with a byte order mark.
  let hasByteOrderMark: Bool

  /// Reads a playlist.
  init(_ bytes: Span<UInt8>) {
    hasByteOrderMark = bytes.count > 2 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    let text = [UInt8](copying: bytes).split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in text.enumerated() where line.first == UInt8(ascii: "#") {
      let name = line.prefix { $0 != UInt8(ascii: ":") && $0 != 0x0D }
      lines[String(decoding: name, as: UTF8.self), default: []].append(index + 1)
    }
  }

  /// The line of a tag, such as `#EXTINF`, by the number of equal tags before it; `nil` if there is none.
  func line(_ tag: String, _ index: Int = 0) -> Int? {
    guard let found = lines[tag], found.indices.contains(index) else { return nil }
    return found[index]
  }
}

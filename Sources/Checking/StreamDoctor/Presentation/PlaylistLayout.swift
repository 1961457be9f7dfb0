/// Where the tags of a playlist stand: their lines, from 1.
struct PlaylistLayout: Sendable {
  private var lines: [String: [Int]] = [:]
  /// The lines with URIs.
  private(set) var uris: [Int] = []

  /// Looks through a playlist.
  init(_ bytes: Span<UInt8>) {
    var number = 0
    var line: [UInt8] = []
    func take(_ line: [UInt8], _ number: Int, _ layout: inout PlaylistLayout) {
      guard let first = line.first(where: { $0 != 0x20 && $0 != 0x0D }) else { return }
      guard first == UInt8(ascii: "#") else { return layout.uris.append(number) }
      let name = line.prefix { $0 != UInt8(ascii: ":") && $0 != 0x0D }
      layout.lines[String(decoding: name, as: UTF8.self), default: []].append(number)
    }
    for index in bytes.indices {
      guard bytes[index] == 0x0A else {
        line.append(bytes[index])
        continue
      }
      number += 1
      take(line, number, &self)
      line = []
    }
    take(line, number + 1, &self)
  }

  /// The line of a tag, such as `#EXTINF`, by how many are in front of it; `nil` where there is none.
  func line(_ tag: String, _ index: Int = 0) -> Int? {
    guard let found = lines[tag], found.indices.contains(index) else { return nil }
    return found[index]
  }
}

import Basics

/// A media playlist as an origin gets it that serves files and nothing else: it cannot let clients wait, nor leave out what they know.
enum PushedPlaylist {
  /// The playlist with segments and parts as gaps that the origin does not have, and without what its server would have to do for clients.
  ///
  /// - Parameter lost: The names of files that the origin does not have.
  static func bytes(of playlist: [UInt8], without lost: Set<String>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(playlist.count)
    for line in String(decoding: playlist, as: UTF8.self).split(separator: "\n") {
      if let line = pushed(line, lost) { bytes += "\(line)\n".utf8 }
    }
    return bytes
  }

  private static func pushed(_ line: Substring, _ lost: Set<String>) -> String? {
    guard line.first == "#" else { return lost.contains(String(line)) ? "#EXT-X-GAP\n\(line)" : String(line) }
    if line.hasPrefix(hint) || line.hasPrefix(report) { return nil }
    if line.hasPrefix(control) {
      let kept = line.dropFirst(control.count).split(separator: ",").filter {
        $0.hasPrefix("HOLD-BACK=") || $0.hasPrefix("PART-HOLD-BACK=")
      }
      return kept.isEmpty ? nil : control + kept.joined(separator: ",")
    }
    guard line.hasPrefix(part), !lost.isEmpty, !line.hasSuffix(",GAP=YES"), let name = line.split(separator: "\"").dropFirst().first,
      lost.contains(String(name))
    else { return String(line) }
    return "\(line),GAP=YES"
  }

  private static let (control, hint) = ("#EXT-X-SERVER-CONTROL:", "#EXT-X-PRELOAD-HINT:")
  private static let (report, part) = ("#EXT-X-RENDITION-REPORT:", "#EXT-X-PART:")
}

import Basics
import HLSPlaylist

/// The playlists that list the same segments as an MPD, so that whatever reads HLS reads it.
package struct ManifestPlaylists: Equatable, Sendable {
  /// The multivariant playlist.
  package var multivariant: [UInt8]
  /// The media playlists, by the fragments of their URIs: `show.mpd#v1` is `v1`.
  package var media: [String: [UInt8]] = [:]
  /// The event streams that are announced for each of them, by the URIs in the multivariant playlist.
  package var inband: [String: [Manifest.EventStream]] = [:]
}

extension Manifest {
  /// The playlists of the snapshot. Its periods follow each other with discontinuities.
  ///
  /// - Parameter name: The MPD's own name, which the URIs of its playlists begin with.
  package func playlists(name: String) -> ManifestPlaylists {
    var result = ManifestPlaylists(multivariant: [])
    var (variants, renditions) = ("", "")
    let sets = periods.first?.indices.map { $0 } ?? []
    let hasVideo = periods.contains { $0.contains { $0.contains { $0.content == "video" } } }
    let hasSound = periods.contains { $0.contains { $0.contains { $0.content == "audio" } } }
    var ids: Set<String> = []
    for set in sets {
      for (index, first) in (periods.first?[set] ?? []).enumerated() {
        let stretches = periods.compactMap { $0.indices.contains(set) ? Self.continuation(of: first, at: index, in: $0[set]) : nil }
        guard stretches.contains(where: { !$0.segments.isEmpty }) else { continue }
        var id = Self.plain(first.id.isEmpty ? "\(first.content)-\(set + 1)-\(index + 1)" : first.id)
        while !ids.insert(id).inserted { id += "-2" }
        let uri = "\(name)#\(id)"
        result.media[id] = Array(Self.mediaPlaylist(stretches).utf8)
        result.inband[uri] = Array(Set(stretches.flatMap(\.inband))).sorted { ($0.scheme, $0.value) < ($1.scheme, $1.value) }
        if first.content == "video" || (first.content == "audio" && !hasVideo) {
          variants += Self.variant(first, hasAudioGroup: hasVideo && hasSound) + uri + "\n"
        } else {
          renditions += Self.rendition(first, id: id, uri: uri)
        }
      }
    }
    result.multivariant = Array("#EXTM3U\n\(renditions)\(variants)".utf8)
    return result
  }

  /// The representation of a later period that continues one: that with its id, or at its place.
  private static func continuation(of first: Representation, at index: Int, in set: [Representation]) -> Representation? {
    set.first { !first.id.isEmpty && $0.id == first.id } ?? (set.indices.contains(index) ? set[index] : set.last)
  }

  private static func variant(_ first: Representation, hasAudioGroup: Bool) -> String {
    var attributes = ["BANDWIDTH=\(max(first.bandwidth, 1))"]
    if let codecs = first.codecs { attributes.append("CODECS=\"\(quotable(codecs))\"") }
    if let size = first.size { attributes.append("RESOLUTION=\(max(size.width, 0))x\(max(size.height, 0))") }
    if hasAudioGroup { attributes.append("AUDIO=\"audio\"") }
    return "#EXT-X-STREAM-INF:\(attributes.joined(separator: ","))\n"
  }

  private static func rendition(_ first: Representation, id: String, uri: String) -> String {
    let type = first.content == "audio" ? "AUDIO" : "SUBTITLES"
    let group = first.content == "audio" ? "audio" : "other"
    let language = first.language.map { ",LANGUAGE=\"\(quotable($0))\"" } ?? ""
    return "#EXT-X-MEDIA:TYPE=\(type),GROUP-ID=\"\(group)\",NAME=\"\(id)\"\(language),URI=\"\(uri)\"\n"
  }

  private static func mediaPlaylist(_ stretches: [Representation]) -> String {
    let longest = stretches.flatMap(\.segments).map(\.duration).max() ?? .zero
    var text = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:\(max(1, (longest.ticks + 89_999) / 90_000))\n"
    var initialization: Location?
    for (index, stretch) in stretches.enumerated() where !stretch.segments.isEmpty {
      if index > 0, !text.hasSuffix("#EXT-X-DISCONTINUITY\n"), text.contains("#EXTINF") { text += "#EXT-X-DISCONTINUITY\n" }
      if let first = stretch.initialization, first != initialization {
        let range = first.range.map { ",BYTERANGE=\"\($0.text)\"" } ?? ""
        text += "#EXT-X-MAP:URI=\"\(quotable(first.uri))\"\(range)\n"
        initialization = first
      }
      for segment in stretch.segments {
        text += "#EXTINF:\(segment.duration.shortestDecimalSeconds),\n"
        if let range = segment.location.range { text += "#EXT-X-BYTERANGE:\(range.text)\n" }
        text += quotable(segment.location.uri) + "\n"
      }
    }
    return text + "#EXT-X-ENDLIST\n"
  }

  /// A text for an attribute in quotation marks or a line: characters that it cannot have are percent-encoded.
  private static func quotable(_ text: String) -> String {
    var output = ""
    for scalar in text.unicodeScalars {
      let needsCode = scalar.value < 0x20 || scalar.value == 0x7F || scalar == "\"" || (scalar == "#" && output.isEmpty)
      output += needsCode ? "%" + scalar.value.digits(2, radix: 16) : String(scalar)
    }
    return output
  }

  /// An id with letters, digits, hyphens, underscores and dots alone.
  private static func plain(_ id: String) -> String {
    String(id.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "_" })
  }
}

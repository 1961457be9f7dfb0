import Basics

/// A resource that a playlist names.
package struct PlaylistReference: Equatable, Sendable {
  /// What it is for the playlist.
  package enum Role: Equatable, Sendable {
    /// The playlist of a variant, of I-frames or of a rendition.
    case playlist
    /// A segment.
    case segment
    /// An initialization segment.
    case initializationSegment
    /// A key.
    case key
    /// A partial segment (RFC 8216bis, 4.4.4.9).
    case part
    /// A resource that is about to exist (4.4.5.3).
    case hint
    /// Anything else: session data, a steering manifest, a list of assets, the playlist in a rendition report, what a tag of others names.
    case companion
  }

  /// Its URI, relative to the playlist.
  package var uri: String
  /// What it is for the playlist.
  package var role: Role
  /// Whether only some bytes of it are named.
  package var isPartOfFile = false

  init(_ uri: String, _ role: Role, isPartOfFile: Bool = false) { (self.uri, self.role, self.isPartOfFile) = (uri, role, isPartOfFile) }
}

extension Playlist {
  /// Everything that the playlist names, in its order. A resource may occur several times.
  package var references: [PlaylistReference] {
    switch self {
    case .media(let playlist): playlist.references
    case .multivariant(let playlist): playlist.references
    }
  }

  /// The URIs of everything that the playlist names, in its order. A URI may occur several times.
  package var uris: [String] { references.map { $0.uri } }
}

extension MediaPlaylist {
  fileprivate var references: [PlaylistReference] {
    var found = unknownTags.flatMap { PlaylistReference.all(in: $0, variables) }
    for segment in segments {
      found += segment.unknownTags.flatMap { PlaylistReference.all(in: $0, variables) }
      found += PlaylistReference.assets(of: segment.dateRanges)
      let map = segment.initializationSegment
      found += (segment.keys + (map?.keys ?? [])).map { PlaylistReference($0.uri, .key) }
      if let map { found.append(PlaylistReference(map.uri, .initializationSegment, isPartOfFile: map.byteRange != nil)) }
      found.append(PlaylistReference(segment.uri, .segment, isPartOfFile: segment.byteRange != nil))
    }
    return found + PlaylistReference.assets(of: dateRanges) + trailingTags.flatMap { PlaylistReference.all(in: $0, variables) }
  }
}

extension MultivariantPlaylist {
  fileprivate var references: [PlaylistReference] {
    let playlists = renditions.compactMap { $0.uri } + (variants + iFrameVariants).map { $0.uri }
    return playlists.map { PlaylistReference($0, .playlist) } + sessionKeys.map { PlaylistReference($0.uri, .key) }
      + sessionData.compactMap { $0["URI"].map { PlaylistReference($0.text, .companion) } }
      + unknownTags.flatMap { PlaylistReference.all(in: $0, variables) }
  }
}

extension PlaylistReference {
  /// The attributes of interstitials that name a playlist or a list of them (RFC 8216bis, D.2).
  private static let assetAttributes = ["X-ASSET-URI", "X-ASSET-LIST"]

  fileprivate static func assets(of ranges: [DateRange]) -> [PlaylistReference] {
    ranges.flatMap { range in assetAttributes.compactMap { range.attributes[$0].map { PlaylistReference($0.text, .companion) } } }
  }

  /// What a whole tag names that is kept as text: the quoted values of attributes whose names end in URI.
  fileprivate static func all(in tag: String, _ variables: [PlaylistVariable]) -> [PlaylistReference] {
    let line = PlaylistLine(number: 1, bytes: Array(tag.utf8))
    var slips: SlipLog? = SlipLog()
    let start = line.valueStart
    guard start < line.bytes.count,
      let placed = try? PlacedAttribute.parse(line, from: start, limit: PlaylistLimits.standard.attributes, slips: &slips)
    else { return [] }
    let isPart = placed.contains { $0.attribute.name.utf8.starts(with: "BYTERANGE".utf8) }
    let role = role(of: line.bytes[..<max(start - 1, 0)])
    return placed.compactMap { attribute in
      guard attribute.attribute.name.utf8.suffix(3).elementsEqual("URI".utf8), let text = attribute.attribute.value.quotedText,
        !text.isEmpty
      else { return nil }
      return PlaylistReference(substituting(variables, in: text), role, isPartOfFile: isPart)
    }
  }

  private static func role(of name: ArraySlice<UInt8>) -> Role {
    if name.elementsEqual("#EXT-X-PART".utf8) { return .part }
    if name.elementsEqual("#EXT-X-PRELOAD-HINT".utf8) { return .hint }
    if name.elementsEqual("#EXT-X-MAP".utf8) { return .initializationSegment }
    return name.elementsEqual("#EXT-X-KEY".utf8) ? .key : .companion
  }

  /// A text with the variables that it refers to. One that is not defined stays as it is.
  private static func substituting(_ variables: [PlaylistVariable], in text: String) -> String {
    var rest = Array(text.utf8)[...]
    var result: [UInt8] = []
    while let reference = PlaylistVariable.firstReference(in: rest) {
      let variable = variables.first { $0.name.hasSameBytes(as: reference.name) }
      result += rest[..<reference.range.lowerBound]
      result += variable.map { Array($0.value.utf8) } ?? Array(rest[reference.range])
      rest = rest[reference.range.upperBound...]
    }
    return String(decoding: result + rest, as: UTF8.self)
  }
}

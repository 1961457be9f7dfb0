/// A multivariant playlist, also called master playlist: the variants and renditions of one presentation (RFC 8216bis, 4.4.6).
///
/// Tags of one kind keep their order; tags that are not understood are kept as text. Comments and blank lines are not kept.
package struct MultivariantPlaylist: Equatable, Sendable {
  /// The version that the playlist states. The writer raises it to `requiredVersion`.
  package var version: Int?
  /// Whether every segment of every media playlist can be decoded without another.
  package var hasIndependentSegments = false
  /// Where a player should start.
  package var start: StartPoint?
  /// The variables that are defined, with their values. References to them are replaced already. Media playlists may import them.
  package var variables: [PlaylistVariable] = []
  /// Tags that are not understood, whole and in their order.
  package var unknownTags: [String] = []
  /// The alternative renditions.
  package var renditions: [Rendition] = []
  /// The variants; the first one is played first.
  package var variants: [Variant]
  /// The variants of I-frames.
  package var iFrameVariants: [Variant] = []
  /// The attributes of each EXT-X-SESSION-DATA (4.4.6.4).
  package var sessionData: [AttributeList] = []
  /// The keys that a client may load early (4.4.6.5).
  package var sessionKeys: [EncryptionKey] = []
  /// Mistakes in the text that the reader tolerated. They are not written again.
  package var slips: [PlaylistSlip] = []

  /// A playlist of variants, with defaults for everything else.
  package init(variants: [Variant]) { self.variants = variants }

  /// The lowest EXT-X-VERSION that the content of the playlist needs (RFC 8216bis, section 8).
  package var requiredVersion: Int {
    if !variables.isEmpty { return 8 }
    return renditions.contains { $0.inStreamID?.utf8.starts(with: "SERVICE".utf8) == true } ? 7 : 1
  }
}

extension MultivariantPlaylist {
  /// Reads a multivariant playlist.
  ///
  /// - Parameters:
  ///   - bytes: The text, UTF-8, from `#EXTM3U` on.
  ///   - query: The query of the playlist's address, for EXT-X-DEFINE with QUERYPARAM.
  ///   - limits: How much is accepted.
  /// - Throws: `PlaylistError` with the line that cannot be read.
  package init(_ bytes: Span<UInt8>, query: String? = nil, limits: PlaylistLimits = .standard) throws(PlaylistError) {
    var lines = try PlaylistLines(bytes, limits: limits)
    var scope = VariableScope(importing: nil, query: query, limits: limits)
    self.init(variants: [])
    scope.slips.add(of: lines)
    /// The variant whose URI comes next, and its line.
    var pending: (variant: Variant, line: PlaylistLine)?
    while let line = try lines.next() {
      scope.slips.add(encodingOf: line)
      if !line.isTag {
        guard var variant = pending?.variant else { throw line.error(.missing("#EXT-X-STREAM-INF before the URI")) }
        variant.uri = try line.uri(variables: &scope)
        variants.append(variant)
        pending = nil
      } else if let tag = line.tag {
        guard try line.mayOccur(tag, in: .multivariant, slips: &scope.slips) else { continue }
        guard tag.scope == .anyPlaylist || count < limits.variants else {
          throw line.error(.aboveLimit(what: "number of variants and renditions", limit: limits.variants))
        }
        if tag == .streamInformation {
          if let pending { throw pending.line.error(.missing("the URI after #EXT-X-STREAM-INF")) }
          pending = (try Variant(line, variables: &scope), line)
        } else {
          try take(tag, line, variables: &scope)
        }
      } else {
        unknownTags.append(line.text)
      }
    }
    if let pending { throw pending.line.error(.missing("the URI after #EXT-X-STREAM-INF")) }
    guard count > 0 else { throw PlaylistError(.missing(PlaylistTag.streamInformation.text), line: lines.number) }
    variables = scope.variables
    slips = scope.slips.slips
  }

  /// How many variants, renditions, session data and session keys it lists.
  private var count: Int { variants.count + renditions.count + iFrameVariants.count + sessionData.count + sessionKeys.count }

  /// Reads a tag. An unneeded tag that cannot be read is left out.
  private mutating func take(_ tag: PlaylistTag, _ line: PlaylistLine, variables: inout VariableScope) throws(PlaylistError) {
    if tag == .define { return try variables.define(line) }
    do throws(PlaylistError) {
      switch tag {
      case .header: throw line.error(.repeated(tag.text))
      case .version:
        guard version == nil else { throw line.error(.repeated(tag.text)) }
        version = try line.version()
      case .start:
        guard start == nil else { throw line.error(.repeated(tag.text)) }
        start = try StartPoint(line, variables: &variables)
      case .independentSegments: hasIndependentSegments = true
      case .media: renditions.append(try Rendition(line, variables: &variables))
      case .iFrameStreamInformation: iFrameVariants.append(try Variant(line, isIFrames: true, variables: &variables))
      case .sessionData:
        let data = try AttributeReader(line, variables: &variables).finish(&variables)
        guard !data.attributes.isEmpty else { throw line.error(.missing("DATA-ID")) }
        sessionData.append(data)
      case .sessionKey:
        guard let key = try EncryptionKey(line, variables: &variables) else { throw line.error(.invalid("METHOD=NONE is no session key")) }
        sessionKeys.append(key)
      default: break
      }
    } catch {
      try variables.slips.ignore(line, error)
    }
  }

  /// The playlist as text, equal for equal playlists.
  ///
  /// EXT-X-VERSION is the larger of `version` and `requiredVersion`, and left out if it would be 1 and is not stated.
  /// - Throws: `PlaylistError` with the line that cannot be written, because it would not be read back unchanged.
  package func encode() throws(PlaylistError) -> [UInt8] {
    var writer = try PlaylistWriter(version: version, required: requiredVersion, variables: variables)
    writer.flag(.independentSegments, hasIndependentSegments)
    if let start { try writer.tag(.start, start.attributeList) }
    try writer.kept(unknownTags) { _ in true }
    for data in sessionData { try writer.tag(.sessionData, data) }
    for key in sessionKeys { try writer.tag(.sessionKey, key.attributeList) }
    for rendition in renditions { try writer.tag(.media, rendition.attributeList) }
    for variant in variants {
      try writer.tag(.streamInformation, variant.attributeList)
      try writer.uri(variant.uri)
    }
    for variant in iFrameVariants {
      var list = variant.attributeList
      list.add("URI", quoted: variant.uri)
      try writer.tag(.iFrameStreamInformation, list)
    }
    return writer.bytes
  }
}

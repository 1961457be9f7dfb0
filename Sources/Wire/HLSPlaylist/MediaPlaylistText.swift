import Basics

// Reading and writing a media playlist as text.

extension MediaPlaylist {
  /// Reads a media playlist.
  ///
  /// - Parameters:
  ///   - bytes: The text, UTF-8, from `#EXTM3U` on.
  ///   - variables: Those of the multivariant playlist, for EXT-X-DEFINE with IMPORT.
  ///   - query: The query of the playlist's address, for EXT-X-DEFINE with QUERYPARAM.
  ///   - limits: How much is accepted.
  ///   - previous: The playlist as it was loaded before, which a delta update completes; `nil` if delta updates are refused.
  /// - Throws: `PlaylistError` with the line that cannot be read. For a tag that is missing in the whole text, it is the last line.
  package init(
    _ bytes: Span<UInt8>, importing variables: [PlaylistVariable] = [], query: String? = nil, limits: PlaylistLimits = .standard,
    updating previous: MediaPlaylist? = nil
  ) throws(PlaylistError) {
    var lines = try PlaylistLines(bytes, limits: limits)
    var reader = MediaPlaylistReader(
      variables: VariableScope(importing: variables, query: query, limits: limits), updating: previous)
    reader.variables.slips.add(of: lines)
    while let line = try lines.next() { try reader.take(line) }
    self = try reader.finish(lastLine: lines.number)
  }

  /// The playlist as text, equal for equal playlists.
  ///
  /// EXT-X-VERSION is the larger of `version` and `requiredVersion`, and left out if it would be 1 and is not stated. Byte ranges have their
  /// offsets.
  ///
  /// - Parameter delta: What a delta update leaves out; `nil` for the whole playlist.
  /// - Throws: `PlaylistError` with the line that cannot be written: text that would not be read back unchanged, or a too long segment.
  package func encode(skipping delta: PlaylistDelta? = nil) throws(PlaylistError) -> [UInt8] {
    var writer = try PlaylistWriter(
      version: version, required: max(requiredVersion, delta?.requiredVersion ?? 1), variables: variables)
    writer.tag(.targetDuration, String(targetDuration))
    writer.tag(.mediaSequence, String(mediaSequence))
    if discontinuitySequence > 0 { writer.tag(.discontinuitySequence, String(discontinuitySequence)) }
    if let playlistType { writer.tag(.playlistType, playlistType.rawValue) }
    writer.flag(.independentSegments, hasIndependentSegments)
    writer.flag(.iFramesOnly, isIFramesOnly)
    if let start { try writer.tag(.start, start.attributeList) }
    try writer.kept(unknownTags) { _ in true }
    if let delta {
      try writer.tag(.skip, delta.attributeList(of: self))
      // The date ranges of segments that are left out are the whole playlist's.
      for range in segments.prefix(delta.segments).flatMap({ $0.dateRanges }) where !delta.omits(range) {
        try writer.tag(.dateRange, range.attributeList)
      }
    }
    var scope = SegmentScope()
    for index in segments.indices.dropFirst(delta?.segments ?? 0) {
      guard segments[index].duration.rounded <= targetDuration else {
        throw writer.error(.invalid("a segment longer than the target duration"))
      }
      var segment = segments[index]
      if let delta { segment.dateRanges.removeAll { delta.omits($0) } }
      try segment.write(to: &writer, after: &scope, isFirst: index == segments.startIndex)
    }
    for range in dateRanges where delta.map({ !$0.omits(range) }) ?? true { try writer.tag(.dateRange, range.attributeList) }
    try writer.kept(trailingTags) { $0.scope != .mediaSegment || $0 == .segmentDuration || $0 == .dateRange }
    writer.flag(.endList, isEnded)
    return writer.bytes
  }
}

/// Assembles a media playlist from its lines.
private struct MediaPlaylistReader {
  /// The tags before the next segment's URI.
  struct Pending {
    var segment = MediaSegment(uri: "", duration: .zero)
    var duration: PlaylistLine?
    var byteRange: PlaylistLine?
    /// The tags as they are written, in case no segment follows.
    var lines: [PlaylistLine] = []
  }

  private var playlist = MediaPlaylist(targetDuration: 0)
  var variables: VariableScope
  private var scope = SegmentScope()
  private var pending = Pending()
  /// The tags that have occurred and may not be repeated.
  private var seen: [PlaylistTag] = []

  /// The playlist that a delta update completes.
  private let previous: MediaPlaylist?
  /// What the delta update leaves out; `nil` if the playlist is whole.
  private var update: PlaylistUpdate?

  init(variables: VariableScope, updating previous: MediaPlaylist?) { (self.variables, self.previous) = (variables, previous) }

  /// Reads the next line.
  mutating func take(_ line: PlaylistLine) throws(PlaylistError) {
    variables.slips.add(encodingOf: line)
    guard line.isTag else { return try takeURI(line) }
    guard let tag = line.tag else { return takeUnknown(line) }
    guard try line.mayOccur(tag, in: .media, slips: &variables.slips) else { return }
    if tag.scope == .mediaSegment {
      try takeSegmentTag(tag, line)
      if tag != .dateRange { pending.lines.append(line) }
    } else {
      try takePlaylistTag(tag, line)
    }
  }

  private mutating func takePlaylistTag(_ tag: PlaylistTag, _ line: PlaylistLine) throws(PlaylistError) {
    switch tag {
    case .independentSegments: playlist.hasIndependentSegments = true
    case .iFramesOnly: playlist.isIFramesOnly = true
    case .endList: playlist.isEnded = true
    case .define: try variables.define(line)
    case .skip: try takeSkip(line)
    case .targetDuration, .mediaSequence, .discontinuitySequence: try takeNumber(tag, line)
    default:
      do throws(PlaylistError) { try takeOptional(tag, line) } catch { try variables.slips.ignore(line, error) }
    }
  }

  /// Adds the segments that a delta update leaves out. On its own, its media sequence numbers would be wrong.
  private mutating func takeSkip(_ line: PlaylistLine) throws(PlaylistError) {
    guard let previous else { throw line.error(.unsupported(PlaylistTag.skip.text)) }
    guard update == nil else { throw line.error(.repeated(PlaylistTag.skip.text)) }
    let update = try PlaylistUpdate(line, variables: &variables)
    guard playlist.segments.isEmpty, let skipped = update.segments(of: previous, from: playlist.mediaSequence) else {
      throw line.error(.invalid("a delta update of a playlist that was not loaded"))
    }
    playlist.segments = skipped
    // What applies to the last segment that is left out goes on applying.
    if let last = skipped.last {
      scope.keys = last.keys
      (scope.initializationSegment, scope.bitrate) = (last.initializationSegment, last.bitrate)
    }
    self.update = update
  }

  /// Reads a number that the rest of the playlist depends on.
  private mutating func takeNumber(_ tag: PlaylistTag, _ line: PlaylistLine) throws(PlaylistError) {
    let isRepeated = seen.contains(tag)
    if !isRepeated { seen.append(tag) }
    let before = playlist
    switch tag {
    case .targetDuration: playlist.targetDuration = try targetDuration(line)
    case .mediaSequence: playlist.mediaSequence = try line.integer()
    default: playlist.discontinuitySequence = try line.integer()
    }
    guard isRepeated else { return }
    guard playlist == before else { throw line.error(.repeated(tag.text)) }
    variables.slips.add(line, line.error(.repeated(tag.text)), .read)
  }

  /// The target duration, which some writers write with decimals.
  private mutating func targetDuration(_ line: PlaylistLine) throws(PlaylistError) -> UInt64 {
    do throws(PlaylistError) {
      return try line.integer()
    } catch {
      guard let number = PlaylistDecimal(bytes: line.value), number >= .zero else { throw error }
      variables.slips.add(line, error, .read)
      return number.isWhole ? number.rounded : UInt64(number.billionths / 1_000_000_000) + 1
    }
  }

  /// Reads a tag of the playlist that may be left out.
  private mutating func takeOptional(_ tag: PlaylistTag, _ line: PlaylistLine) throws(PlaylistError) {
    guard !seen.contains(tag), tag != .header else { throw line.error(.repeated(tag.text)) }
    seen.append(tag)
    switch tag {
    case .version: playlist.version = try line.version()
    case .start: playlist.start = try StartPoint(line, variables: &variables)
    case .playlistType:
      let types = [MediaPlaylist.PlaylistType.event, .onDemand]
      let error = line.error(.invalid("EVENT or VOD is expected here"), at: line.valueStart)
      let text = String(decoding: line.value, as: UTF8.self)
      let capitals = text.replacingLetters { $0 & 0xDF }
      guard let type = types.first(where: { $0.rawValue.hasSameBytes(as: capitals) }) else { throw error }
      playlist.playlistType = type
      if !text.hasSameBytes(as: capitals) { variables.slips.add(line, error, .read) }
    default: break
    }
  }

  private mutating func takeSegmentTag(_ tag: PlaylistTag, _ line: PlaylistLine) throws(PlaylistError) {
    switch tag {
    case .segmentDuration:
      guard pending.duration == nil else { throw line.error(.repeated(tag.text)) }
      (pending.segment.duration, pending.segment.title) = try MediaSegment.duration(line)
      pending.duration = line
    case .byteRange:
      guard pending.byteRange == nil else { throw line.error(.repeated(tag.text)) }
      guard ByteRange(line.value, implicitOffset: 0) != nil else {
        throw line.error(.invalid("a byte range is expected here"), at: line.valueStart)
      }
      pending.byteRange = line
    case .key:
      scope.keys.apply(try EncryptionKey(line, variables: &variables))
      let limit = variables.limits.keys
      guard scope.keys.count <= limit else { throw line.error(.aboveLimit(what: "number of keys", limit: limit)) }
    case .map: scope.initializationSegment = try InitializationSegment(line, keys: scope.keys, variables: &variables)
    case .programDateTime, .bitrate, .dateRange:
      do throws(PlaylistError) { try takeOptionalOfSegment(tag, line) } catch { try variables.slips.ignore(line, error) }
    case .discontinuity: pending.segment.isDiscontinuous = true
    case .gap: pending.segment.isGap = true
    default: break
    }
  }

  /// Reads a tag of a segment that may be left out.
  private mutating func takeOptionalOfSegment(_ tag: PlaylistTag, _ line: PlaylistLine) throws(PlaylistError) {
    switch tag {
    case .programDateTime:
      guard let date = PlaylistDate(String(decoding: line.value, as: UTF8.self)) else {
        throw line.error(.invalid("a date is expected here"), at: line.valueStart)
      }
      pending.segment.programDateTime = date
    case .bitrate: scope.bitrate = try line.integer()
    default: pending.segment.dateRanges.append(try DateRange(line, variables: &variables))
    }
  }

  private mutating func takeUnknown(_ line: PlaylistLine) {
    let isInFront = playlist.segments.isEmpty && pending.lines.isEmpty && pending.segment.dateRanges.isEmpty
    if isInFront, CueTag.name(of: line) == nil {
      playlist.unknownTags.append(line.text)
    } else {
      pending.segment.unknownTags.append(line.text)
      pending.lines.append(line)
    }
  }

  private mutating func takeURI(_ line: PlaylistLine) throws(PlaylistError) {
    guard pending.duration != nil else { throw line.error(.missing("#EXTINF before the URI")) }
    let limit = variables.limits.segments
    guard playlist.segments.count < limit else { throw line.error(.aboveLimit(what: "number of segments", limit: limit)) }
    var segment = pending.segment
    segment.uri = try line.uri(variables: &variables)
    if let rangeLine = pending.byteRange {
      let previous = playlist.segments.last.flatMap { $0.uri.hasSameBytes(as: segment.uri) ? $0.byteRange?.end : nil }
      guard let range = ByteRange(rangeLine.value, implicitOffset: previous) else {
        throw rangeLine.error(.invalid("a byte range without an offset, and none of the same URI before it"), at: rangeLine.valueStart)
      }
      segment.byteRange = range
    }
    segment.keys = scope.keys
    segment.initializationSegment = scope.initializationSegment
    segment.bitrate = scope.bitrate
    playlist.segments.append(segment)
    pending = Pending()
  }

  /// The playlist, once all its lines were read.
  func finish(lastLine: Int) throws(PlaylistError) -> MediaPlaylist {
    if let duration = pending.duration { throw duration.error(.missing("the URI after #EXTINF")) }
    guard seen.contains(.targetDuration) else { throw PlaylistError(.missing(PlaylistTag.targetDuration.text), line: lastLine) }
    guard !playlist.mediaSequence.addingReportingOverflow(UInt64(playlist.segments.count)).overflow else {
      throw PlaylistError(.invalid("media sequence numbers beyond 64 bits"), line: lastLine)
    }
    var result = playlist
    result.variables = variables.variables
    result.slips = variables.slips.slips
    result.dateRanges = pending.segment.dateRanges
    result.trailingTags = pending.lines.map { $0.text }
    if let update, let previous { update.complete(&result, with: previous) }
    return result
  }
}

extension PlaylistLine {
  /// The value of EXT-X-VERSION.
  func version() throws(PlaylistError) -> Int {
    guard let version = Int(exactly: try integer()) else { throw error(.invalid("a version is expected here"), at: valueStart) }
    return version
  }

  /// The line as a URI, with its variables replaced.
  func uri(variables: inout VariableScope) throws(PlaylistError) -> String {
    let blanks = bytes.prefix(while: Self.isBlank).count
    if blanks > 0 { variables.slips.add(self, error(.invalid("a space in front of a URI"), at: 0), .read) }
    return try variables.substitute(String(decoding: bytes.dropFirst(blanks), as: UTF8.self), line: number, column: blanks + 1)
  }
}

/// Where a player should start (EXT-X-START; RFC 8216bis, 4.4.2.2).
package struct StartPoint: Equatable, Sendable {
  /// Seconds from the start of the playlist; negative ones from the end of its last segment.
  package var timeOffset: PlaylistDecimal
  /// Whether players must not show the media of the segment before that time.
  package var isPrecise = false
}

extension StartPoint {
  /// Reads the tag's attributes.
  init(_ line: PlaylistLine, variables: inout VariableScope) throws(PlaylistError) {
    var reader = try AttributeReader(line, variables: &variables)
    timeOffset = try reader.require("TIME-OFFSET", try reader.signedDecimal("TIME-OFFSET"))
    isPrecise = try reader.flag("PRECISE")
    _ = reader.finish(&variables)
  }

  /// The attributes of the tag.
  var attributeList: AttributeList {
    var list = AttributeList([Attribute("TIME-OFFSET", .decimal(timeOffset))])
    list.add("PRECISE", flag: isPrecise)
    return list
  }
}

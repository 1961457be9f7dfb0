/// The type of a rendition; an open registry (RFC 8216bis, 4.4.6.1, TYPE).
package struct RenditionType: RawRepresentable, Hashable, Sendable {
  /// The name as written in the playlist.
  package var rawValue: String

  /// The type of this name.
  package init(rawValue: String) { self.rawValue = rawValue }

  /// Sound.
  package static let audio = RenditionType(rawValue: "AUDIO")
  /// Subtitles, whose segments may be text.
  package static let subtitles = RenditionType(rawValue: "SUBTITLES")
  /// Closed captions within the video.
  package static let closedCaptions = RenditionType(rawValue: "CLOSED-CAPTIONS")
}

/// An alternative rendition (EXT-X-MEDIA; RFC 8216bis, 4.4.6.1).
package struct Rendition: Equatable, Sendable {
  /// What it is.
  package var type: RenditionType
  /// The group that it belongs to.
  package var groupID: String
  /// Its name for people.
  package var name: String
  /// The media playlist, relative to this one; `nil` if the rendition is part of the variant's own playlist.
  package var uri: String?
  /// Its primary language, as RFC 5646 has it.
  package var language: String?
  /// A language that is associated with it.
  package var associatedLanguage: String?
  /// Identifies the rendition across reloads.
  package var stableID: String?
  /// Whether it is played unless the user chooses another one.
  package var isDefault = false
  /// Whether a player may choose it by itself.
  package var isAutoselected = false
  /// Whether it is essential to watch, for subtitles.
  package var isForced = false
  /// The closed captions' channel within the video, for example `CC1`.
  package var inStreamID: String?
  /// The bits of an audio sample.
  package var bitDepth: UInt64?
  /// Audio samples per second.
  package var sampleRate: UInt64?
  /// The characteristics, as uniform type identifiers separated by commas.
  package var characteristics: String?
  /// The audio channels, for example `2` or `6`.
  package var channels: String?
  /// Other attributes, in their order.
  package var attributes = AttributeList()

  /// A rendition with its mandatory attributes.
  package init(type: RenditionType, groupID: String, name: String, uri: String? = nil) {
    (self.type, self.groupID, self.name, self.uri) = (type, groupID, name, uri)
  }
}

extension Rendition {
  /// Reads the tag's attributes.
  init(_ line: PlaylistLine, variables: inout VariableScope) throws(PlaylistError) {
    var reader = try AttributeReader(line, variables: &variables)
    type = RenditionType(rawValue: try reader.require("TYPE", try reader.token("TYPE")))
    groupID = reader.expect("GROUP-ID", try reader.string("GROUP-ID"), else: "")
    name = reader.expect("NAME", try reader.string("NAME"), else: "")
    uri = try reader.string("URI")
    language = try reader.string("LANGUAGE")
    associatedLanguage = try reader.string("ASSOC-LANGUAGE")
    stableID = try reader.string("STABLE-RENDITION-ID")
    isDefault = try reader.flag("DEFAULT")
    isAutoselected = try reader.flag("AUTOSELECT")
    isForced = try reader.flag("FORCED")
    inStreamID = try reader.string("INSTREAM-ID")
    bitDepth = try reader.integer("BIT-DEPTH")
    sampleRate = try reader.integer("SAMPLE-RATE")
    characteristics = try reader.string("CHARACTERISTICS")
    channels = try reader.string("CHANNELS")
    attributes = reader.finish(&variables)
  }

  /// The attributes of the tag.
  var attributeList: AttributeList {
    var list = AttributeList([Attribute("TYPE", .unquoted(type.rawValue)), Attribute("GROUP-ID", .quoted(groupID))])
    list.add("NAME", quoted: name)
    list.add("LANGUAGE", quoted: language)
    list.add("ASSOC-LANGUAGE", quoted: associatedLanguage)
    list.add("STABLE-RENDITION-ID", quoted: stableID)
    list.add("DEFAULT", flag: isDefault)
    list.add("AUTOSELECT", flag: isAutoselected)
    list.add("FORCED", flag: isForced)
    list.add("INSTREAM-ID", quoted: inStreamID)
    list.add("BIT-DEPTH", bitDepth.map { .integer($0) })
    list.add("SAMPLE-RATE", sampleRate.map { .integer($0) })
    list.add("CHARACTERISTICS", quoted: characteristics)
    list.add("CHANNELS", quoted: channels)
    list.attributes += attributes.attributes
    list.add("URI", quoted: uri)
    return list
  }
}

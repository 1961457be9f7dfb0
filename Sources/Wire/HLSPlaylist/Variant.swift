/// A variant of a presentation (EXT-X-STREAM-INF; RFC 8216bis, 4.4.6.2), or its I-frames alone (EXT-X-I-FRAME-STREAM-INF; 4.4.6.3), which have no
/// frame rate, audio, subtitles or closed captions.
package struct Variant: Equatable, Sendable {
  /// The CLOSED-CAPTIONS attribute.
  package enum ClosedCaptions: Equatable, Sendable {
    /// No variant has closed captions (`NONE`).
    case none
    /// The group of renditions that describe them.
    case group(String)
  }

  /// The media playlist, relative to this one.
  package var uri: String
  /// The peak bit rate in bits per second.
  package var bandwidth: UInt64
  /// The average bit rate in bits per second.
  package var averageBandwidth: UInt64?
  /// The codecs in the form of RFC 6381, separated by commas.
  package var codecs: String?
  /// The size of its video in pixels.
  package var resolution: Resolution?
  /// The highest frame rate, in frames per second.
  package var frameRate: PlaylistDecimal?
  /// The group of its audio renditions.
  package var audio: String?
  /// The group of its video renditions.
  package var video: String?
  /// The group of its subtitle renditions.
  package var subtitles: String?
  /// Its closed captions.
  package var closedCaptions: ClosedCaptions?
  /// A name for people. The specification has no such attribute; players show it.
  package var name: String?
  /// Other attributes, in their order.
  package var attributes = AttributeList()

  /// A variant with its URI and bit rate.
  package init(uri: String, bandwidth: UInt64) { (self.uri, self.bandwidth) = (uri, bandwidth) }
}

extension Variant {
  /// Reads the tag's attributes. The URI of a whole variant is on a line of its own.
  init(_ line: PlaylistLine, isIFrames: Bool = false, variables: inout VariableScope) throws(PlaylistError) {
    var reader = try AttributeReader(line, variables: &variables)
    let uri = isIFrames ? try reader.require("URI", try reader.string("URI")) : ""
    self.init(uri: uri, bandwidth: reader.expect("BANDWIDTH", try reader.integer("BANDWIDTH"), else: 0))
    averageBandwidth = try reader.integer("AVERAGE-BANDWIDTH")
    codecs = try reader.string("CODECS")
    resolution = try reader.resolution("RESOLUTION")
    frameRate = try reader.decimal("FRAME-RATE")
    audio = try reader.string("AUDIO")
    video = try reader.string("VIDEO")
    subtitles = try reader.string("SUBTITLES")
    closedCaptions = try reader.closedCaptions("CLOSED-CAPTIONS")
    name = try reader.string("NAME")
    attributes = reader.finish(&variables)
  }

  /// The attributes of the tag.
  var attributeList: AttributeList {
    var list = AttributeList([Attribute("BANDWIDTH", .integer(bandwidth))])
    list.add("AVERAGE-BANDWIDTH", averageBandwidth.map { .integer($0) })
    list.add("CODECS", quoted: codecs)
    list.add("RESOLUTION", resolution.map { .unquoted($0.text) })
    list.add("FRAME-RATE", frameRate.map { .decimal($0) })
    list.add("AUDIO", quoted: audio)
    list.add("VIDEO", quoted: video)
    list.add("SUBTITLES", quoted: subtitles)
    switch closedCaptions {
    case .group(let group)?: list.add("CLOSED-CAPTIONS", quoted: group)
    case Variant.ClosedCaptions.none?: list.add("CLOSED-CAPTIONS", .unquoted("NONE"))
    case nil: break
    }
    list.add("NAME", quoted: name)
    list.attributes += attributes.attributes
    return list
  }
}

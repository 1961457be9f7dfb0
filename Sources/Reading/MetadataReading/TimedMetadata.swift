package import Basics
package import CMAF
package import HLSPlaylist
package import HLSReading
package import NALUnits
package import SCTE35
package import TransportStream

/// Timed metadata that is no ID3 tag: a splice, a KLV packet, an event message, user data of the video, a message of FLV, or a tag of a playlist.
package struct TimedMetadata: Equatable, Sendable {
  /// What it says.
  package enum Content: Equatable, Sendable {
    /// A section of SCTE 35.
    case splice(SpliceSection)
    /// Sets of KLV (SMPTE ST 336).
    case klv([KLVUnit])
    /// An event message of fragmented MP4 that carries no ID3; with its section if its scheme is that of SCTE 35.
    case eventMessage(EventMessageBox, SpliceReading?)
    /// A message in the script data of a file of FLV: its name, and its values.
    case message(name: String, [JSONValue])
    /// User data in an SEI message of the video.
    case userData(UserData)
    /// A date range of a playlist that carries no event; with the sections of SCTE 35 in it.
    case dateRange(DateRange, [PlaylistSplice])
    /// A tag of a playlist for a splice, as it is written without its `#`; with what it says, and the section in it.
    case playlistTag(String, CueTag, PlaylistSplice?)
    /// Something that cannot be read.
    case unreadable(Kind, reason: String)
  }

  /// A kind of metadata. The raw value is its `type` in JSON.
  package enum Kind: String, Sendable {
    case splice, klv, emsg, sei, amf, daterange
  }

  /// What it says.
  package var content: Content
  /// When it is presented, on the programme's timeline as the video tells it. A splice has the time of the splice.
  package var time: MediaTime
  /// The same on the stream's timeline; `nil` if only a playlist tells it.
  package var presentationTime: MediaTime?
  /// Where it lies, on the programme's timeline: a splice is announced before its time. `nil` if it lies at its time.
  package var placeTime: MediaTime?
  /// The PID in a transport stream.
  package var pid: PID?
  /// Where it starts, in bytes from the start of the stream or the segment; 0 in a playlist.
  package var offset: Int
  /// Its size in bytes.
  package var byteCount: Int
  /// The segment of a presentation that contains it.
  package var source: HLSSource?
  /// The bytes of a splice of a transport stream; `nil` for other metadata.
  package var section: [UInt8]?

  /// Its kind.
  package var kind: Kind {
    switch content {
    case .splice, .playlistTag: .splice
    case .klv: .klv
    case .eventMessage: .emsg
    case .userData: .sei
    case .message: .amf
    case .dateRange: .daterange
    case .unreadable(let kind, _): kind
    }
  }
}

/// What should be a section of SCTE 35.
package enum SpliceReading: Equatable, Sendable {
  /// The section.
  case section(SpliceSection)
  /// It is none, and why.
  case unreadable(reason: String)

  /// Reads a section.
  init(_ bytes: [UInt8]) {
    do throws(ParseError) { self = .section(try SpliceSection(bytes.view)) } catch { self = .unreadable(reason: "\(error.reason)") }
  }
}

/// What should be a section of SCTE 35 in a playlist.
package struct PlaylistSplice: Equatable, Sendable {
  /// The name of the attribute or tag.
  package var name: String
  /// What is there.
  package var content: SpliceReading

  /// What an attribute or tag of this name has.
  package init(_ name: String, _ content: SpliceReading) { (self.name, self.content) = (name, content) }
}

/// What a ``MetadataReader`` yields.
package enum MetadataFinding: Equatable, Sendable {
  /// Metadata, with its number from 0.
  case new(TimedMetadata, number: Int)
  /// Metadata with the same bytes as that of a number.
  case repeated(number: Int)
}

import Basics
import EventReading
package import HLSPlaylist
import TransportStream

/// Makes a playlist over the bytes of a stamped file, so that HLS players play the file as it is: its segments are byte ranges.
///
/// Bytes are pushed in chunks of any size. Segments of a transport stream start at the tables in front of a key frame, those of fragmented MP4 with a
/// fragment that starts with a key frame. Memory is bounded except for the list of segments, which has a maximum length.
package struct FilePlaylistMaker: Sendable {
  private var detector = ContainerDetector()
  private var transportStream: TransportStreamSegments
  private var fragments: FragmentSegments

  /// Begins at the start of a file.
  ///
  /// - Parameter uri: The URI of the file in the playlist.
  package init(uri: String) {
    transportStream = TransportStreamSegments(uri: uri)
    fragments = FragmentSegments(uri: uri)
  }

  /// Whether the bytes so far belong to a stream.
  package var isRecognised: Bool {
    switch detector.container {
    case .transportStream: transportStream.framing != nil
    case .fragmentedMP4: fragments.hasMovie
    case .packedAudio: true
    case nil: false
    }
  }

  /// Receives the next bytes of the file.
  package mutating func push(_ chunk: Span<UInt8>) {
    guard detector.container == nil else { return read(chunk) }
    guard let beginning = detector.push(chunk) else { return }
    read(beginning.view)
  }

  /// Ends the file, and returns the playlist.
  ///
  /// - Throws: `FilePlaylistError` if the file has nothing that a browser could play.
  package mutating func finish() throws(FilePlaylistError) -> MediaPlaylist {
    if detector.container == nil {
      let beginning = detector.finish()
      read(beginning.view)
    }
    let segments: FileSegments
    switch detector.container {
    case .packedAudio: throw .packedAudio
    case .fragmentedMP4:
      fragments.finish()
      guard fragments.hasMovie else { throw .noInitialisation }
      segments = fragments.segments
    case .transportStream, nil:
      transportStream.finish()
      if let framing = transportStream.framing, framing != .plain { throw .framing(packetSize: framing.stride) }
      segments = transportStream.segments
    }
    guard let playlist = segments.playlist else { throw .noPicture }
    return playlist
  }

  private mutating func read(_ chunk: Span<UInt8>) {
    switch detector.container {
    case .fragmentedMP4: fragments.push(chunk)
    case .transportStream: transportStream.push(chunk)
    case .packedAudio, nil: break
    }
  }
}

/// Why there is no playlist over a file.
package enum FilePlaylistError: Error, Equatable, Sendable, CustomStringConvertible {
  /// It has no video or audio with a known time.
  case noPicture
  /// Fragments come without the movie header that describes them.
  case noInitialisation
  /// It is packed audio.
  case packedAudio
  /// The packets of the transport stream have additional bytes around them.
  case framing(packetSize: Int)

  /// The reason in words.
  package var description: String {
    switch self {
    case .noPicture: "there is neither video nor audio whose time is known"
    case .noInitialisation: "the fragments come without the movie header (moov) that they need"
    case .packedAudio: "packed audio is played from a playlist only"
    case .framing(let packetSize): "its packets have \(packetSize) bytes, and browsers play those of 188"
    }
  }
}

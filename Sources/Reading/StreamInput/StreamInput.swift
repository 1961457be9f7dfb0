package import Basics
package import DASHReading
package import EventReading
import Files
import HLSPlaylist
package import HLSReading
package import HTTPClient
import LibCrypto
package import TransportStream

/// An input that a user names: a file, standard input, or an http or https URL, each of which is a stream or an HLS playlist.
///
/// ```swift
/// let input = StreamInput("https://example.com/show.m3u8")
/// let ending = try input.read { item, _ in
///   if case .item(.copy(let copy, let place), _) = item { transitions += machine.receive(copy, at: place.time) }
///   return true
/// }
/// ```
///
/// Reading needs libcurl for URLs and libcrypto for encrypted segments, each opened when it is needed first. It never needs FFmpeg.
package struct StreamInput: Sendable {
  /// The path, the URL, or `-` for standard input.
  package let name: String
  /// How a presentation is read; AES-128 is supported. For a stream that is not a presentation only the signatures and whether events of
  /// other times are kept are used; a rendition or a duration is an error then.
  package var options = HLSReader.Options(decrypt: decrypt)
  /// Header fields of requests to the origin of a URL.
  package var access = WebAccess()
  /// Whether a file of FLV, which carries no events, is passed to `change` alone. Otherwise it is refused.
  package var passesFLV = false
  /// Asked from time to time; once it returns `true`, reading ends with ``StreamInputError/interrupted``.
  package var isInterrupted: @Sendable () -> Bool = { false }

  /// Inspects the portions of an input before they are read, and returns those that replace them.
  package typealias Change = (HLSPortion) -> [HLSPortion]
  /// Receives each item in order, and the programme time at which the video (or the audio) starts, as soon as it is known. Reading ends
  /// if it returns `false`.
  package typealias Receive = (HLSItem, _ start: MediaTime?) -> Bool

  /// What is known about an input at its end.
  package struct Progress: Sendable {
    /// The programme time at which the video (or the audio) starts.
    package var start: MediaTime?
    /// The programme time up to which it was read.
    package var end: MediaTime?
    /// The container of the input; for a presentation, of its latest stretch.
    package var container: Container?
    /// The tables of a transport stream.
    package var tables = ProgramTables()
    /// The playlists that a presentation offers.
    package var choices: [HLSChoice] = []
    /// The one that is read.
    package var choice: HLSChoice?
    /// What an MPD says; `nil` if the input is none.
    package var manifest: Manifest?
    /// The event streams that the MPD announces for what is read.
    package var announced: [Manifest.EventStream] = []
    /// The number of resources of a presentation that could not be loaded completely.
    package var losses = 0
    /// The number of tags whose first bytes were missing, and that were restored. The caller counts them.
    package var restoredTags = 0

    /// Nothing is known yet.
    package init() {}
  }

  /// An input by its name.
  package init(_ name: String) { self.name = name }

  /// Reads the input to its end.
  ///
  /// - Parameters:
  ///   - change: A filter for the portions before they are read; `nil` reads faster. A stream is one segment for it.
  ///   - loads: What this reading has in common with others of the same presentation.
  ///   - receive: Receives the items.
  /// - Returns: What is known at the end.
  /// - Throws: ``StreamInputError``.
  package func read(
    through change: Change? = nil, sharing loads: PresentationLoads? = nil, _ receive: Receive
  ) throws(StreamInputError) -> Progress {
    guard Self.isURL(name) else {
      var file = try opening(try FileInput(path: name, isInterrupted: isInterrupted))
      guard try fill(&file), let kind = Self.playlistKind(file.bytes) else { return try readStream(&file, through: change, receive) }
      guard name != "-" else { throw .playlistOnStandardInput }
      return try PresentationInput(localPlaylist: name, isManifest: kind == .manifest, isInterrupted).read(
        options, through: change, receive)
    }
    // A URL that looks like a playlist's is left to `PresentationInput`, which loads playlists again and again.
    var kind = Self.playlistKind(ofURL: name)
    if kind == nil {
      var resource = try opening(try NetworkInput(url: name, limits: Self.streamLimits, access: access, isInterrupted: isInterrupted))
      if try fill(&resource) { kind = Self.playlistKind(resource.bytes) }
      guard kind != nil else { return try readStream(&resource, through: change, receive) }
    }
    return try PresentationInput(url: name, access: access, isManifest: kind == .manifest, sharing: loads, isInterrupted)
      .read(options, through: change, receive)
  }

  /// Loads the presentation of a playlist, and passes its portions on as they arrive. They are not searched for events.
  ///
  /// - Parameter receive: Receives the portions, with the playlists that the presentation offers and the one that is read. Loading ends if it
  ///   returns `false`.
  /// - Throws: ``StreamInputError``.
  package func load(_ receive: (_ portions: [HLSPortion], _ choices: [HLSChoice], HLSChoice?) -> Bool) throws(StreamInputError) {
    let isManifest = Self.playlistKind(ofURL: name) == .manifest
    let presentation =
      try Self.isURL(name)
      ? PresentationInput(url: name, access: access, isManifest: isManifest, sharing: nil, isInterrupted)
      : PresentationInput(localPlaylist: name, isManifest: isManifest, isInterrupted)
    _ = try presentation.load(options) { receive($0, $1.choices, $1.choice) }
  }

  /// The playlists that a presentation offers; none for a media playlist and for other inputs. A URL must look like that of a playlist.
  ///
  /// - Parameter loads: What later readings of the presentation have in common with this.
  /// - Throws: ``StreamInputError``.
  package func choices(sharing loads: PresentationLoads? = nil) throws(StreamInputError) -> [HLSChoice] {
    if Self.isURL(name) {
      guard let kind = Self.playlistKind(ofURL: name) else { return [] }
      return try PresentationInput(url: name, access: access, isManifest: kind == .manifest, sharing: loads, isInterrupted).choices(options)
    }
    var file = try opening(try FileInput(path: name, isInterrupted: isInterrupted))
    guard name != "-", try fill(&file), let kind = Self.playlistKind(file.bytes) else { return [] }
    return try PresentationInput(localPlaylist: name, isManifest: kind == .manifest, isInterrupted).choices(options)
  }

  /// Reads a stream after its first bytes.
  private func readStream<Source: ByteInput & ~Copyable>(
    _ source: inout Source, through change: Change?, _ receive: Receive
  ) throws(StreamInputError) -> Progress {
    if options.rendition != .first { throw .noPresentation(.rendition) }
    if options.duration != nil { throw .noPresentation(.duration) }
    if passesFLV, OtherFormat(startingWith: Array(source.slice.prefix(Self.signatureLength))) == .flv {
      repeat { _ = change?(.bytes(source.slice)) } while try fill(&source)
      return Progress()
    }
    var reader = EventReader(keepingOtherTimes: options.keepsOtherTimes, requiring: options.signatures)
    repeat {
      guard try read(.bytes(source.slice), into: &reader, through: change, receive) else { return Progress(reader) }
      // `change` gets every byte.
      if change == nil, reader.skippable > 0 { reader.skip(bytes: try skip(&source, reader.skippable)) }
    } while try fill(&source)
    if try read(.end(.zero), into: &reader, through: change, receive) {
      for item in try converting(try reader.finish()) {
        guard receive(.item(item, in: nil), reader.start) else { break }
      }
    }
    return Progress(reader)
  }

  /// Reads a portion of a stream; returns whether `receive` wants more items.
  private func read(
    _ portion: HLSPortion, into reader: inout EventReader, through change: Change?, _ receive: Receive
  ) throws(StreamInputError) -> Bool {
    for case .bytes(let bytes) in change?(portion) ?? [portion] {
      for item in try converting(try reader.push(bytes.span)) {
        guard receive(.item(item, in: nil), reader.start) else { return false }
      }
    }
    return true
  }

  private func converting(_ items: @autoclosure () throws(ReadingError) -> [StreamItem]) throws(StreamInputError) -> [StreamItem] {
    do throws(ReadingError) { return try items() } catch { throw .stream(error) }
  }

  /// The number of bytes that tell a file of FLV.
  private static let signatureLength = 3

  /// A stream may have any size and last up to a year. It is never held in memory, and ends if the server falls silent.
  private static let streamLimits = NetworkLimits(bytes: .max, time: .seconds(31_536_000))

  /// Whether a name is a URL that is loaded over a network.
  package static func isURL(_ name: String) -> Bool {
    let scheme = URIReference(name).scheme?.lowercased()
    return scheme == "http" || scheme == "https"
  }

  /// What lists the segments of a presentation.
  private enum PlaylistKind {
    case playlist
    case manifest
  }

  /// The kind of a playlist, by its first bytes; `nil` for everything else.
  private static func playlistKind(_ bytes: Span<UInt8>) -> PlaylistKind? {
    Playlist.isPlaylist(bytes) ? .playlist : ManifestReading.isManifest(bytes) ? .manifest : nil
  }

  /// The kind of a playlist, by the ending of its URL; `nil` for every other URL.
  private static func playlistKind(ofURL url: String) -> PlaylistKind? {
    let path = URIReference(url).path.lowercased()
    if path.hasSuffix(".mpd") { return .manifest }
    return path.hasSuffix(".m3u8") || path.hasSuffix(".m3u") ? .playlist : nil
  }
}

extension StreamInput.Progress {
  fileprivate init(_ reader: EventReader) {
    self.init()
    (start, end, container, tables) = (reader.start, reader.end, reader.container, reader.tables)
  }
}

/// Decrypts AES-128.
private func decrypt(_ blocks: [UInt8], _ key: [UInt8], _ vector: [UInt8]) throws(HLSReader.Options.DecryptionFailure) -> [UInt8]? {
  do throws(LibCryptoError) {
    return try AES128.decrypt(blocks, key: key, vector: vector)
  } catch {
    throw HLSReader.Options.DecryptionFailure(reason: error.description)
  }
}

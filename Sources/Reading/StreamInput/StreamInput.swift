public import Basics
public import EventReading
import Files
import HLSPlaylist
public import HLSReading
import HTTPClient
import LibCrypto
public import TransportStream

/// Whatever a user names as an input: a file, standard input, a URL of http or https, each a stream or an HLS playlist.
///
/// ```swift
/// let input = StreamInput("https://example.com/show.m3u8")
/// let ending = try input.read { item, _ in
///   if case .item(.copy(let copy, let place), _) = item { transitions += machine.receive(copy, at: place.time) }
///   return true
/// }
/// ```
public struct StreamInput: Sendable {
  /// The path, the URL, or `-` for standard input.
  public let name: String
  /// How a presentation is read; AES-128 is supported. A stream that is no presentation takes nothing from it.
  public var options = HLSReader.Options(decrypt: decrypt)
  /// What the bytes pass through before they are read: those of a stream as if it were one segment, those of a presentation's segments; `nil`
  /// for nothing.
  public var filter: SegmentFilter? {
    get { options.filter }
    set { options.filter = newValue }
  }
  /// Asked from time to time; once it says yes, reading ends with ``StreamInputError/interrupted``.
  public var isInterrupted: @Sendable () -> Bool = { false }

  /// What is known of an input so far.
  public struct Progress: Sendable {
    /// The programme time at which the picture (or the sound) starts.
    public var start: MediaTime?
    /// The programme time up to which it was read.
    public var end: MediaTime?
    /// What the input is made of; of a presentation, its latest stretch.
    public var container: Container?
    /// The tables of a transport stream.
    public var tables = ProgramTables()
    /// The playlists that a presentation offers.
    public var choices: [HLSChoice] = []
    /// The one that is read.
    public var choice: HLSChoice?
    /// How many resources of a presentation could not be loaded whole.
    public var losses = 0

    /// Nothing is known.
    public init() {}
  }

  /// An input by its name.
  public init(_ name: String) { self.name = name }

  /// Reads the input to its end.
  ///
  /// - Parameters:
  ///   - tap: Given the bytes before what is found in them is told: those of a stream (`nil`), or of a presentation's playlists, maps and segments.
  ///   - receive: EventPayload each item in order, and how far reading has come; reading ends where it returns `false`.
  /// - Returns: What is known at the end.
  /// - Throws: ``StreamInputError``.
  public func read(
    tap: ((HLSPortion?, Span<UInt8>) -> Void)? = nil, _ receive: (HLSItem, Progress) -> Bool
  ) throws(StreamInputError) -> Progress {
    guard Self.isURL(name) else {
      var file = try opening { () throws(FileInputError) in try FileInput(path: name, isInterrupted: isInterrupted) }
      guard try fill(&file), Self.isPlaylist(file.bytes) else { return try readStream(&file, tap, receive) }
      guard name != "-" else { throw .playlistOnStandardInput }
      return try PresentationInput(localPlaylist: name, isInterrupted).read(options, tap ?? { _, _ in }, receive)
    }
    // A playlist is loaded by its reader, which may do so again and again.
    if !Self.hasPlaylistName(name) {
      var resource = try opening { () throws(NetworkInputError) in
        try NetworkInput(url: name, limits: Self.streamLimits, isInterrupted: isInterrupted)
      }
      guard try fill(&resource), Self.isPlaylist(resource.bytes) else { return try readStream(&resource, tap, receive) }
    }
    return try PresentationInput(url: name, isInterrupted).read(options, tap ?? { _, _ in }, receive)
  }

  /// The playlists that a presentation offers; none for a media playlist and for other inputs. A URL must look like that of a playlist.
  ///
  /// - Throws: ``StreamInputError``.
  public func choices() throws(StreamInputError) -> [HLSChoice] {
    if Self.isURL(name) {
      guard Self.hasPlaylistName(name) else { return [] }
      return try PresentationInput(url: name, isInterrupted).choices(options)
    }
    var file = try opening { () throws(FileInputError) in try FileInput(path: name, isInterrupted: isInterrupted) }
    guard name != "-", try fill(&file), Self.isPlaylist(file.bytes) else { return [] }
    return try PresentationInput(localPlaylist: name, isInterrupted).choices(options)
  }

  /// Reads a stream whose first bytes were read.
  private func readStream<Source: ByteInput & ~Copyable>(
    _ source: inout Source, _ tap: ((HLSPortion?, Span<UInt8>) -> Void)?, _ receive: (HLSItem, Progress) -> Bool
  ) throws(StreamInputError) -> Progress {
    var reader = EventReader()
    repeat {
      tap?(nil, source.bytes)
      for item in try reading({ () throws(ReadingError) in try push(source.bytes, to: &reader) }) {
        guard receive(.item(item, in: nil), Progress(reader)) else { return Progress(reader) }
      }
      // Who listens in is told every byte, and a filter counts them.
      if tap == nil, filter == nil, reader.skippable > 0 { reader.pass(try skip(&source, reader.skippable)) }
    } while try fill(&source)
    if let rest = filter?.change([], true) {
      for item in try reading({ () throws(ReadingError) in try reader.push(rest.span) }) {
        guard receive(.item(item, in: nil), Progress(reader)) else { return Progress(reader) }
      }
    }
    for item in try reading({ () throws(ReadingError) in try reader.finish() }) {
      guard receive(.item(item, in: nil), Progress(reader)) else { break }
    }
    return Progress(reader)
  }

  private func push(_ bytes: Span<UInt8>, to reader: inout EventReader) throws(ReadingError) -> [StreamItem] {
    guard let filter else { return try reader.push(bytes) }
    let changed = filter.change([UInt8](copying: bytes), false)
    return try reader.push(changed.span)
  }

  private func reading(_ body: () throws(ReadingError) -> [StreamItem]) throws(StreamInputError) -> [StreamItem] {
    do throws(ReadingError) { return try body() } catch { throw .stream(error) }
  }

  /// A stream may be of any size and go on for any time (a year); it is never held in memory, and a server that falls silent ends it.
  private static let streamLimits = NetworkLimits(bytes: .max, time: .seconds(31_536_000))

  /// Whether a name is a URL that is loaded over a network.
  public static func isURL(_ name: String) -> Bool {
    let scheme = URIReference(name).scheme?.lowercased()
    return scheme == "http" || scheme == "https"
  }

  /// Whether a URL is that of a playlist, by its ending.
  private static func hasPlaylistName(_ url: String) -> Bool {
    let path = URIReference(url).path.lowercased()
    return path.hasSuffix(".m3u8") || path.hasSuffix(".m3u")
  }

  /// Whether the first bytes of an input are those of a playlist (RFC 8216bis, 4.1). A byte order mark may stand in front.
  private static func isPlaylist(_ bytes: Span<UInt8>) -> Bool {
    let header = Array("#EXTM3U".utf8)
    let start = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
    return bytes.count >= start + header.count && header.indices.allSatisfy { bytes[start + $0] == header[$0] }
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
  do throws(CipherError) {
    return try AES128.decrypt(blocks, key: key, vector: vector)
  } catch {
    throw HLSReader.Options.DecryptionFailure(reason: error.description)
  }
}

/// What `body` opens, with its errors as those of stream inputs.
func opening<Source: ByteInput & ~Copyable>(_ body: () throws(Source.Failure) -> Source) throws(StreamInputError) -> Source {
  do throws(Source.Failure) { return try body() } catch { throw Source.failure(error) }
}

/// Passes over bytes of a source, as far as it can.
func skip<Source: ByteInput & ~Copyable>(_ source: inout Source, _ count: Int) throws(StreamInputError) -> Int {
  do throws(Source.Failure) { return try source.skip(count) } catch { throw Source.failure(error) }
}

/// Reads the next bytes of a source.
func fill<Source: ByteInput & ~Copyable>(_ source: inout Source) throws(StreamInputError) -> Bool {
  do throws(Source.Failure) { return try source.fill() } catch { throw Source.failure(error) }
}

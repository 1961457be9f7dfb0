import ArgumentParser
import Basics
import CommandSupport
import EventReading
import Files
import GameEvents
import HLSPlaylist
import HLSReading
import HTTPClient
import StreamInput
import Terminal
import TransportStream

/// The options of every command that reads a stream.
struct InputOptions: ParsableArguments {
  @Argument(help: "The stream: MPEG-TS, fragmented MP4, packed audio or an HLS playlist; a path, a URL, or - for standard input.")
  var input: String

  @OptionGroup var selection: RenditionOptions

  @OptionGroup var signatures: SignatureOptions

  var requireSignature: String? { signatures.requireSignature }
  var rendition: String? { selection.rendition }
  var duration: String? { selection.duration }

  /// The name of the input in messages.
  var name: String { StreamSource(InputAddress(input).path).name }

  /// The source.
  func source() throws(CommandFailure) -> StreamSource {
    var source = try selection.source(input)
    source.signatures = try signatures.check()
    return source
  }

  /// Reads the chosen rendition, or all of them one after another, as ``RenditionOptions`` does.
  func forEachRendition(
    all: Bool, _ body: (StreamSource, HLSChoice?, PresentationLoads) throws(CommandFailure) -> StreamInput.Progress
  ) throws(CommandFailure) -> Bool {
    let signatures = try signatures.check()
    return try selection.forEachRendition(of: input, all ? .all : .chosen) { (source, choice, loads) throws(CommandFailure) in
      var source = source
      source.signatures = signatures
      return try body(source, choice, loads)
    }
  }
}

/// The option that selects whose events count.
struct SignatureOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "A file with an Ed25519 public key: events that are not signed by its owner count for nothing, and are named as damage.",
      discussion: "As openssl pkey -pubout writes it, or its 32 bytes raw, hexadecimal or in base64. See stamp --sign.",
      valueName: "public-key"))
  var requireSignature: String?

  /// The check of signatures; `nil` if they do not matter.
  func check() throws(CommandFailure) -> SignatureCheck? {
    guard let requireSignature else { return nil }
    return try SignatureKeyFile(path: requireSignature).check()
  }
}

/// The options that choose the parts of a presentation to read.
struct RenditionOptions: ParsableArguments {
  @Option(name: .long, help: "HLS: which rendition is read: its URI, NAME, picture size (1280x720), or number from 1.")
  var rendition: String?

  @Option(name: .long, help: "HLS: end after so many seconds of the programme, for playlists that go on growing.")
  var duration: String?

  @OptionGroup var access: AccessOptions

  func validate() throws {
    if let duration, MediaTime(decimalSeconds: duration).map({ $0 > .zero }) != true {
      throw ValidationError("--duration takes seconds above 0, not \(duration).")
    }
  }

  /// Returns an input as a source, with the chosen rendition or another one.
  func source(_ input: String, rendition other: RenditionChoice? = nil) throws(CommandFailure) -> StreamSource {
    let address = InputAddress(input)
    var source = StreamSource(address.path, rendition: rendition, duration: duration)
    source.access = try access.access(to: address)
    if let other { source.rendition = other }
    return source
  }
}

extension RenditionOptions {
  /// The renditions that are read.
  enum Extent {
    /// The chosen one, or the first.
    case chosen
    /// All of a presentation. Other inputs are refused.
    case all
    /// All of a presentation, or all of another input.
    case everything
  }

  /// Reads renditions one after another.
  ///
  /// - Parameter body: Called with a source, with the rendition if all are read, and with what the readings have in common. Returns what is known at
  ///   the end.
  /// - Returns: Whether all could be loaded. Messages have named what is missing.
  func forEachRendition(
    of input: String, _ extent: Extent,
    _ body: (StreamSource, HLSChoice?, PresentationLoads) throws(CommandFailure) -> StreamInput.Progress
  ) throws(CommandFailure) -> Bool {
    let source = try source(input)
    let loads = PresentationLoads()
    guard extent != .chosen else {
      _ = try body(source, nil, loads)
      return true
    }
    var choices = try source.choices(sharing: loads)
    var readCount = 0
    if choices.isEmpty {
      guard extent == .everything else {
        throw CommandFailure("\(source.name): no multivariant playlist, so there are no renditions", status: CommandFailure.wrongUsage)
      }
      // A URL that does not look like that of a playlist turns out to be one only when it is read.
      choices = try body(source, nil, loads).choices
      readCount = 1
    }
    var isWhole = true
    for (index, choice) in choices.enumerated().dropFirst(readCount) {
      do throws(CommandFailure) {
        _ = try body(try self.source(input, rendition: .index(index)), choice, loads)
      } catch {
        // A part that is missing in one rendition may exist in the others.
        guard error.status == CommandFailure.missingInput || error.status == CommandFailure.ioError else { throw error }
        if let message = error.message { StandardError.write(message) }
        isWhole = false
      }
    }
    return isWhole
  }
}

/// Reads a stream or a presentation from a file, standard input or a network.
struct StreamSource: Sendable {
  let path: String
  var rendition = RenditionChoice.first
  var duration: MediaTime?
  /// The media sequence numbers of segments that count as lost without being loaded.
  var skippedSegments: Set<UInt64> = []
  /// Whether events are kept that tell a time at which the stream is not, as where parts were cut out of it.
  var keepsOtherTimes = false
  /// Whether live playlists are loaded whole each time, without delta updates.
  var loadsWholePlaylists = false
  /// Checks the signature that every event must have; `nil` if signatures do not matter.
  var signatures: SignatureCheck?
  /// Header fields of requests to the origin of a URL.
  var access = WebAccess()
  /// Whether a file of FLV, which carries no events, is passed to `change` alone.
  var passesFLV = false
  /// Receives messages about the input.
  var say: @Sendable (String) -> Void = StandardError.write
  /// Called often; once it returns `true`, reading ends.
  var isInterrupted: @Sendable () -> Bool = { Interruption.isRequested }

  /// A source as a user names it, with a rendition and a duration if they are given.
  init(_ path: String, rendition: String? = nil, duration: String? = nil) {
    self.path = path
    self.rendition = rendition.map { .named($0) } ?? .first
    self.duration = duration.flatMap { MediaTime(decimalSeconds: $0) }
  }

  /// The name of the input in messages.
  var name: String { path == "-" ? "standard input" : path }

  /// Reads the input to its end. Messages about it go to `say`.
  ///
  /// - Parameters:
  ///   - change: Changes the portions of the input before they are read; `nil` for nothing.
  ///   - loads: What this reading has in common with others of the same presentation.
  ///   - notice: Receives faults of a presentation, which are among the messages too.
  ///   - receive: Called with each item in order, its source in a presentation, and the time at which the video starts.
  /// - Returns: The progress of reading at the end.
  func read(
    through change: StreamInput.Change? = nil, sharing loads: PresentationLoads? = nil,
    notice receiveNotice: (HLSNotice) -> Void = { _ in },
    _ receive: (StreamItem, HLSSource?, MediaTime?) throws(CommandFailure) -> Void
  ) throws(CommandFailure) -> StreamInput.Progress {
    var input = StreamInput(path)
    input.access = access
    input.options.rendition = rendition
    input.options.duration = duration
    input.options.skippedSegments = skippedSegments
    input.options.signatures = signatures
    input.options.keepsOtherTimes = keepsOtherTimes
    input.options.loadsWholePlaylists = loadsWholePlaylists
    input.isInterrupted = isInterrupted
    input.passesFLV = passesFLV
    var failure: CommandFailure?
    var restored = RestoredTags()
    var notices = MessageTally(said: 20, of: "message")
    defer { for line in notices.others { say("\(name): \(line)") } }
    var progress: StreamInput.Progress
    do throws(StreamInputError) {
      progress = try input.read(through: change, sharing: loads) { item, start in
        do throws(CommandFailure) {
          switch item {
          case .item(let item, let source):
            restored.add(item, in: source)
            try receive(item, source, start)
          case .notice(let notice):
            receiveNotice(notice)
            if notices.add(notice.kind, example: "\(notice)") { say("\(name): \(notice)") }
          }
          return true
        } catch {
          failure = error
          return false
        }
      }
    } catch {
      throw CommandFailure(error, input: self)
    }
    if let failure { throw failure }
    progress.restoredTags = restored.count
    if let text = restored.text { say("\(name): \(text)") }
    return progress
  }

  /// The playlists that a presentation offers; none for other inputs.
  func choices(sharing loads: PresentationLoads) throws(CommandFailure) -> [HLSChoice] {
    var input = StreamInput(path)
    input.access = access
    input.isInterrupted = { Interruption.isRequested }
    do throws(StreamInputError) { return try input.choices(sharing: loads) } catch { throw CommandFailure(error, input: self) }
  }

  /// Reports a damaged place of the input.
  func report(_ damage: Damage, in source: HLSSource?) {
    let place = source.map { "\($0.uri): " } ?? ""
    say("\(name): \(place)byte \(damage.offset): \(damage.reason)")
  }

  /// Where the events of a presentation are, if the rendition that was read has none: a sentence that names another rendition; `nil` if no other
  /// has any, or if the user has chosen the rendition.
  ///
  /// - Parameter progress: What is known after reading. No more of the other renditions is read than of that one.
  func otherPlace(_ progress: StreamInput.Progress) -> String? {
    guard rendition == .first, let end = progress.end else { return nil }
    for (index, choice) in progress.choices.enumerated().dropFirst() where choice.type != .subtitles {
      var other = StreamInput(path)
      other.access = access
      other.options.rendition = .index(index)
      other.options.duration = end
      other.options.signatures = signatures
      other.isInterrupted = isInterrupted
      var isFound = false
      _ = try? other.read { item, _ in
        if case .item(.copy, _) = item { isFound = true }
        return !isFound
      }
      guard isFound else { continue }
      let kind = choice.isVariant ? "variant" : choice.type == .audio ? "audio rendition" : "rendition"
      return "the events are in the \(kind) \(choice): choose it with --rendition \(choice.uri.shellWord)"
    }
    return nil
  }

  /// The contents of a stream without timed ID3.
  static func contents(of progress: StreamInput.Progress) -> String {
    switch progress.container {
    case .fragmentedMP4: return "fragments without ID3 event messages"
    case .packedAudio: return "packed audio without further ID3 tags"
    case .transportStream, nil: break
    }
    let streams = progress.tables.maps.sorted { $0.key < $1.key }.flatMap(\.value.streams)
    guard !streams.isEmpty else { return "no program map" }
    let named = streams.prefix(namedStreams)
      .map { stream in
        guard !stream.isTimedID3 else { return "timed ID3 announced on PID \(stream.pid), which has no readable packets" }
        return "\(stream.isAudio && !stream.type.isAudio ? "audio" : stream.type.name) on PID \(stream.pid)"
      }
    return named.joined(separator: ", ") + (streams.count > namedStreams ? " and \(streams.count - namedStreams) more" : "")
  }

  /// The maximum number of streams that are named. More are counted.
  private static let namedStreams = 16
}

extension StreamInput.Progress {
  /// Ends a command, whose work is done, with the status for input that could not be loaded, if there was any.
  func requireWhole() throws(CommandFailure) {
    guard losses == 0 else { throw CommandFailure.incomplete }
  }
}

/// Counts the tags that were read although FFmpeg has cut them.
private struct RestoredTags {
  private(set) var count = 0
  private var latest: (offset: Int, segment: String?)?

  /// Counts the tag of an item; a tag may have several.
  mutating func add(_ item: StreamItem, in source: HLSSource?) {
    let place: Place
    switch item {
    case .copy(_, let found), .tag(_, let found): place = found
    case .damage: return
    }
    guard place.isRestored else { return }
    if let latest, latest == (place.offset, source?.uri) { return }
    latest = (place.offset, source?.uri)
    count += 1
  }

  /// The number in words; `nil` for none.
  var text: String? {
    guard count > 0 else { return nil }
    let tags = count.of("tag was", "tags were")
    return
      "\(tags) repaired while reading: FFmpeg before 6.1 has cut the first five bytes; players need them, and cuelight repair writes them"
  }
}

import Terminal
internal import Basics
internal import Files
internal import HLSPlaylist
internal import HLSReading
internal import HTTPClient

/// Loads what an `HLSReader` asks for: from a folder, of which nothing outside is read, or from web servers.
struct PresentationInput {
  private enum Origin {
    case folder(FolderInput)
    case network
  }

  private let origin: Origin
  private let playlist: URIReference
  private let isInterrupted: @Sendable () -> Bool

  /// A playlist in a file.
  init(localPlaylist path: String, _ isInterrupted: @escaping @Sendable () -> Bool) throws(StreamInputError) {
    let parts = PathParts(path)
    do throws(FileInputError) { origin = .folder(try FolderInput(path: parts.folder)) } catch { throw .file(error) }
    playlist = URIReference(relativePath: parts.name)
    self.isInterrupted = isInterrupted
  }

  /// A playlist on a web server. The reader of presentations knows only of resources that fail, so libcurl is asked for before.
  init(url: String, _ isInterrupted: @escaping @Sendable () -> Bool) throws(StreamInputError) {
    do throws(NetworkInputError) { try NetworkInput.requireLibrary(for: url) } catch { throw .network(error) }
    origin = .network
    playlist = URIReference(url)
    self.isInterrupted = isInterrupted
  }

  /// Reads the presentation to its end.
  func read(
    _ options: HLSReader.Options, _ tap: (HLSPortion?, Span<UInt8>) -> Void, _ receive: (HLSItem, StreamInput.Progress) -> Bool
  ) throws(StreamInputError) -> StreamInput.Progress {
    var session = Session(reader: HLSReader(playlist: playlist, options: options))
    while !session.isStopped {
      switch session.reader.step {
      case .finished: return session.progress
      case .wait(let time):
        try wait(time)
        session.reader.waited()
      case .load(let resource): try load(resource, &session, tap, receive)
      }
    }
    return session.progress
  }

  /// The playlists that the presentation offers: loads no more than its first playlist.
  func choices(_ options: HLSReader.Options) throws(StreamInputError) -> [HLSChoice] {
    var session = Session(reader: HLSReader(playlist: playlist, options: options))
    while session.reader.choices.isEmpty, session.reader.playlist == nil {
      switch session.reader.step {
      case .finished: return []
      case .wait(let time):
        try wait(time)
        session.reader.waited()
      case .load(let resource): try load(resource, &session, { _, _ in }, { _, _ in true })
      }
    }
    return session.reader.choices
  }

  /// The reader, and what is known of its reading.
  private struct Session {
    var reader: HLSReader
    var losses = 0
    var isStopped = false

    var progress: StreamInput.Progress {
      var progress = StreamInput.Progress()
      (progress.start, progress.end, progress.container) = (reader.start, reader.end, reader.container)
      (progress.tables, progress.choices, progress.choice) = (reader.tables, reader.choices, reader.choice)
      progress.losses = losses
      return progress
    }

    mutating func handOn(_ items: [HLSItem], _ receive: (HLSItem, StreamInput.Progress) -> Bool) {
      for item in items where !isStopped {
        if case .notice(let notice) = item, notice.isLoss { losses += 1 }
        isStopped = !receive(item, progress)
      }
    }
  }

  private func load(
    _ resource: HLSReader.Resource, _ session: inout Session, _ tap: (HLSPortion?, Span<UInt8>) -> Void,
    _ receive: (HLSItem, StreamInput.Progress) -> Bool
  ) throws(StreamInputError) {
    let start = ContinuousClock.now
    do throws(StreamInputError) {
      switch origin {
      case .folder(let folder):
        guard let path = resource.uri.pathWithinFolder else { throw .file(.outside(path: resource.uri.text)) }
        var file = try opening { () throws(FileInputError) in
          try folder.open(path, part: resource.byteRange.map { $0.part }, isInterrupted: isInterrupted)
        }
        try pump(&file, resource, &session, tap, receive)
      case .network:
        var input = try opening { () throws(NetworkInputError) in
          try NetworkInput(
            url: resource.uri.text, byteRange: resource.byteRange, limits: .init(bytes: Int(clamping: resource.byteLimit)),
            isInterrupted: isInterrupted)
        }
        session.reader.redirected(to: URIReference(input.finalURL))
        try pump(&input, resource, &session, tap, receive)
      }
    } catch {
      guard error != .interrupted else { throw error }
      if case .presentation = error { throw error }
      session.handOn(
        try reading { () throws(HLSReadingError) in
          try session.reader.fail(error.reason, isFinal: !error.isWorthRetrying, elapsed: Self.time(since: start))
        }, receive)
      return
    }
    guard case .load(let current) = session.reader.step, current.isSame(as: resource) else { return }
    session.handOn(
      try reading { () throws(HLSReadingError) in try session.reader.complete(elapsed: Self.time(since: start), tap: tap) }, receive)
  }

  /// Hands on the bytes of a source, until its end or until they are not wanted any more.
  private func pump<Source: ByteInput & ~Copyable>(
    _ source: inout Source, _ resource: HLSReader.Resource, _ session: inout Session, _ tap: (HLSPortion?, Span<UInt8>) -> Void,
    _ receive: (HLSItem, StreamInput.Progress) -> Bool
  ) throws(StreamInputError) {
    while !session.isStopped, case .load(let current) = session.reader.step, current.isSame(as: resource), try fill(&source) {
      session.handOn(try reading { () throws(HLSReadingError) in try session.reader.receive(source.bytes, tap: tap) }, receive)
    }
  }

  private func reading(_ body: () throws(HLSReadingError) -> [HLSItem]) throws(StreamInputError) -> [HLSItem] {
    do throws(HLSReadingError) { return try body() } catch { throw .presentation(error) }
  }

  /// Lets the time pass, in slices, so that an interruption is noticed.
  private func wait(_ time: MediaTime) throws(StreamInputError) {
    // Nobody waits for longer than a year, which a playlist may ask for.
    let ticks = min(max(time.ticks, 0), 31_536_000 * MediaTime.ticksPerSecond)
    let end = ContinuousClock.now + .microseconds(ticks * 100 / 9)
    while ContinuousClock.now < end {
      guard !isInterrupted() else { throw .interrupted }
      Interruption.pause(milliseconds: 50)
    }
  }

  private static func time(since start: ContinuousClock.Instant) -> MediaTime {
    let passed = start.duration(to: .now).components
    return MediaTime(seconds: Int(passed.seconds))
      + MediaTime(ticks: passed.attoseconds / (1_000_000_000_000_000_000 / MediaTime.ticksPerSecond))
  }
}

extension HLSReader.Resource {
  /// Whether this is still the same load: the same part of the same resource.
  fileprivate func isSame(as other: Self) -> Bool { kind == other.kind && uri == other.uri && byteRange == other.byteRange }
}

extension ByteRange {
  fileprivate var part: Range<Int> { Int(clamping: offset)..<Int(clamping: end) }
}

extension StreamInputError {
  /// The reason without the name of what was loaded, which the reader knows.
  fileprivate var reason: String {
    switch self {
    case .network(let error): "\(error.reason)"
    case .file(.missing): Self.noSuchFile
    case .file(.outside): "it is no file of the playlist's folder"
    case .file(.folder): "it is a folder"
    case .file(.special): "it is a pipe or a device"
    default: "\(self)"
    }
  }

  /// Whether another attempt may help. Files do not change by waiting.
  fileprivate var isWorthRetrying: Bool {
    if case .network(let error) = self { error.isWorthRetrying } else { false }
  }
}

extension HLSNotice {
  /// Whether something that the presentation has could not be read.
  fileprivate var isLoss: Bool {
    switch self {
    case .segmentLost, .keyFailed, .mapFailed, .decryptionFailed, .unsupportedEncryption, .unreadable, .playlistGivenUp:
      true
    case .playlistProblem(.segmentsMissed): true
    case .gap, .playlistFailed, .playlistDamaged, .playlistProblem, .playlistStartedAfresh, .unusableDateRange: false
    }
  }
}

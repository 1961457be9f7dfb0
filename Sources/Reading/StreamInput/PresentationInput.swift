import Basics
import DASHReading
import Files
import HLSPlaylist
import HLSReading
import HTTPClient
import LibC
import Terminal

/// Loads the resources that an `HLSLoader` requests: from a folder, and nothing outside of it, or from web servers.
struct PresentationInput {
  /// The origin of the resources.
  private enum Origin {
    case folder(FolderInput)
    case network(WebAccess)
  }

  private let origin: Origin
  private let playlist: URIReference
  /// Whether the playlist is an MPD, which is translated into playlists that list the same segments.
  private let isManifest: Bool
  private let isInterrupted: @Sendable () -> Bool
  /// What this reading has in common with others.
  private let loads: PresentationLoads?

  /// How many resources of a complete playlist are requested from a server at the same time. About a mebibyte of each is kept.
  private static let requestsAhead = 12

  /// A playlist in a file.
  init(localPlaylist path: String, isManifest: Bool = false, _ isInterrupted: @escaping @Sendable () -> Bool) throws(StreamInputError) {
    let parts = PathParts(path)
    do throws(FileInputError) { origin = .folder(try FolderInput(path: parts.folder)) } catch { throw .file(error) }
    playlist = URIReference(relativePath: parts.name)
    (self.isManifest, self.isInterrupted, loads) = (isManifest, isInterrupted, nil)
  }

  /// A playlist on a web server. A missing libcurl is an error here; later, every resource would fail separately.
  init(
    url: String, access: WebAccess, isManifest: Bool = false, sharing loads: PresentationLoads?,
    _ isInterrupted: @escaping @Sendable () -> Bool
  ) throws(StreamInputError) {
    do throws(NetworkInputError) { try NetworkInput.requireLibrary(for: url) } catch { throw .network(error) }
    origin = .network(access)
    playlist = URIReference(url)
    (self.isManifest, self.isInterrupted, self.loads) = (isManifest, isInterrupted, loads)
  }

  /// Reads the presentation to its end.
  func read(
    _ options: HLSReader.Options, through change: StreamInput.Change?, _ receive: StreamInput.Receive
  ) throws(StreamInputError) -> StreamInput.Progress {
    var events = HLSEventReader(options)
    var progress = StreamInput.Progress()
    var isStopped = false
    var manifest: ManifestReading?
    let loader = try load(options, manifest: &manifest) { portions, _ in
      for portion in portions {
        for item in events.receive(change?(portion) ?? [portion]) where !isStopped {
          if case .notice(let notice) = item, notice.isLoss { progress.losses += 1 }
          isStopped = !receive(item, events.start)
        }
      }
      return !isStopped && !events.isFinished
    }
    (progress.start, progress.end, progress.container) = (events.start, events.end, events.container)
    (progress.tables, progress.choices, progress.choice) = (events.tables, loader.choices, loader.choice)
    progress.manifest = manifest?.manifest
    progress.announced = manifest?.announced(for: loader.choice) ?? []
    return progress
  }

  /// The playlists that the presentation offers. Only its first playlist is loaded.
  func choices(_ options: HLSReader.Options) throws(StreamInputError) -> [HLSChoice] {
    var manifest: ManifestReading?
    return try load(options, manifest: &manifest) { portions, _ in portions.isEmpty }.choices
  }

  /// Loads what the loader requests, until its end or until `receive` wants no more portions.
  func load(_ options: HLSReader.Options, _ receive: ([HLSPortion], HLSLoader) -> Bool) throws(StreamInputError) -> HLSLoader {
    var manifest: ManifestReading?
    return try load(options, manifest: &manifest, receive)
  }

  /// Loads what the loader requests. If the playlist is an MPD, `manifest` is what it says at the end.
  private func load(
    _ options: HLSReader.Options, manifest: inout ManifestReading?, _ receive: ([HLSPortion], HLSLoader) -> Bool
  ) throws(StreamInputError) -> HLSLoader {
    var loader = HLSLoader(playlist: playlist, options: options)
    let source = openSource()
    while true {
      switch loader.step {
      case .finished: return loader
      case .wait(let time):
        try wait(time)
        loader.waited()
      case .load(let resource):
        let start = ContinuousClock.now
        let isTop = resource.kind == .playlist && loader.choices.isEmpty && loader.playlist == nil
        do throws(StreamInputError) {
          if isTop, let top = loads?.top, top.uri == resource.uri {
            loader.redirected(to: top.base)
            guard receive(try checked(try loader.receive(top.bytes[...])), loader) else { return loader }
          } else if isManifest, resource.kind == .playlist {
            guard try loadPlaylist(resource, from: source, &loader, &manifest, receive) else { return loader }
          } else {
            guard try load(resource, from: source, &loader, receive) else { return loader }
          }
        } catch {
          guard let failure = error.loadFailure else { throw error }
          guard receive(try checked(try loader.fail(failure, elapsed: Self.time(since: start))), loader) else { return loader }
          continue
        }
        // The loader may have stopped loading the resource before its end.
        guard loader.step == .load(resource) else { continue }
        let base = loader.base
        let portions = try checked(try loader.complete(elapsed: Self.time(since: start)))
        if isTop, !isManifest {
          for case .playlist(let bytes, _) in portions {
            loads?.keep(PresentationLoads.Top(uri: resource.uri, base: base, bytes: bytes, byteLimit: resource.byteLimit), loader)
          }
        }
        guard receive(portions, loader) else { return loader }
      }
    }
  }

  /// Where resources are loaded from.
  private enum Source {
    case folder(FolderInput)
    case network(RequestsAhead)
  }

  private func openSource() -> Source {
    switch origin {
    case .folder(let folder): .folder(folder)
    case .network(let access):
      .network(loads?.requests(access: access, isInterrupted: isInterrupted) ?? RequestsAhead(access: access, isInterrupted: isInterrupted))
    }
  }

  /// Loads one resource; returns whether `receive` wants more portions.
  private func load(
    _ resource: HLSReader.Resource, from source: Source, _ loader: inout HLSLoader, _ receive: ([HLSPortion], HLSLoader) -> Bool
  ) throws(StreamInputError) -> Bool {
    switch source {
    case .folder(let folder):
      guard let path = resource.uri.pathWithinFolder(named: folder.names) else { throw .file(.outside(path: resource.uri.text)) }
      var file = try opening(try folder.open(path, part: resource.byteRange.map { $0.part }, isInterrupted: isInterrupted))
      if let seconds = file.secondsSinceChange { loader.unchanged(for: MediaTime(seconds: seconds)) }
      return try pump(&file, resource, &loader, receive)
    case .network(let requests):
      var upcoming = loader.upcoming(Self.requestsAhead)
      if upcoming.count < Self.requestsAhead, let next = loads?.next(after: loader) { upcoming.append(next) }
      requests.keep { url, range in ([resource] + upcoming).contains { $0.uri.text == url && $0.byteRange == range } }
      for next in upcoming { requests.request(url: next.uri.text, byteRange: next.byteRange, limits: Self.limits(of: next)) }
      var input = try opening(
        try requests.input(url: resource.uri.text, byteRange: resource.byteRange, limits: Self.limits(of: resource)))
      loader.redirected(to: URIReference(input.finalURL))
      return try pump(&input, resource, &loader, receive)
    }
  }

  /// Provides a playlist of an MPD, which is loaded before the first of them; returns whether `receive` wants more portions.
  private func loadPlaylist(
    _ resource: HLSReader.Resource, from source: Source, _ loader: inout HLSLoader, _ manifest: inout ManifestReading?,
    _ receive: ([HLSPortion], HLSLoader) -> Bool
  ) throws(StreamInputError) -> Bool {
    if manifest == nil, let known = loads?.manifest {
      manifest = known.reading
      loader.redirected(to: known.base)
    }
    if manifest == nil {
      var bytes: [UInt8] = []
      switch source {
      case .folder(let folder):
        guard let path = resource.uri.pathWithinFolder(named: folder.names) else { throw .file(.outside(path: resource.uri.text)) }
        var file = try opening(try folder.open(path, part: nil, isInterrupted: isInterrupted))
        while try fill(&file), bytes.count <= resource.byteLimit { bytes += file.slice }
      case .network(let requests):
        var input = try opening(try requests.input(url: resource.uri.text, byteRange: nil, limits: Self.limits(of: resource)))
        loader.redirected(to: URIReference(input.finalURL))
        while try fill(&input) { bytes += input.slice }
      }
      do throws(ManifestError) {
        let reading = ManifestReading(try Manifest(bytes, now: WallClock.now), name: resource.uri.fileName)
        manifest = reading
        loads?.keep(reading, from: loader.base)
      } catch {
        throw .manifest(name: resource.uri.text, error)
      }
    }
    let playlists = manifest?.playlists
    let bytes = resource.uri.fragment.flatMap { playlists?.media[$0] } ?? playlists?.multivariant ?? []
    return receive(try checked(try loader.receive(bytes[...])), loader)
  }

  private static func limits(of resource: HLSReader.Resource) -> NetworkLimits {
    NetworkLimits(bytes: min(NetworkLimits().bytes, Int(clamping: resource.byteLimit)))
  }

  /// Passes the bytes of a source to the loader, until their end or until it wants no more of them.
  private func pump<Source: ByteInput & ~Copyable>(
    _ source: inout Source, _ resource: HLSReader.Resource, _ loader: inout HLSLoader, _ receive: ([HLSPortion], HLSLoader) -> Bool
  ) throws(StreamInputError) -> Bool {
    while loader.step == .load(resource), try fill(&source) {
      guard receive(try checked(try loader.receive(source.slice)), loader) else { return false }
    }
    return true
  }

  private func checked(_ portions: @autoclosure () throws(HLSReadingError) -> [HLSPortion]) throws(StreamInputError) -> [HLSPortion] {
    do throws(HLSReadingError) { return try portions() } catch { throw .presentation(error) }
  }

  /// Sleeps in slices, so that an interruption is noticed.
  private func wait(_ time: MediaTime) throws(StreamInputError) {
    // A playlist may ask for any wait. More than a year makes no difference, and could overflow.
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

extension ByteRange {
  fileprivate var part: Range<Int> { Int(clamping: offset)..<Int(clamping: end) }
}

extension HLSNotice {
  /// Whether a resource of the presentation could not be read.
  fileprivate var isLoss: Bool {
    switch self {
    case .segmentLost, .keyFailed, .initializationSegmentFailed, .decryptionFailed, .unsupportedEncryption, .unreadable, .playlistGivenUp:
      true
    case .playlistProblem(.segmentsMissed): true
    case .gap, .playlistFailed, .playlistDamaged, .playlistProblem, .playlistStartedAfresh, .playlistUnended, .playlistSlip,
      .unusableDateRange:
      false
    }
  }
}

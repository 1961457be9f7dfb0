import Basics
import EventReading
import Foundation
import GameEvents
import HLSPlaylist
import HLSReading

/// Reads what a URL holds, piece by piece: it does what the readers say, and has no state of the game.
struct URLReading {
  /// What the URL turned out to be.
  private enum Kind {
    case unknown
    case stream(EventReader, URLBytes.Iterator)
    case presentation(HLSReader)
    case ended
  }

  private let url: URL
  private let options: HLSReader.Options
  private var kind = Kind.unknown

  /// How many bytes tell a playlist.
  private static let prefixLength = 4_096

  init(_ url: URL, _ options: HLSReader.Options) { (self.url, self.options) = (url, options) }

  /// What was found next, which may be nothing; `nil` at the end.
  ///
  /// - Throws: `CancellationError`, or a ``CuelightEventsError`` with the URL.
  mutating func next() async throws -> [StreamItem]? {
    try Task.checkCancellation()
    let reason: String
    do {
      return try await step()
    } catch let error as ReadingError {
      reason = error.description
    } catch let error as HLSReadingError {
      reason = "\(error)"
    } catch let error as HLSLoadFailureError {
      reason = error.failure.reason
    }
    throw CuelightEventsError("\(url.absoluteString): \(reason)")
  }

  private mutating func step() async throws -> [StreamItem]? {
    let now = kind
    // Readers are values: while one is used, there is no second one that would have to be copied.
    kind = .ended
    switch now {
    case .ended: return nil
    case .unknown: return try await begin()
    case .stream(var reader, var bytes):
      guard let chunk = try await bytes.next() else { return try reader.finish() }
      let items = try reader.push(chunk)
      kind = .stream(reader, bytes)
      return items
    case .presentation(var reader):
      let items = try await step(&reader)
      if items != nil { kind = .presentation(reader) }
      return items
    }
  }

  private mutating func begin() async throws -> [StreamItem] {
    var bytes = URLBytes(url).makeAsyncIterator()
    var prefix: [UInt8] = []
    while prefix.count < Self.prefixLength, let chunk = try await bytes.next() { prefix += chunk }
    if Playlist.isPlaylist(prefix.span) {
      // The reader loads playlists itself, again and again if they are live.
      kind = .presentation(HLSReader(playlist: URIReference(url.absoluteString), options: options))
      return []
    }
    var reader = EventReader(requiring: options.signatures)
    let items = try reader.push(prefix)
    kind = .stream(reader, bytes)
    return items
  }

  /// Does the next thing that a reader of presentations wants; `nil` at the end.
  private func step(_ reader: inout HLSReader) async throws -> [StreamItem]? {
    switch reader.step {
    case .finished: return nil
    case .wait(let time):
      try await Task.sleep(for: .seconds(max(time.seconds, 0)))
      reader.waited()
      return []
    case .load(let resource): return found(try await load(resource, into: &reader))
    }
  }

  private func load(_ resource: HLSReader.Resource, into reader: inout HLSReader) async throws -> [HLSItem] {
    let begun = ContinuousClock.now
    func elapsed() -> MediaTime {
      let passed = (ContinuousClock.now - begun).components
      return MediaTime(seconds: Double(passed.seconds) + Double(passed.attoseconds) / 1e18)
    }
    guard let address = allowed(resource.uri) else {
      return try reader.fail(HLSLoadFailure(.refused, "outside of what the presentation may name"), elapsed: .zero)
    }
    var items: [HLSItem] = []
    do {
      var bytes = URLBytes(address, range: resource.byteRange).makeAsyncIterator()
      var count: UInt64 = 0
      while let chunk = try await bytes.next() {
        if count == 0, let found = bytes.foundAt, found != address { reader.redirected(to: URIReference(found.absoluteString)) }
        count += UInt64(chunk.count)
        guard count <= resource.byteLimit else {
          return items + (try reader.fail(HLSLoadFailure(.refused, "larger than \(resource.byteLimit) bytes"), elapsed: elapsed()))
        }
        items += try reader.receive(chunk)
        guard wants(reader.step, resource) else { return items }
      }
      return items + (try reader.complete(elapsed: elapsed()))
    } catch let failure as HLSLoadFailureError {
      return items + (try reader.fail(failure.failure, elapsed: elapsed()))
    }
  }

  /// Whether the reader still wants the resource.
  private func wants(_ step: HLSReader.Step, _ resource: HLSReader.Resource) -> Bool {
    if case .load(let other) = step {
      other.uri == resource.uri && other.kind == resource.kind && other.byteRange == resource.byteRange
    } else {
      false
    }
  }

  /// The URL of a reference, if the presentation may name it: a web address if it is one itself, or a file in the playlist's folder.
  private func allowed(_ uri: URIReference) -> URL? {
    guard let address = URL(string: uri.text) else { return nil }
    guard url.isFileURL else { return address.scheme == "http" || address.scheme == "https" ? address : nil }
    guard address.isFileURL else { return nil }
    let folder = url.resolvingSymlinksInPath().deletingLastPathComponent().pathComponents
    return address.standardizedFileURL.resolvingSymlinksInPath().pathComponents.starts(with: folder) ? address : nil
  }

  private func found(_ items: [HLSItem]) -> [StreamItem] {
    items.compactMap { if case .item(let item, _) = $0 { item } else { nil } }
  }
}

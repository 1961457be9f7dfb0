package import Basics
import EventReading
import Files
import GameEvents
import HLSPlaylist
import HLSReading
import LiveSession
package import StreamInput
import Synchronization
import Terminal

/// Reads a stream once, on a thread of its own, for a page that shows its events: each event once, and a playlist if the stream is a file.
package final class PreviewReading: Sendable {
  /// The progress of reading.
  package struct Situation: Sendable {
    /// The events so far, in the order in which they were found.
    package internal(set) var events: [PreviewEvent] = []
    /// The programme time at which the video (or the audio) starts.
    package internal(set) var start: MediaTime?
    /// The programme time up to which the stream was read; known at the end.
    package internal(set) var end: MediaTime?
    /// The playlist over the file, if the stream is a file and was read completely.
    package internal(set) var playlist: [UInt8]?
    /// Why there is no playlist although the file was read completely.
    package internal(set) var playlistProblem: String?
    /// Whether the stream is an HLS presentation.
    package internal(set) var isPresentation = false
    /// Whether the first bytes belong to a stream.
    package internal(set) var isRecognised = false
    /// The origins of the segments, for a presentation on a web server.
    package internal(set) var origins: Set<String> = []
    /// The number of damaged places and of missing files.
    package internal(set) var damages = 0
    /// The first descriptions of what was damaged or missing.
    package internal(set) var notes: [String] = []
    /// The number of events beyond those that a page can show.
    package internal(set) var leftOut = 0
    /// Whether reading has ended.
    package internal(set) var isComplete = false
    /// Why reading ended before the stream did.
    package internal(set) var failure: StreamInputError?

    fileprivate var log = EventLog()
    fileprivate var indices: [GUID: Int] = [:]
    fileprivate var byteCount = 0
  }

  /// The name of the stream as the user gave it: a path or a URL.
  package let name: String
  /// The size in bytes, if the stream is a file.
  private let size: Int?
  private let state = Mutex(Situation())
  private let isStopped = Atomic<Bool>(false)
  /// Signals when it is known whether there is a stream.
  private let changes = Changes()

  /// The maximum number of events that are shown.
  package static let mostEvents = 10_000
  /// The maximum number of notes that are shown.
  private static let mostNotes = 20

  /// A stream that has not been read yet.
  package init(_ name: String) {
    self.name = name
    size = StreamInput.isURL(name) ? nil : Self.size(ofFile: name)
  }

  private static func size(ofFile path: String) -> Int? {
    // Pipes and devices are opened only once, for reading.
    guard FileIdentity(path: path) != nil, let file = try? FileInput(path: path) else { return nil }
    return file.size
  }

  /// The progress of reading.
  package var situation: Situation { state.withLock { $0 } }

  /// The part of the file that was read, from 0 to 1; `nil` if that is unknown.
  var progress: Double? {
    guard let size, size > 0 else { return nil }
    return state.withLock { $0.isPresentation ? nil : min(Double($0.byteCount) / Double(size), 1) }
  }

  /// Begins to read, on a thread of its own.
  package func start() {
    _ = Worker("preview") { self.read() }
  }

  /// Ends reading as soon as possible.
  package func stop() { isStopped.store(true, ordering: .relaxed) }

  /// Waits until it is known whether there is a stream.
  ///
  /// - Throws: `StreamInputError` if there is none.
  package func recognise() async throws(StreamInputError) {
    await Interruption.wait { [self] in await changes.wait { isKnown } }
    if let failure = situation.failure { throw failure }
    guard isKnown else { throw .interrupted }
  }

  private var isKnown: Bool { state.withLock { $0.isRecognised || $0.isComplete } }

  /// Reads to the end. Every finding is visible at once.
  package func read() {
    var input = StreamInput(name)
    input.isInterrupted = { self.isStopped.load(ordering: .relaxed) || Interruption.isRequested }
    var maker = FilePlaylistMaker(uri: StreamInput.isURL(name) ? name : PreviewResponder.folder + PreviewFiles.fileName)
    let look: StreamInput.Change = { portion in
      self.look(at: portion, &maker)
      return [portion]
    }
    do throws(StreamInputError) {
      let progress = try input.read(through: look) { item, start in
        self.note(item, start)
        return true
      }
      finish(&maker, end: progress.end)
    } catch {
      state.withLock { ($0.failure, $0.isComplete) = (error, true) }
      changes.tell()
    }
  }

  private func finish(_ maker: inout FilePlaylistMaker, end: MediaTime?) {
    var playlist: [UInt8]?
    var problem: String?
    if !state.withLock({ $0.isPresentation }) {
      do { playlist = try maker.finish().encode() } catch { problem = "\(error)" }
    }
    state.withLock { [problem] situation in
      (situation.playlist, situation.playlistProblem, situation.end, situation.isComplete) = (playlist, problem, end, true)
    }
    changes.tell()
  }

  /// Receives what was read: the bytes of a file are used for its playlist.
  private func look(at portion: HLSPortion, _ maker: inout FilePlaylistMaker) {
    switch portion {
    case .playlist(_, let uri):
      state.withLock {
        $0.isPresentation = true
        if let origin = URIReference(uri).origin { $0.origins.insert(origin) }
      }
    case .segments(let playlist, _, _):
      let origins = Set(Playlist.media(playlist).uris.compactMap { URIReference($0).origin })
      state.withLock {
        $0.origins.formUnion(origins)
        $0.isRecognised = true
      }
      changes.tell()
    case .bytes(let bytes):
      guard !state.withLock({ $0.isPresentation }) else { return }
      maker.push(bytes.span)
      let isRecognised = maker.isRecognised
      let isNew = state.withLock {
        let wasRecognised = $0.isRecognised
        $0.byteCount += bytes.count
        $0.isRecognised = isRecognised
        return isRecognised != wasRecognised
      }
      if isNew { changes.tell() }
    case .next, .discontinuity, .begin, .end, .lost, .notice, .finished: break
    }
  }

  private func note(_ item: HLSItem, _ start: MediaTime?) {
    state.withLock { situation in
      situation.start = start ?? situation.start
      switch item {
      case .item(.copy(let copy, let place), _): situation.add(copy, at: place.time)
      case .item(.damage(let damage), let source):
        situation.note("\(source.map { "\($0.uri): " } ?? "")byte \(damage.offset): \(damage.reason)", atMost: Self.mostNotes)
      case .notice(let notice): situation.note("\(notice)", atMost: Self.mostNotes)
      case .item(.tag, _): break
      }
    }
  }
}

extension PreviewReading.Situation {
  /// Adds a copy of an event: the first one is shown, the others are counted.
  fileprivate mutating func add(_ copy: EventCopy, at time: MediaTime) {
    let outcome = log.accept(copy, at: time)
    let event = copy.event
    if let index = indices[event.guid] {
      events[index].copies += 1
      // A copy with a checksum corrects one without.
      if outcome == .corrected {
        var corrected = PreviewEvent(event, at: events[index].time, question: question(of: event))
        corrected.copies = events[index].copies
        events[index] = corrected
      }
      return
    }
    guard outcome == .new || outcome == .recovered else { return }
    guard events.count < PreviewReading.mostEvents else {
      leftOut += 1
      return
    }
    indices[event.guid] = events.count
    events.append(PreviewEvent(event, at: time, question: question(of: event)))
  }

  private func question(of event: GameEvent) -> AskQuestion? {
    guard let index = event.content.questionGUID.flatMap({ indices[$0] }), case .askQuestion(let question) = events[index].event.content
    else { return nil }
    return question
  }

  fileprivate mutating func note(_ text: String, atMost limit: Int) {
    damages += 1
    if notes.count < limit { notes.append(text) }
  }
}

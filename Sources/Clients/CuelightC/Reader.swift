// `EventReader` as C functions. The caller makes a reader, writes bytes of a stream where `cuelight_reader_room` says, pushes them, and reads what
// the call left at `cuelight_reader_answer`: a JSON array of the items that were found, each as a line of `cuelight inspect --json`.
//
// Unsafe: a handle is that of a reader which was made and not ended, one thread at a time uses it, and nobody keeps an address over the next call.

import Basics
import CuelightClient
import EventReading
import GameBoundary
import GameEvents
import ReadingJSON
import StateMachine

/// A reader, the bytes that go in and come out, and what the last call found.
private final class Reader {
  private var reader = EventReader()
  private var log = EventLog()
  private var hasEnded = false
  /// What the last call found.
  private(set) var items: [StreamItem] = []
  /// Why the last call failed, in words.
  private var problem = ""
  let room = Room()
  let answer = Room()

  /// The programme time up to which the video, or the audio, was read.
  var end: MediaTime? {
    // A property of a class is copied where it is read, and not where it may be changed.
    func known(_ reader: inout EventReader) -> MediaTime? { reader.end }
    return known(&reader)
  }

  /// Reads, and leaves what was found. After an error and after the end nothing more is read.
  func read(_ step: (inout EventReader) throws(ReadingError) -> [StreamItem], isLast: Bool = false) -> Int {
    items = []
    guard !hasEnded else { return fail(.ended) }
    hasEnded = isLast
    do throws(ReadingError) {
      items = try step(&reader)
    } catch {
      hasEnded = true
      return fail(Failure(error), error.description)
    }
    return items.isEmpty ? 0 : answer.put(.array(items.map { .object(line(of: $0)) }))
  }

  func fail(_ failure: Failure, _ words: String? = nil) -> Int {
    problem = words ?? "\(failure.text)"
    return failure.rawValue
  }

  func leaveProblem() -> Int { answer.put([UInt8](problem.utf8)) }

  private func line(of item: StreamItem) -> JSONObject {
    guard case .copy(let copy, let place) = item else { return item.object(isDuplicate: false) }
    let outcome = log.accept(copy, at: place.time)
    return item.object(isDuplicate: outcome != .new && outcome != .recovered)
  }
}

private func reader(_ handle: UnsafeMutableRawPointer) -> Reader { unsafe Unmanaged<Reader>.fromOpaque(handle).takeUnretainedValue() }

// MARK: - A reader's beginning and end

/// Makes a reader at the beginning of a stream, which `cuelight_reader_destroy` ends.
@_cdecl("cuelight_reader_create") public func createReader() -> UnsafeMutableRawPointer {
  unsafe Unmanaged.passRetained(Reader()).toOpaque()
}

/// Ends a reader.
@_cdecl("cuelight_reader_destroy") public func destroyReader(_ handle: UnsafeMutableRawPointer) {
  unsafe Unmanaged<Reader>.fromOpaque(handle).release()
}

/// Where the caller writes that number of bytes before the next call.
@_cdecl("cuelight_reader_room") public func readerRoom(_ handle: UnsafeMutableRawPointer, _ count: Int) -> UnsafeMutableRawPointer {
  unsafe reader(handle).room.make(count)
}

/// Where the caller reads what the last call left.
@_cdecl("cuelight_reader_answer") public func readerAnswer(_ handle: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
  unsafe reader(handle).answer.make(0)
}

// MARK: - Bytes in, items out

/// Reads the next bytes of the stream, that number of them.
@_cdecl("cuelight_reader_push") public func push(_ handle: UnsafeMutableRawPointer, _ count: Int) -> Int {
  let reader = unsafe reader(handle)
  guard reader.room.has(count) else { return reader.fail(.badCount) }
  let bytes = reader.room.bytes(count: count)
  return reader.read { stream throws(ReadingError) in try stream.push(bytes) }
}

/// A segment of HLS starts with the next byte.
@_cdecl("cuelight_reader_start_segment") public func startSegment(_ handle: UnsafeMutableRawPointer) -> Int {
  unsafe reader(handle).read { stream throws(ReadingError) in try stream.startSegment() }
}

/// About that many seconds of the stream are missing here.
@_cdecl("cuelight_reader_skip") public func skip(_ handle: UnsafeMutableRawPointer, _ seconds: Double) -> Int {
  unsafe reader(handle).read { stream throws(ReadingError) in try stream.skip(max(MediaTime(seconds: seconds), .zero)) }
}

/// The stream has ended.
@_cdecl("cuelight_reader_finish") public func finishReading(_ handle: UnsafeMutableRawPointer) -> Int {
  unsafe reader(handle).read({ stream throws(ReadingError) in try stream.finish() }, isLast: true)
}

/// The programme time up to which the video, or the audio, was read; not a number where that is unknown.
@_cdecl("cuelight_reader_end") public func readerEnd(_ handle: UnsafeMutableRawPointer) -> Double {
  unsafe reader(handle).end?.seconds ?? .nan
}

/// Leaves the reason of the last error in words, UTF-8.
@_cdecl("cuelight_reader_problem") public func readerProblem(_ handle: UnsafeMutableRawPointer) -> Int {
  unsafe reader(handle).leaveProblem()
}

// MARK: - A game that a reader drives

/// A game receives the copies that the reader's last call found, each when it is presented in the programme: the player's clock is the programme's.
@_cdecl("cuelight_play") public func play(_ gameHandle: UnsafeMutableRawPointer, _ readerHandle: UnsafeMutableRawPointer) -> Int {
  let (game, reader) = unsafe (game(gameHandle), reader(readerHandle))
  var transitions: [GameTransition] = []
  for case .copy(let copy, let place) in reader.items {
    transitions += game.client.receive(copy, presentedAt: place.time, now: place.time)
  }
  return game.leave(transitions)
}

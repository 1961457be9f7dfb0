public import Basics
import EventReading
public import Foundation
public import GameEvents
import HLSPlaylist
public import HLSReading

/// The events of a stream as they come: of an HLS presentation, complete or live, of a transport stream, fragmented MP4 or packed audio, at an `http`,
/// `https` or `file` URL.
///
/// ```swift
/// for try await event in CuelightEvents(url) { print(event.time.seconds, event.event.type) }
/// ```
///
/// Reading goes as fast as the loop takes events, and ends with the presentation, or when the task is cancelled. A loop that pauses makes the loading pause. A presentation is read from
/// its first segment, with the options' `start` of `liveEdge` from where players start. References of a presentation are followed over the same kind of URL only, and those of a local playlist within its folder.
public struct CuelightEvents: AsyncSequence, Sendable {
  /// An event, and the copy by which it came.
  public struct Element: Sendable, CustomStringConvertible {
    /// The copy.
    public var copy: EventCopy
    /// When the copy is presented, on the programme's timeline.
    public var time: MediaTime
    /// Whether the event came before.
    public var isRepeat: Bool

    /// The event.
    public var event: GameEvent { copy.event }

    /// The copy in words, and when it is presented.
    public var description: String { "\(time.shortestDecimalSeconds) s: \(copy)" }
  }

  let url: URL
  let options: HLSReader.Options
  let includesRepeats: Bool

  /// The events of a stream.
  ///
  /// - Parameters:
  ///   - url: A playlist or a stream.
  ///   - options: How a presentation is read. Of a stream that is none, only the signatures count.
  ///   - includesRepeats: Whether each copy of an event is an element: a state machine wants them all.
  public init(_ url: URL, options: HLSReader.Options = HLSReader.Options(), includesRepeats: Bool = false) {
    self.url = url
    self.options = options
    self.includesRepeats = includesRepeats
  }

  /// Begins to read.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Reads the events, one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    private var reading: URLReading
    private var log = EventLog()
    private var waiting: [StreamItem] = []
    private let includesRepeats: Bool

    init(_ events: CuelightEvents) {
      reading = URLReading(events.url, events.options)
      includesRepeats = events.includesRepeats
    }

    /// The next event; `nil` at the end.
    ///
    /// - Throws: `CancellationError`; ``CuelightEventsError`` if the URL cannot be loaded, or holds no stream.
    public mutating func next() async throws -> Element? {
      while true {
        while !waiting.isEmpty {
          guard case .copy(let copy, let place) = waiting.removeFirst() else { continue }
          let outcome = log.accept(copy, at: place.time)
          let isRepeat = outcome != .new && outcome != .recovered && outcome != .corrected
          if includesRepeats || !isRepeat { return Element(copy: copy, time: place.time, isRepeat: isRepeat) }
        }
        guard let items = try await reading.next() else { return nil }
        waiting = items
      }
    }
  }
}

/// Why a URL cannot be read.
public struct CuelightEventsError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason in words.
  public var description: String

  init(_ description: String) { self.description = description }
}

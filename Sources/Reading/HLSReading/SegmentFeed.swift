import Basics
import EventReading
import TransportStream

/// Puts segments into event readers, one for each stretch between discontinuities, and knows where in the programme they are.
struct SegmentFeed: Sendable {
  /// A time in the programme.
  struct Position: Equatable, Sendable {
    /// As copies of events tell it, where they do.
    var time = MediaTime.zero
    /// As the pictures tell it, counted from where reading started.
    var videoTime = MediaTime.zero

    static func + (left: Position, right: MediaTime) -> Position {
      Position(time: left.time + right, videoTime: left.videoTime + right)
    }
  }

  /// A stretch of the reader's bytes that comes from one place.
  private struct Part: Sendable {
    /// Where it starts in the reader's bytes.
    var start: Int
    /// Where that lies in its file.
    var base: Int
    var source: HLSSource
  }

  /// Reads the current stretch.
  private(set) var reader = EventReader()
  /// Where the next segment starts in the programme.
  private(set) var position = Position()
  /// The programme time at which the first stretch starts; `nil` while it goes on.
  private var firstStart: MediaTime?
  /// Where the bytes of the current reader come from. A tag can wait for its time, or for its end, while others come.
  private var parts: [Part] = []
  /// Whether the rest of the current part is no stream.
  private var isRefused = false

  /// So many parts are remembered at least; what is older has no source any more.
  private static let partsRemembered = 2_048

  /// The programme time at which the picture (or the sound) starts.
  var start: MediaTime? { firstStart ?? reader.start }

  /// Starts a segment or a map, whose first byte lies at `base` in its file.
  mutating func begin(_ source: HLSSource, base: UInt64, _ items: inout [HLSItem]) {
    startPart(&items)
    if parts.count >= 2 * Self.partsRemembered { parts.removeFirst(Self.partsRemembered) }
    parts.append(Part(start: reader.byteCount, base: Int(clamping: base), source: source))
  }

  /// Takes bytes of what was begun.
  mutating func push(_ bytes: Span<UInt8>, _ items: inout [HLSItem]) {
    guard !isRefused, !bytes.isEmpty else { return }
    // Segments may have been lost before anything was read.
    if reader.byteCount == 0 { replaceReader() }
    do throws(ReadingError) {
      hand(on: try reader.push(bytes), &items)
    } catch {
      items.append(.notice(.unreadable(parts.last?.source, error)))
      isRefused = true
      replaceReader()
    }
  }

  /// Ends a segment that is whole and is `duration` long as the playlist says.
  mutating func end(_ duration: MediaTime) {
    // The pictures tell better than the playlist, if there are any in the segment.
    if let measured, measured.videoTime > position.videoTime {
      position = measured
    } else {
      position = position + duration
    }
  }

  /// Takes note that about `duration` of the stream is missing here, or what is left of a segment of that duration.
  mutating func lose(_ duration: MediaTime, _ items: inout [HLSItem]) {
    if reader.byteCount > 0 {
      do throws(ReadingError) {
        hand(on: try reader.skip(duration), &items)
      } catch {
        refuse(error, &items)
      }
    }
    let next = position + duration
    position = measured.map { $0.videoTime > next.videoTime ? $0 : next } ?? next
  }

  /// Ends a stretch; the programme goes on with another.
  mutating func restart(_ items: inout [HLSItem]) {
    finish(&items)
    replaceReader()
    parts = []
  }

  /// Ends reading.
  mutating func finish(_ items: inout [HLSItem]) {
    guard reader.byteCount > 0 else { return }
    do throws(ReadingError) {
      hand(on: try reader.finish(), &items)
    } catch {
      items.append(.notice(.unreadable(parts.last?.source, error)))
    }
  }

  /// Where the pictures end as far as they were read.
  private var measured: Position? {
    guard let end = reader.end, let zero = reader.zero, let videoOrigin = reader.videoOrigin else { return nil }
    return Position(time: end, videoTime: end + zero - videoOrigin)
  }

  /// Tells the reader that a part starts. One that has found nothing so far makes place for another: the first part may have been anything.
  private mutating func startPart(_ items: inout [HLSItem]) {
    isRefused = false
    guard reader.byteCount > 0 else {
      parts = []
      return
    }
    do throws(ReadingError) {
      hand(on: try reader.startSegment(), &items)
      // Every segment of a transport stream has its tables (RFC 8216, 3.2).
      let isRecognised = reader.container.map { $0 != .transportStream || reader.tables.association != nil } ?? false
      if !isRecognised { restart(&items) }
    } catch {
      refuse(error, &items)
    }
  }

  private mutating func refuse(_ error: ReadingError, _ items: inout [HLSItem]) {
    items.append(.notice(.unreadable(parts.last?.source, error)))
    replaceReader()
    parts = []
  }

  /// Starts a stretch where the programme is.
  private mutating func replaceReader() {
    firstStart = firstStart ?? reader.start
    reader = EventReader(startingAt: position.time, videoTime: position.videoTime)
  }

  /// Hands on items with their places in the files that they come from.
  private func hand(on found: [StreamItem], _ items: inout [HLSItem]) {
    for item in found {
      switch item {
      case .copy(let copy, var place):
        let source = locate(&place.offset)
        items.append(.item(.copy(copy, place), in: source))
      case .tag(let tag, var place):
        let source = locate(&place.offset)
        items.append(.item(.tag(tag, place), in: source))
      case .damage(var damage):
        let source = locate(&damage.offset)
        items.append(.item(.damage(damage), in: source))
      }
    }
  }

  /// Which part an offset lies in; the offset becomes that in the part's file.
  private func locate(_ offset: inout Int) -> HLSSource? {
    guard let part = parts.last(where: { $0.start <= offset }) else { return nil }
    let (sum, overflows) = (offset - part.start).addingReportingOverflow(part.base)
    offset = overflows ? .max : sum
    return part.source
  }
}

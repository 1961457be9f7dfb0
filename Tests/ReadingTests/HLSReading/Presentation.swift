import Basics
import CMAF
import EventReading
import GameEvents
import HLSPlaylist
import HLSReading

/// A presentation on a server that is made for tests: files, and what happens when they are asked for.
struct Presentation {
  /// What an answer is.
  enum Answer {
    /// All of it, in chunks of a size (or as a whole).
    case bytes([UInt8])
    /// So many bytes, and then an error.
    case cutOff([UInt8], after: Int)
    /// No bytes.
    case error(isFinal: Bool)
  }

  /// What was done and what it gave.
  struct Outcome {
    var items: [HLSItem] = []
    /// What was asked for, in order.
    var resources: [HLSReader.Resource] = []
    var waits: [MediaTime] = []
    /// The bytes that were read, with what they belong to, in order; those of one portion joined.
    var tapped: [(portion: HLSPortion, bytes: [UInt8])] = []
    var reader: HLSReader

    /// The addresses that were asked for.
    var uris: [String] { resources.map(\.uri.text) }
    /// What lies in the stream, without its source.
    var streamItems: [StreamItem] { items.compactMap { if case .item(let item, _) = $0 { item } else { nil } } }
    var notices: [HLSNotice] { items.compactMap { if case .notice(let notice) = $0 { notice } else { nil } } }
    /// The copies of events with their places and sources.
    var copies: [(copy: EventCopy, place: Place, source: HLSSource?)] {
      items.compactMap { if case .item(.copy(let copy, let place), let source) = $0 { (copy, place, source) } else { nil } }
    }
    var damages: [Damage] { streamItems.compactMap { if case .damage(let damage) = $0 { damage } else { nil } } }
  }

  /// Files by their addresses.
  var files: [String: [UInt8]] = [:]
  /// Other answers by address: one for each time that it is asked for, the last for all further times.
  var answers: [String: [Answer]] = [:]
  var chunk: Int?
  /// How long every loading takes.
  var elapsed = MediaTime.zero

  /// Reads the presentation to its end, or for so many steps.
  func read(_ top: String = "index.m3u8", _ options: HLSReader.Options = .init(), steps: Int = 10_000) throws(HLSReadingError) -> Outcome {
    var reader = HLSReader(playlist: URIReference(top), options: options)
    var outcome = Outcome(reader: reader)
    var counts: [String: Int] = [:]
    var remaining = steps
    loop: while remaining > 0 {
      remaining -= 1
      switch reader.step {
      case .finished: break loop
      case .wait(let time):
        outcome.waits.append(time)
        reader.waited()
      case .load(let resource):
        outcome.resources.append(resource)
        let count = counts[resource.uri.text, default: 0]
        counts[resource.uri.text] = count + 1
        outcome.items += try load(resource, count, &reader, &outcome)
      }
    }
    outcome.items += reader.stop()
    outcome.reader = reader
    return outcome
  }

  private func load(
    _ resource: HLSReader.Resource, _ count: Int, _ reader: inout HLSReader, _ outcome: inout Outcome
  ) throws(HLSReadingError) -> [HLSItem] {
    let scripted = answers[resource.uri.text] ?? []
    let answer =
      count < scripted.count ? scripted[count] : scripted.last ?? files[resource.uri.text].map { .bytes($0) } ?? .error(isFinal: true)
    switch answer {
    case .bytes(let bytes):
      let items = try deliver(resource, resource.part(of: bytes), &reader, &outcome)
      guard reader.step == .load(resource) else { return items }
      return items + (try reader.complete(elapsed: elapsed) { outcome.tap($0, $1) })
    case .cutOff(let bytes, let end):
      let items = try deliver(resource, Array(resource.part(of: bytes).prefix(end)), &reader, &outcome)
      return items + (try reader.fail("connection lost", isFinal: false, elapsed: elapsed))
    case .error(let isFinal): return try reader.fail(isFinal ? "not found" : "busy", isFinal: isFinal, elapsed: elapsed)
    }
  }

  /// Hands on bytes until the reader has had enough of the resource.
  private func deliver(
    _ resource: HLSReader.Resource, _ bytes: [UInt8], _ reader: inout HLSReader, _ outcome: inout Outcome
  ) throws(HLSReadingError) -> [HLSItem] {
    var items: [HLSItem] = []
    let size = chunk ?? max(bytes.count, 1)
    for start in stride(from: 0, to: bytes.count, by: size) where reader.step == .load(resource) {
      items += try reader.receive(bytes.span.extracting(start..<min(start + size, bytes.count))) { outcome.tap($0, $1) }
    }
    return items
  }
}

extension Presentation.Outcome {
  fileprivate mutating func tap(_ portion: HLSPortion, _ bytes: Span<UInt8>) {
    if tapped.last?.portion != portion { tapped.append((portion, [])) }
    for index in bytes.indices { tapped[tapped.count - 1].bytes.append(bytes[index]) }
  }
}

extension HLSReader.Resource {
  /// The part of a file that is asked for.
  func part(of bytes: [UInt8]) -> [UInt8] {
    guard let byteRange else { return bytes }
    return Array(bytes.dropFirst(Int(clamping: byteRange.offset)).prefix(Int(clamping: byteRange.length)))
  }
}

/// The error that reading a presentation ends with, or `nil`.
func readingError(_ body: () throws(HLSReadingError) -> Void) -> HLSReadingError? {
  do throws(HLSReadingError) {
    try body()
    return nil
  } catch {
    return error
  }
}

/// A playlist that has ended, of lines for its segments.
func playlist(_ lines: String..., target: Int = 2, header: [String] = [], isEnded: Bool = true) -> [UInt8] {
  let all = ["#EXTM3U", "#EXT-X-TARGETDURATION:\(target)"] + header + lines + (isEnded ? ["#EXT-X-ENDLIST"] : [])
  return Array(all.map { $0 + "\n" }.joined().utf8)
}

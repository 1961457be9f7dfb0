import Basics
import CMAF
import EventReading
import GameEvents
import HLSPlaylist
import HLSReading
import TransportStream

/// A presentation on a server that is made for tests: files, and what happens when they are asked for.
struct Presentation {
  /// What an answer is.
  enum Answer {
    /// All of it, in chunks of a size (or as a whole).
    case bytes([UInt8])
    /// The first bytes, and then an error.
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
    /// What the loader yielded, in order.
    var portions: [HLSPortion] = []
    var reader: Reader

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

  /// A loader and an event reader, joined as `HLSReader` joins them, with something between them.
  struct Reader {
    private(set) var loader: HLSLoader
    private(set) var events: HLSEventReader

    init(_ top: String, _ options: HLSReader.Options) {
      loader = HLSLoader(playlist: URIReference(top), options: options)
      events = HLSEventReader(options)
    }

    var step: HLSReader.Step { events.isFinished ? .finished : loader.step }
    var choices: [HLSChoice] { loader.choices }
    var choice: HLSChoice? { loader.choice }
    var playlist: MediaPlaylist? { loader.playlist }
    var start: MediaTime? { events.start }
    var end: MediaTime? { events.end }
    var container: Container? { events.container }
    var tables: ProgramTables { events.tables }

    mutating func waited() { loader.waited() }
    mutating func load(
      _ body: (inout HLSLoader) throws(HLSReadingError) -> [HLSPortion], _ outcome: inout Outcome, through change: Change
    ) throws(HLSReadingError) {
      for portion in try body(&loader) {
        outcome.portions.append(portion)
        outcome.items += events.receive(change(portion))
      }
    }
    mutating func stop() -> [HLSItem] { events.receive(.finished) }
  }

  typealias Change = (HLSPortion) -> [HLSPortion]

  /// Files by their addresses.
  var files: [String: [UInt8]] = [:]
  /// Other answers by address: one for each time that it is asked for, the last for all further times.
  var answers: [String: [Answer]] = [:]
  var chunk: Int?
  /// How long every loading takes.
  var elapsed = MediaTime.zero

  /// Reads the presentation to its end, or for a number of steps.
  func read(
    _ top: String = "index.m3u8", _ options: HLSReader.Options = .init(), steps: Int = 10_000, through change: Change = { [$0] }
  ) throws(HLSReadingError) -> Outcome {
    var reader = Reader(top, options)
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
        try load(resource, count, &reader, &outcome, through: change)
      }
    }
    outcome.items += reader.stop()
    outcome.reader = reader
    return outcome
  }

  private func load(
    _ resource: HLSReader.Resource, _ count: Int, _ reader: inout Reader, _ outcome: inout Outcome, through change: Change
  ) throws(HLSReadingError) {
    let scripted = answers[resource.uri.text] ?? []
    let answer =
      count < scripted.count ? scripted[count] : scripted.last ?? files[resource.uri.text].map { .bytes($0) } ?? .error(isFinal: true)
    var failure: HLSLoadFailure?
    switch answer {
    case .bytes(let bytes): try deliver(resource, resource.part(of: bytes), &reader, &outcome, through: change)
    case .cutOff(let bytes, let end):
      try deliver(resource, Array(resource.part(of: bytes).prefix(end)), &reader, &outcome, through: change)
      failure = HLSLoadFailure(.temporary, "connection lost")
    case .error(let isFinal): failure = isFinal ? HLSLoadFailure(.missing, "not found") : HLSLoadFailure(.temporary, "busy")
    }
    guard reader.step == .load(resource) else { return }
    let end: (inout HLSLoader) throws(HLSReadingError) -> [HLSPortion] = { (loader) throws(HLSReadingError) in
      if let failure { try loader.fail(failure, elapsed: elapsed) } else { try loader.complete(elapsed: elapsed) }
    }
    try reader.load(end, &outcome, through: change)
  }

  /// Hands over bytes until the loader has had enough of the resource.
  private func deliver(
    _ resource: HLSReader.Resource, _ bytes: [UInt8], _ reader: inout Reader, _ outcome: inout Outcome, through change: Change
  ) throws(HLSReadingError) {
    let size = chunk ?? max(bytes.count, 1)
    for start in stride(from: 0, to: bytes.count, by: size) where reader.step == .load(resource) {
      let piece = bytes[start..<min(start + size, bytes.count)]
      try reader.load({ (loader) throws(HLSReadingError) in try loader.receive(piece) }, &outcome, through: change)
    }
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

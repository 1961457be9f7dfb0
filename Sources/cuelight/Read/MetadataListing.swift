import Basics
import CommandSupport
import EventReading
import HLSReading
import MetadataReading

/// The lines of `inspect --all`, put in the order of their times.
///
/// At most a number of lines is held: a splice is announced before its time, and is repeated.
struct MetadataListing {
  /// What a line tells.
  private enum Content {
    case item(StreamItem, isDuplicate: Bool, HLSSource?)
    case metadata(TimedMetadata, number: Int, count: Int)
  }

  private var reader = MetadataReader()
  private var lines: [(time: MediaTime, content: Content)] = []
  private var latest = MediaTime.zero
  /// How much later the copies of events say that the stream is than its video does.
  private var lead = MediaTime.zero
  /// The number of items of metadata.
  private(set) var count = 0

  /// The maximum number of held lines.
  private static let most = 4_096

  /// Receives a portion before it is read for events.
  mutating func receive(_ portion: HLSPortion) { add(reader.receive(portion)) }

  /// Receives an item of the stream.
  mutating func add(_ item: StreamItem, isDuplicate: Bool, in source: HLSSource?) {
    switch item {
    case .copy(_, let place), .tag(_, let place):
      latest = place.time
      if let videoTime = place.videoTime { lead = place.time - videoTime }
    case .damage: break
    }
    lines.append((latest, .item(item, isDuplicate: isDuplicate, source)))
  }

  private mutating func add(_ findings: [MetadataFinding]) {
    for finding in findings {
      switch finding {
      case .new(let item, let number):
        count += 1
        lines.append((item.time, .metadata(item, number: number, count: 1)))
      case .repeated(let number):
        guard let index = lines.lastIndex(where: { if case .metadata(_, number, _) = $0.content { true } else { false } }),
          case .metadata(let item, _, let count) = lines[index].content
        else { continue }
        lines[index].content = .metadata(item, number: number, count: count + 1)
      }
    }
  }

  /// Writes the lines that are due: the earlier half if too many are held, or all at the end.
  mutating func write(
    isLast: Bool, to output: inout StandardOutput, json: Bool, of choice: HLSChoice?
  ) throws(CommandFailure) {
    if isLast { add(reader.finish()) }
    guard isLast || lines.count >= Self.most else { return }
    for index in lines.indices { if case .metadata(let item, _, _) = lines[index].content { lines[index].time = item.time + lead } }
    // Equal times stay in the order of the stream.
    let order = lines.indices.sorted { (lines[$0].time, $0) < (lines[$1].time, $1) }
    let due = order.prefix(isLast ? order.count : order.count / 2)
    for index in due {
      switch lines[index].content {
      case .item(let item, let isDuplicate, let source):
        if json {
          try output.line(item.lineOfAll(isDuplicate: isDuplicate, in: source, of: choice))
        } else if let text = item.text(isDuplicate: isDuplicate, in: source, withDetails: true) {
          try output.line(text)
        }
      case .metadata(var item, _, let count):
        item.time = lines[index].time
        if json { try output.line(item.line(count: count, of: choice)) } else { try output.line(item.text(count: count)) }
      }
    }
    let written = Set(due)
    lines = lines.indices.filter { !written.contains($0) }.map { lines[$0] }
  }
}

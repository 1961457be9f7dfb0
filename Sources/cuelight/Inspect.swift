import ArgumentParser
import EventReading
import FileInput
import Foundation
import GameEvents
import ID3
import JSONText
import MediaTime

struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List every copy of every event, and every other ID3 tag, as it lies in the stream.",
    discussion: """
      Example:
        cuelight inspect show.ts
        cuelight inspect --json show.ts | jq 'select(.duplicate == false)'
      """)

  @Argument(help: "The stream: MPEG-TS, fragmented MP4 or packed audio; - for standard input.")
  var input: String

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  mutating func run() throws {
    var output = StandardOutput(isLineBuffered: Terminal.isOutput)
    var log = EventLog()
    var (events, copies, tags, damages) = (0, 0, 0, 0)
    let reader = try StreamSource(path: input).read { (item, _) throws(CommandFailure) in
      var isDuplicate = false
      switch item {
      case .copy(let copy, let place):
        copies += 1
        let outcome = log.accept(copy, at: place.time)
        isDuplicate = outcome != .new && outcome != .recovered
        if !isDuplicate { events += 1 }
      case .tag: tags += 1
      case .damage(let damage):
        damages += 1
        StandardError.write("\(input): byte \(damage.offset): \(damage.reason)")
      }
      if json {
        try output.line(item.line(isDuplicate: isDuplicate).text)
      } else if let text = item.text(isDuplicate: isDuplicate) {
        try output.line(TransitionPrinter.printable(text))
      }
    }
    try output.flush()
    if copies + tags == 0 {
      StandardError.write("\(input): no timed ID3 found; the stream has \(StreamSource.contents(of: reader))")
    } else if !json {
      try output.line("\(events) events in \(copies) copies, \(tags) other tags, \(damages) damaged places")
    }
    try output.flush()
  }
}

extension StreamItem {
  /// The item as `inspect` prints it for people; `nil` for damage, which is a message.
  fileprivate func text(isDuplicate: Bool) -> String? {
    switch self {
    case .copy(let copy, let place):
      let number = copy.isRefresh ? "refresh" : "copy \(copy.copy)/\(copy.copies)"
      let sequence = copy.event.sequence.map { "#\($0)" } ?? "#-"
      let notes = [isDuplicate ? nil : "new", copy.isVerified ? nil : "unverified"].compactMap(\.self).joined(separator: ", ")
      let columns = [
        place.time.clockText, sequence.padded(to: 5), copy.event.type.text.padded(to: 12), number.padded(to: 9),
        "age \(copy.age.text(decimals: 3))".padded(to: 12), place.text, copy.event.guid.text, notes,
      ]
      return columns.joined(separator: "  ").trimmingTrailingSpaces
    case .tag(let tag, let place):
      let frames = tag.frames.map(\.text).joined(separator: "; ")
      return [place.time.clockText, "tag".padded(to: 5), place.text, frames].joined(separator: "  ")
    case .damage: return nil
    }
  }
}

extension Place {
  fileprivate var text: String {
    switch carriage {
    case .transportStream(let pid): "pid \(pid)  byte \(offset)  \(byteCount) bytes"
    case .eventMessage(let id): "emsg \(id)  byte \(offset)  \(byteCount) bytes"
    case .dateRange(let id): "daterange \(id)  \(byteCount) bytes"
    case .packedAudio: "byte \(offset)  \(byteCount) bytes"
    }
  }
}

extension String {
  /// The text with spaces behind it, up to `width` characters.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  fileprivate var trimmingTrailingSpaces: String {
    String(reversed().drop { $0 == " " }.reversed())
  }
}

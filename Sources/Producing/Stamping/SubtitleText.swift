import Basics
import LibAV

/// A text of subtitles as WebVTT has it.
struct SubtitleCue: Equatable, Sendable {
  /// When it is shown, on the programme's timeline.
  var time: Range<MediaTime>
  /// Its lines, none of which is empty.
  var text: String

  /// The cues of a stream, in the order of their times. A text without a duration is shown until the next one, for ten seconds at most.
  static func cues(_ packets: [SubtitlePacket], codec: String) -> [SubtitleCue] {
    let sorted = packets.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
    return sorted.enumerated().compactMap { index, packet in
      let next = index + 1 < sorted.count ? sorted[index + 1].start : packet.start + longest
      let end = packet.duration.map { packet.start + $0 } ?? min(next, packet.start + longest)
      guard end > packet.start, end > .zero, let text = text(packet.bytes, codec: codec) else { return nil }
      return SubtitleCue(time: max(packet.start, .zero)..<end, text: text)
    }
  }

  private static let longest = MediaTime(seconds: 10)

  /// The text of a packet as the payload of a WebVTT cue; `nil` if nothing is shown.
  static func text(_ bytes: [UInt8], codec: String) -> String? {
    var text: String
    switch codec {
    case "mov_text":
      // The length comes first, and boxes with styles may follow.
      guard bytes.count >= 2 else { return nil }
      let length = Int(bytes[0]) << 8 | Int(bytes[1])
      text = escaped(String(decoding: bytes[2...].prefix(length), as: UTF8.self))
    case "ass":
      // Eight fields come first, separated by commas.
      let fields = String(decoding: bytes, as: UTF8.self).split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false)
      guard fields.count == 9 else { return nil }
      text = escaped(
        withoutOverrides(String(fields[8])).replacing("\\N", with: "\n").replacing("\\n", with: "\n")
          .replacing("\\h", with: " "))
    case "webvtt": text = String(decoding: bytes, as: UTF8.self)
    default: text = withTags(escaped(withoutOverrides(String(decoding: bytes, as: UTF8.self))))
    }
    text = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\0", with: "")
    // An empty line would end the cue.
    let lines = text.split(separator: "\n").filter { !$0.allSatisfy { $0 == " " || $0 == "\t" } }
    return lines.isEmpty ? nil : lines.joined(separator: "\n").replacing("-->", with: "--&gt;")
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  /// Brings back the tags that SubRip and WebVTT have in common.
  private static func withTags(_ text: String) -> String {
    ["i", "b", "u"].reduce(text) { text, tag in
      text.replacing("&lt;\(tag)&gt;", with: "<\(tag)>").replacing("&lt;/\(tag)&gt;", with: "</\(tag)>")
    }
  }

  /// Takes out what ASS puts in braces, such as `{\an8}`, which some files of SubRip have too.
  private static func withoutOverrides(_ text: String) -> String {
    var output = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "{\\"), let end = rest[start.upperBound...].firstIndex(of: "}") {
      output += rest[..<start.lowerBound]
      rest = rest[rest.index(after: end)...]
    }
    return output + rest
  }
}

extension [SubtitleCue] {
  /// A segment of WebVTT with the cues that are shown in a part of the programme (RFC 8216bis, 3.1.4).
  ///
  /// - Parameter origin: When the programme's zero is presented, on the stream's timeline.
  func segment(_ part: Range<MediaTime>, origin: MediaTime) -> String {
    var text = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:\(UInt64(bitPattern: origin.ticks) & 0x1_FFFF_FFFF),LOCAL:00:00:00.000\n"
    for cue in self where cue.time.overlaps(part) {
      text += "\n\(Self.clock(cue.time.lowerBound)) --> \(Self.clock(cue.time.upperBound))\n\(cue.text)\n"
    }
    return text
  }

  private static func clock(_ time: MediaTime) -> String {
    let milliseconds = (time.ticks + 45) / 90
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    return "\(Int(seconds / 3_600).digits(2)):\(Int(seconds / 60 % 60).digits(2)):\(Int(seconds % 60).digits(2)).\(Int(rest).digits(3))"
  }
}

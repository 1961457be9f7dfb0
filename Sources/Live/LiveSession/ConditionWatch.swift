import Basics
import LiveHLS

/// Writes a message for the operator about each change of a session's condition.
struct ConditionWatch: Equatable, Sendable {
  /// The reported format, since the input came up.
  private var format: StreamFormat?
  /// The number of segments before the input came up.
  private var earlierSegments = 0
  private var isRefusing = false

  /// The new messages.
  ///
  /// - Parameters:
  ///   - found: How the stream is coded; `nil` before the first segment.
  ///   - refusal: Why no event is accepted; `nil` if events are.
  ///   - input: The input's name.
  mutating func messages(_ situation: LiveSession.Situation, _ found: StreamFormat?, refusal: String?, input: String) -> [String] {
    var messages: [String] = []
    if !situation.isInputUp {
      (format, earlierSegments) = (nil, situation.segments)
    } else if let found, found != format, situation.segments > earlierSegments {
      format = found
      messages.append("\(input): \(Self.words(situation, found))")
    }
    if (refusal != nil) != isRefusing {
      isRefusing = refusal != nil
      messages.append(refusal ?? "events can be written again")
    }
    return messages
  }

  private static func words(_ situation: LiveSession.Situation, _ format: StreamFormat) -> String {
    var words = ["\(format)"]
    if situation.input.bitRate > 0 {
      // In hundredths of a megabit, at least one.
      let hundredths = max(Int64(min(situation.input.bitRate, 1e12) / 10_000), 1)
      words.append("\(hundredths / 100).\((hundredths % 100).digits(2)) Mbit/s")
    }
    if let interval = situation.keyFrameInterval { words.append("a key frame every \(interval.text(decimals: 1)) s") }
    return words.joined(separator: ", ")
  }
}

import Basics
import LiveHLS

/// The state of a session's stream and journal.
struct SessionCondition: Equatable, Sendable {
  var isInputUp = false
  /// How the stream is coded; `nil` before the first segment.
  var format: StreamFormat?
  /// The input's bits a second.
  var bitRate = 0.0
  /// The longest recent time between two key frames; `nil` before the second one.
  var keyFrameInterval: MediaTime?
  /// The number of listed segments.
  var segmentCount = 0
  /// Why no event is accepted; `nil` if events are.
  var refusal: String?
}

/// Writes a message for the operator about each change of a session's condition.
struct ConditionWatch: Equatable, Sendable {
  /// The reported format, since the input came up.
  private var format: StreamFormat?
  /// The number of segments before the input came up.
  private var earlierSegments = 0
  private var isRefusing = false

  /// The new messages.
  ///
  /// - Parameter input: The input's name.
  mutating func messages(_ condition: SessionCondition, input: String) -> [String] {
    var messages: [String] = []
    if !condition.isInputUp {
      (format, earlierSegments) = (nil, condition.segmentCount)
    } else if let found = condition.format, found != format, condition.segmentCount > earlierSegments {
      format = found
      messages.append("\(input): \(Self.words(condition, found))")
    }
    if (condition.refusal != nil) != isRefusing {
      isRefusing = condition.refusal != nil
      messages.append(condition.refusal ?? "events can be written again")
    }
    return messages
  }

  private static func words(_ condition: SessionCondition, _ format: StreamFormat) -> String {
    var words = ["\(format)"]
    if condition.bitRate > 0 {
      // In hundredths of a megabit, at least one.
      let hundredths = max(Int64(min(condition.bitRate, 1e12) / 10_000), 1)
      words.append("\(hundredths / 100).\((hundredths % 100).digits(2)) Mbit/s")
    }
    if let interval = condition.keyFrameInterval { words.append("a key frame every \(interval.text(decimals: 1)) s") }
    return words.joined(separator: ", ")
  }
}

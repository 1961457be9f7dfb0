import Basics
import LiveHLS

/// What is known of a session's stream and of its journal at a moment.
struct SessionCondition: Equatable, Sendable {
  var isInputUp = false
  /// How the stream is coded; `nil` before the first segment.
  var format: StreamFormat?
  /// Bits a second of the input.
  var bitRate = 0.0
  /// The longest time between two key frames lately; `nil` before the second one.
  var keyFrameInterval: MediaTime?
  /// How many segments were listed.
  var segmentCount = 0
  /// Why no event can be taken; `nil` where they can.
  var refusal: String?
}

/// Decides what the operator is told of a session's condition: each change once.
struct ConditionWatch: Equatable, Sendable {
  /// The format that was told since the input has come.
  private var format: StreamFormat?
  /// How many segments there were before the input came.
  private var earlierSegments = 0
  private var isRefusing = false

  /// What is to be told.
  ///
  /// - Parameter input: What the input is called.
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
      messages.append(condition.refusal ?? "events are written down again")
    }
    return messages
  }

  private static func words(_ condition: SessionCondition, _ format: StreamFormat) -> String {
    var words = ["\(format)"]
    if condition.bitRate > 0 {
      // To a hundredth of a megabit, at least one.
      let hundredths = max(Int64(min(condition.bitRate, 1e12) / 10_000), 1)
      words.append("\(hundredths / 100).\((hundredths % 100).digits(2)) Mbit/s")
    }
    if let interval = condition.keyFrameInterval { words.append("a key frame every \(interval.text(decimals: 1)) s") }
    return words.joined(separator: ", ")
  }
}

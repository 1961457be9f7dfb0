import Basics
import NIOCore

/// A question that takes answers, and where the programme is meanwhile.
struct AskedQuestion: Sendable {
  let guid: String
  /// What players answer.
  let answers: AnswerPair
  /// Its number in the game, from 1.
  let number: Int
  let opensAt: MediaTime
  let closesAt: MediaTime
  /// When the state was first seen as open. The live edge had reached `opensAt` by then.
  let seenAt: NIODeadline

  /// How far behind the live edge players are at least: whoever is ahead of it is refused.
  private static let margin = TimeAmount.milliseconds(300)

  /// The programme's time at a moment, in ticks since `opensAt`: never ahead of the live edge, nor before the question.
  func offset(at now: NIODeadline) -> Int64 {
    let behind = (now - seenAt - Self.margin).nanoseconds
    // 90,000 ticks for 10^9 nanoseconds.
    return max(behind, 0) * 9 / 100_000
  }

  /// How many microseconds are left for answers.
  func timeLeft(at now: NIODeadline) -> Int {
    let all = Int(clamping: (closesAt - opensAt).ticks) * 100 / 9
    return max(all - Int((now - seenAt).nanoseconds / 1_000), 0)
  }
}

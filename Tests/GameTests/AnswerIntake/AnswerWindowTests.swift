import AnswerIntake
import Basics
import GameEvents
import Testing

/// Which answers a question takes.
@Suite struct AnswerWindowTests {
  private static func time(_ seconds: Int, plus ticks: Int64 = 0) -> MediaTime { MediaTime(ticks: Int64(seconds) * 90_000 + ticks) }

  /// Three answers, from 10 s to 20 s, up to 12 s behind the live edge.
  private static let window = AnswerWindow(question: 4, form: .one(of: 3), opensAt: time(10), closesAt: time(20), delay: time(12))
  private static let beginning = MediaTime(ticks: .min)
  private static let never = MediaTime(ticks: .max)

  private struct Case: Sendable {
    var answer: Int
    var time: MediaTime
    var edge: MediaTime
    var joined: MediaTime
    var isClosed: Bool
    var refusal: AnswerWindow.Refusal?

    init(
      _ refusal: AnswerWindow.Refusal?, answer: Int = 0, at time: MediaTime, edge: MediaTime = MediaTime(seconds: 21),
      joined: MediaTime = MediaTime(ticks: .min), isClosed: Bool = false
    ) {
      (self.refusal, self.answer, self.time, self.edge, self.joined, self.isClosed) = (refusal, answer, time, edge, joined, isClosed)
    }
  }

  private static let cases: [Case] = [
    // The question opens with its first tick and is closed at its end.
    Case(nil, at: time(10)), Case(.tooEarly, at: time(10, plus: -1)), Case(nil, at: time(20, plus: -1)), Case(.tooLate, at: time(20)),
    Case(.tooEarly, at: beginning), Case(.tooLate, at: never, edge: never),
    // It has three answers.
    Case(nil, answer: 2, at: time(12)), Case(.unknownAnswer, answer: 3, at: time(12)), Case(.unknownAnswer, answer: -1, at: time(12)),
    Case(.unknownAnswer, answer: .max, at: time(12)), Case(.unknownAnswer, answer: .min, at: time(12)),
    // Nobody is ahead of the live edge, but for clocks that run a little ahead: half a second.
    Case(nil, at: time(15), edge: time(15)), Case(nil, at: time(15, plus: 45_000), edge: time(15)),
    Case(.ahead, at: time(15, plus: 45_001), edge: time(15)), Case(.ahead, at: time(25), edge: time(15)),
    Case(.ahead, at: time(9), edge: time(8)),
    // Nobody is further behind than is allowed, half a second aside.
    Case(nil, at: time(12), edge: time(24, plus: 45_000)), Case(.tooFarBehind, at: time(12, plus: -1), edge: time(24, plus: 45_000)),
    Case(.tooFarBehind, at: time(12), edge: time(50)), Case(.tooLate, at: time(20), edge: time(50)),
    Case(.tooEarly, at: time(9), edge: time(50)), Case(.tooFarBehind, at: time(12), edge: never),
    // Players count from when they joined.
    Case(nil, at: time(15), joined: time(15)), Case(.tooEarly, at: time(15), joined: time(15, plus: 1)),
    Case(.tooEarly, at: time(15), joined: never),
    // Nothing is taken of what is decided, whatever else there is to say.
    Case(.revealed, at: time(12), isClosed: true),
    Case(.revealed, answer: 7, at: time(90), edge: time(1), joined: time(100), isClosed: true),
    // An answer that there is not comes before the time.
    Case(.unknownAnswer, answer: 3, at: time(90), edge: time(1)),
  ]

  @Test func everyReason() {
    for item in Self.cases {
      var window = Self.window
      window.isClosed = item.isClosed
      #expect(window.refusal(.one(item.answer), at: item.time, edge: item.edge, joined: item.joined) == item.refusal, "\(item)")
    }
    #expect(AnswerWindow.tolerance == MediaTime(ticks: 45_000))
  }

  /// An answer is taken where all conditions hold, and nowhere else.
  @Test func exactlyWhereAllConditionsHold() {
    var numbers = SeededNumbers(seed: 11)
    var taken = 0
    for _ in 0..<20_000 {
      // Half a second is three steps: the tolerance is met exactly now and then.
      let ticks = (0..<5).map { _ in Int64(numbers.below(12)) * 15_000 }
      let (opens, closes, at, edge, joined) = (ticks[0], ticks[0] + ticks[1], ticks[2], ticks[3], ticks[4])
      let (answer, isClosed) = (numbers.below(5) - 1, numbers.below(8) == 0)
      let delay = Int64(numbers.below(6)) * 15_000
      let window = AnswerWindow(
        question: 0, form: .one(of: 2), opensAt: MediaTime(ticks: opens), closesAt: MediaTime(ticks: closes),
        delay: MediaTime(ticks: delay),
        isClosed: isClosed)
      let isInTime = opens <= at && at < closes
      let isPossible = joined <= at && at - 45_000 <= edge && at + 45_000 + delay >= edge
      let isRight = isInTime && isPossible && !isClosed && (answer == 0 || answer == 1)
      taken += isRight ? 1 : 0
      let refusal = window.refusal(
        .one(answer), at: MediaTime(ticks: at), edge: MediaTime(ticks: edge), joined: MediaTime(ticks: joined))
      #expect((refusal == nil) == isRight, "\(window), answer \(answer) at \(at), edge \(edge), joined \(joined)")
    }
    #expect(taken > 200)
  }

  /// Clients know these words.
  @Test func words() {
    let words = AnswerWindow.Refusal.allCases.map(\.rawValue)
    #expect(
      words == [
        "unknown-question", "unknown-answer", "too-early", "too-late", "too-far-behind", "ahead-of-live", "after-reveal", "eliminated",
      ])
  }
}

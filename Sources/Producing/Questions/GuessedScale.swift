import Basics
import GameEvents
import Sheets

/// The task of a question for a number that says the right number and how far others may be from it, but not which numbers there are to choose from.
enum GuessedScale {
  /// The task: from 0, or from as far below it, to a round number well above the right one, so that the middle of the range says nothing. The step has as
  /// many decimals as the right number and the distance, or is larger where there would be too many steps; `nil` if the right numbers could not be given then.
  ///
  /// - Parameters:
  ///   - right: The right number.
  ///   - within: The distance up to which a number is right.
  static func task(right: DecimalNumber, within: DecimalNumber, unit: String? = nil) -> QuestionTask? {
    var step = min(step(of: right), step(of: within))
    let leastSteps = UInt64(step) * 10
    guard within >= .zero, let most = bound(right.millionths.magnitude, within.millionths.magnitude, leastSteps) else { return nil }
    let least = right < .zero ? DecimalNumber(millionths: -most) : .zero
    var scale = NumberScale(least: least, most: DecimalNumber(millionths: most), step: DecimalNumber(millionths: step))
    while scale == nil, step < most {
      step *= 10
      scale = NumberScale(least: least, most: DecimalNumber(millionths: most), step: DecimalNumber(millionths: step))
    }
    guard let scale, scale.nearest(to: right).distance(to: right) <= within.millionths.magnitude else { return nil }
    return QuestionTask(.number, grading: Grading(within: within), scale: scale, unit: unit)
  }

  /// What to say of the range.
  static func notice(_ task: QuestionTask) -> String {
    guard let scale = task.scale else { return "" }
    return "the numbers to choose from are guessed: \(scale.least.text) to \(scale.most.text) in steps of \(scale.step.text); "
      + "a quiz file may say others (least, most, step)"
  }

  /// The middle of two numbers, and their distance from it.
  static func middle(of low: DecimalNumber, _ high: DecimalNumber) -> (right: DecimalNumber, within: DecimalNumber) {
    let span = Int64(clamping: low.distance(to: high))
    let first = low < high ? low : high
    return (DecimalNumber(millionths: first.millionths + span / 2), DecimalNumber(millionths: span - span / 2))
  }

  /// 1, 2 or 5 times a power of ten: at least one and a half times the number, ten times the distance, and ten steps.
  private static func bound(_ number: UInt64, _ within: UInt64, _ tenSteps: UInt64) -> Int64? {
    let (wide, isTooWide) = within.multipliedReportingOverflow(by: 10)
    let (least, isTooLarge) = max(number, 1_000_000).addingReportingOverflow(number / 2)
    let needed = max(wide, least, tenSteps)
    guard !isTooWide, !isTooLarge else { return nil }
    var power: UInt64 = 1_000_000
    while power <= largest {
      for factor in [1, 2, 5] as [UInt64] where factor * power >= needed && factor * power <= largest { return Int64(factor * power) }
      power *= 10
    }
    return nil
  }

  private static let largest = UInt64(DecimalNumber.largest) * 1_000_000

  /// One unit of a number's last decimal, in millionths: 1 for whole numbers.
  private static func step(of number: DecimalNumber) -> Int64 {
    var step: Int64 = 1_000_000
    while step > 1, number.millionths % step != 0 { step /= 10 }
    return step
  }
}

import Basics
import Testing

@Suite struct DecimalNumberTests {
  @Test(
    arguments: [
      ("0", 0, "0"), ("-0", 0, "0"), ("1", 1_000_000, "1"), ("-2.5", -2_500_000, "-2.5"), ("0.000001", 1, "0.000001"),
      ("-0.000001", -1, "-0.000001"), ("1e3", 1_000_000_000, "1000"), ("25e-1", 2_500_000, "2.5"), ("1.500000000", 1_500_000, "1.5"),
      ("1000000000000", 1_000_000_000_000_000_000, "1000000000000"), ("-1000000000000", -1_000_000_000_000_000_000, "-1000000000000"),
    ] as [(String, Int64, String)]) func read(text: String, millionths: Int64, written: String)
  {
    let number = DecimalNumber(text)
    #expect(number?.millionths == millionths)
    #expect(number?.text == written)
  }

  @Test(arguments: [
    "", " ", "a", "1 ", "+1", ".5", "1.", "0.0000001", "1.0000001", "1000000000000.000001", "1000000000001", "1e13", "1e999999999999",
    "-1e13", "NaN", "0x1",
  ]) func refused(text: String) { #expect(DecimalNumber(text) == nil) }

  @Test func wholeNumbers() {
    #expect([0, -3, 1_000_000_000_000].map { DecimalNumber($0)?.text } == ["0", "-3", "1000000000000"])
    #expect([1_000_000_000_001, .max, .min].map { DecimalNumber($0) } == [nil, nil, nil])
  }

  /// What is written is read as the same, and numbers have the order of their millionths.
  @Test func seeded() throws {
    var numbers = SeededNumbers(seed: 7)
    var before: DecimalNumber?
    for _ in 0..<2_000 {
      let millionths = Int64(bitPattern: numbers.next()) >> Int64(numbers.below(60)) % 1_000_000_000_000_000_000
      let number = DecimalNumber(millionths: millionths)
      guard millionths.magnitude <= 1_000_000_000_000_000_000 else { continue }
      #expect(DecimalNumber(number.text) == number)
      if let before {
        #expect((before < number) == (before.millionths < millionths))
        #expect(before.distance(to: number) == number.distance(to: before))
      }
      before = number
    }
    #expect(DecimalNumber(millionths: .min).distance(to: DecimalNumber(millionths: .max)) == .max)
  }
}

import Testing

@testable import Basics

/// Numbers that texts and JSON say, in their ranges.
@Suite struct NumbersInRangeTests {
  @Test func texts() {
    #expect(Int("0", in: 0...10) == 0 && Int("+10", in: 0...10) == 10 && Int("-1", in: .exact) == -1)
    #expect(Int("9007199254740992", in: .counts) == 1 << 53 && UInt64("18446744073709551615", in: 0...UInt64.max) == .max)
    for text in ["", " 1", "1 ", "1.0", "1e1", "0x1", "1_0", "\u{661}", "11", "-1", "9223372036854775808", "--1"] {
      #expect(Int(text, in: 0...10) == nil, "\(text)")
    }
    #expect(Int("9007199254740993", in: .exact) == nil && Int("-9223372036854775808", in: .exact) == nil)
    #expect(Double("0.5", in: 0...1) == 0.5 && Double("1e-400", in: 0...1) == 0)
    for text in ["", "nan", "inf", "-0.1", "1.5", "1e400"] { #expect(Double(text, in: 0...1) == nil, "\(text)") }
  }

  @Test func values() throws {
    let list = try JSONValue(parsing: #"[5,5.0,-1,9007199254740992,9007199254740993,1e30,"5",null]"#).array ?? []
    #expect(list.map { $0.int(in: .exact) } == [5, 5, -1, 1 << 53, nil, nil, nil, nil])
    #expect(list.map { $0.int(in: .counts) } == [5, 5, nil, 1 << 53, nil, nil, nil, nil])
    #expect(list.map { $0.int(in: 5...5) } == [5, 5, nil, nil, nil, nil, nil, nil])
  }
}

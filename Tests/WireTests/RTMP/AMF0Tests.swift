import Basics
import RTMP
import Testing

/// Values of AMF 0.
@Suite struct AMF0Tests {
  private let values: [AMF0Value] = [
    .string("onCuePoint"), .number(-1.5), .number(.infinity), .boolean(true), .boolean(false), .null, .undefined, .date(1_700_000_000_000),
    .object([.init("text", .string("é")), .init("inner", .object([])), .init("list", .list([.number(1), .null]))]),
    .array([.init("a", .string(String(repeating: "x", count: 70_000)))]), .list([]),
  ]

  private func read(_ bytes: [UInt8], baseOffset: Int = 0) throws(ParseError) -> [AMF0Value] {
    try AMF0Value.values(bytes.span, baseOffset: baseOffset)
  }

  @Test func roundTrip() throws {
    let bytes = try AMF0Value.encode(values)
    #expect(try read(bytes) == values)
    #expect(try read([]) == [])
  }

  @Test func bytes() throws {
    #expect(
      try AMF0Value.encode([.string("ab"), .number(1), .boolean(true), .null]) == [
        2, 0, 2, 0x61, 0x62, 0, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 1, 1, 5,
      ])
    #expect(try AMF0Value.encode([.object([.init("k", .undefined)])]) == [3, 0, 1, 0x6B, 6, 0, 0, 9])
    #expect(try AMF0Value.encode([.array([.init("k", .null)])]) == [8, 0, 0, 0, 1, 0, 1, 0x6B, 5, 0, 0, 9])
  }

  /// What encoders do not write, and others do: objects of a class, XML, an array whose number is wrong, a member without a name.
  @Test func otherForms() throws {
    #expect(try read([16, 0, 1, 0x43, 0, 1, 0x6B, 5, 0, 0, 9]) == [.object([.init("k", .null)])])
    #expect(try read([15, 0, 0, 0, 2, 0x3C, 0x61]) == [.string("<a")])
    #expect(try read([8, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 9]) == [.array([])])
    #expect(try read([3, 0, 0, 5, 0, 0, 9]) == [.object([.init("", .null)])])
    #expect(try read([13, 2, 0, 1, 0xFF]) == [.undefined, .string("\u{FFFD}")])
  }

  @Test func cutOff() throws {
    let bytes = try AMF0Value.encode([values[8]])
    for length in 1..<bytes.count { #expect(throws: ParseError.self) { try read(Array(bytes[..<length])) } }
  }

  @Test func refused() throws {
    for marker: UInt8 in [4, 7, 14, 17, 0xFF] {
      #expect(throws: ParseError(.invalid("AMF of the type \(marker) is not supported"), at: 41)) {
        try read([5, marker], baseOffset: 40)
      }
    }
    var nested = AMF0Value.null
    for _ in 1..<AMF0Value.Limits.depth { nested = .list([nested]) }
    #expect(try read(AMF0Value.encode([nested])) == [nested])
    #expect(throws: ParseError.self) { try read(AMF0Value.encode([.list([nested])])) }
    let many = AMF0Value.list([AMF0Value](repeating: .null, count: AMF0Value.Limits.values - 1))
    #expect(try read(AMF0Value.encode([many])) == [many])
    #expect(throws: ParseError.self) { try read(AMF0Value.encode([many, .null])) }
    // A list that says that it is long takes no memory.
    #expect(throws: ParseError.self) { try read([10, 0xFF, 0xFF, 0xFF, 0xFF]) }
    let name = String(repeating: "k", count: 65_536)
    #expect(throws: ParseError.self) { try AMF0Value.encode([.object([.init(name, .null)])]) }
  }

  @Test func access() {
    let object = AMF0Value.object([.init("a", .number(1)), .init("b", .string("x"))])
    #expect(object["a"]?.number == 1 && object["b"]?.string == "x" && object["c"] == nil && AMF0Value.null["a"] == nil)
    #expect(object.number == nil && object.string == nil && AMF0Value.list([]).members == nil)
  }
}

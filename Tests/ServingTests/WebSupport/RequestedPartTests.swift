import Testing
import WebSupport

/// What the field Range asks for.
@Suite struct RequestedPartTests {
  @Test(
    arguments: [
      (nil, .whole), ("bytes=0-", .bytes(0..<100)), ("bytes=0-0", .bytes(0..<1)), ("bytes=10-19", .bytes(10..<20)),
      ("Bytes=90-200", .bytes(90..<100)), ("bytes=99-", .bytes(99..<100)), ("bytes= 5-6 ", .bytes(5..<7)),
      ("bytes=-1", .bytes(99..<100)), ("bytes=-500", .bytes(0..<100)), ("bytes=100-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
      ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=7-99999999999999999999", .bytes(7..<100)),
      ("bytes=9223372036854775807-9223372036854775807", .unsatisfiable),
      // What cannot be read, or asks for several parts, gets everything.
      ("", .whole), ("bytes=", .whole), ("bytes=-", .whole), ("bytes=5", .whole), ("bytes=9-5", .whole), ("bytes=+1-5", .whole),
      ("bytes=a-b", .whole), ("bytes=1-2-3", .whole), ("bytes=0-1,5-6", .whole), ("lines=0-1", .whole), ("bytes=\u{661}-5", .whole),
    ] as [(String?, RequestedPart)]) func parts(field: String?, part: RequestedPart)
  {
    #expect(RequestedPart(field, of: 100) == part)
  }

  @Test func emptyResource() {
    #expect(RequestedPart(nil, of: 0) == .whole)
    for field in ["bytes=0-", "bytes=-5"] { #expect(RequestedPart(field, of: 0) == .unsatisfiable) }
  }
}

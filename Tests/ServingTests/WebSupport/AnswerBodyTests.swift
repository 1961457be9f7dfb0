import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import WebSupport

/// How bodies go out: in pieces, in part, and once in memory for all clients.
@Suite struct AnswerBodyTests {
  private let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  private func send(_ answer: Answer, range: String? = nil) async throws -> (response: Response, pieces: [[UInt8]]) {
    let response = answer.response(toRange: range)
    let (writer, collected) = CollectedBody.make()
    try await response.body.write(writer)
    return (response, collected.pieces)
  }

  /// A large body goes out piece by piece, so that none is in memory that the client does not take.
  @Test func pieces() async throws {
    let (response, pieces) = try await send(Answer(.ok, "video/mp2t", bytes))
    #expect(response.headers[.contentLength] == "100000" && pieces.flatMap(\.self) == bytes)
    #expect(pieces.map(\.count) == [32_768, 32_768, 32_768, 1_696])
  }

  /// A part of a file is 206 with just these bytes (RFC 9110, 15.3.7); other answers than 200 have no parts.
  @Test(
    arguments: [
      ("bytes=0-9", 206, 0..<10, "bytes 0-9/100000"), ("bytes=99990-", 206, 99_990..<100_000, "bytes 99990-99999/100000"),
      ("bytes=-5", 206, 99_995..<100_000, "bytes 99995-99999/100000"),
      ("bytes=40000-90000", 206, 40_000..<90_001, "bytes 40000-90000/100000"),
      ("bytes=0-1,5-6", 200, 0..<100_000, nil), (nil, 200, 0..<100_000, nil),
    ] as [(String?, Int, Range<Int>, String?)])
  func parts(_ field: String?, status: Int, range: Range<Int>, contentRange: String?) async throws {
    for name in [nil, "parts"] {
      var answer = Answer(.ok, "video/mp2t", bytes)
      answer.sharedName = name
      let (response, pieces) = try await send(answer, range: field)
      #expect(response.status.code == status && response.headers[.contentRange] == contentRange)
      #expect(response.headers[.contentLength] == "\(range.count)" && pieces.flatMap(\.self) == Array(bytes[range]))
    }
  }

  @Test func noSuchPart() async throws {
    let (response, _) = try await send(Answer(.ok, "video/mp2t", bytes), range: "bytes=100000-")
    #expect(response.status == .rangeNotSatisfiable && response.headers[.contentRange] == "bytes */100000")
    let (other, pieces) = try await send(Answer(.notFound, "text/plain", [1, 2, 3]), range: "bytes=0-0")
    #expect(other.status == .notFound && pieces == [[1, 2, 3]])
  }

  /// What nobody has asked for lately is not kept, so that segments that are gone are in memory no more.
  @Test func sharingForSomeTime() {
    let bodies = SharedBodies(most: 1_000)
    let start = ContinuousClock.now
    for (name, second) in [("a", 0), ("b", 1), ("a", 2), ("c", 3)] { _ = bodies.buffer(name, [1, 2, 3], at: start + .seconds(second)) }
    #expect(bodies.size == 9)
    _ = bodies.buffer("d", [4], at: start + .milliseconds(3_500))
    #expect(bodies.size == 7)
    _ = bodies.buffer("e", [5], at: start + .seconds(60))
    #expect(bodies.size == 1)
  }

  /// The same bytes under one name are one buffer; other bytes take its place; the oldest go if there are too many.
  @Test func sharing() {
    let bodies = SharedBodies(most: 1_000)
    func address(_ buffer: ByteBuffer) -> Int { unsafe buffer.withUnsafeReadableBytes { Int(bitPattern: $0.baseAddress) } }
    let first = [UInt8](repeating: 1, count: 200)
    let (one, two) = (bodies.buffer("a", first), bodies.buffer("a", [UInt8](repeating: 1, count: 200)))
    #expect(address(one) == address(two) && bodies.size == 200)
    let other = bodies.buffer("a", [2, 2])
    #expect(Array(other.readableBytesView) == [2, 2] && Array(one.readableBytesView) == first && bodies.size == 2)
    for number in 0..<10 { _ = bodies.buffer("\(number)", first) }
    #expect(bodies.size == 1_000)
    // What takes most of the room is not kept.
    _ = bodies.buffer("large", [UInt8](repeating: 0, count: 600))
    #expect(bodies.size == 1_000)
  }
}

import Basics
import CMAF
import TestSupport
import Testing

/// Boxes that come in pieces.
@Suite struct BoxAssemblerTests {
  private typealias Step = BoxAssembler.Step

  /// Messages of up to 40 bytes are kept.
  private static func assembler() -> BoxAssembler { BoxAssembler { $0 == .emsg ? 40 : 0 } }

  private static let message = box("emsg", [1, 2, 3, 4])
  private static let data = box("mdat", zeros(30))
  /// A size of 64 bits.
  private static let large = hex("00000001 66726565 0000000000000018") + zeros(8)
  private static let extended = hex("0000001A 75756964") + zeros(16) + [7, 8]
  private static let tooLarge = box("emsg", zeros(33))
  private static let file = message + data + large + tooLarge + extended + message

  /// The steps in pieces of one size, where neighbouring bytes that are passed on are put together, and what is left.
  private static func steps(_ bytes: [UInt8], chunk: Int? = nil) -> (steps: [Step], rest: BoxAssembler.Rest, passed: [UInt8]) {
    var assembler = assembler()
    var steps: [Step] = []
    var passed: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: max(chunk ?? bytes.count, 1)) {
      let piece = Array(bytes[start..<min(start + (chunk ?? bytes.count), bytes.count)])
      var position = 0
      while let step = assembler.next(piece.span, &position) {
        switch step {
        case .held(let held): passed += held
        case .passed(let range): passed += piece[range]
        default: steps.append(step)
        }
      }
      #expect(position == piece.count)
    }
    #expect(assembler.offset == bytes.count)
    return (steps, assembler.finish(), passed)
  }

  private static func headers(_ bytes: [UInt8], at start: Int) throws -> Step { .header(try BoxHeader(bytes), start: start) }

  @Test(arguments: [nil, 1, 2, 3, 7, 16, 100] as [Int?]) func boxesComeWholeOrPassBy(chunk: Int?) throws {
    let (steps, rest, passed) = Self.steps(Self.file, chunk: chunk)
    let starts = [0, 12, 50, 74, 115, 141]
    var expected: [Step] = []
    for (start, bytes) in zip(starts, [Self.message, Self.data, Self.large, Self.tooLarge, Self.extended, Self.message]) {
      let header = try BoxHeader(bytes)
      expected.append(.header(header, start: start))
      if bytes == Self.message { expected.append(.box(header, start: start, bytes: bytes)) }
      if bytes == Self.tooLarge { expected.append(.oversized(header, start: start)) }
    }
    #expect(steps == expected)
    #expect(rest == .nothing)
    #expect(passed == Self.data + Self.large + Self.tooLarge + Self.extended)
  }

  /// After its header, a box can be kept whatever its type, unless it is too large or has no end.
  @Test(arguments: [1, 2, 5, 16, 1_000]) func boxesKeptOneByOne(chunk: Int) {
    let small = hex("00000001 6D646174 0000000000000018") + zeros(8)
    let endless = hex("00000000 6D646174 01 02")
    let bytes = Self.message + Self.data + small + Self.data + endless
    var assembler = Self.assembler()
    var (isKept, kept, passed): ([Bool], [[UInt8]], [UInt8]) = ([], [], [])
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      let piece = Array(bytes[start..<min(start + chunk, bytes.count)])
      var position = 0
      while let step = assembler.next(piece.span, &position) {
        switch step {
        case .header(let header, _): if header.type == .mdat { isKept.append(assembler.keepBox(upTo: 37)) }
        case .box(_, _, let box): kept.append(box)
        case .held(let held): passed += held
        case .passed(let range): passed += piece[range]
        case .oversized, .damaged: Issue.record("\(step)")
        }
      }
      let keepsLater = assembler.keepBox(upTo: 1_000)
      #expect(!keepsLater)
    }
    #expect(isKept == [false, true, false, false])
    #expect(kept == [Self.message, small] && passed == Self.data + Self.data + endless)
  }

  /// Whatever the input is cut at: kept boxes, what passed by and what is left are all of it, in order.
  @Test func cutAtEveryLength() throws {
    for count in 0...Self.file.count {
      let bytes = Array(Self.file.prefix(count))
      for chunk in [nil, 1, 5] as [Int?] {
        let (steps, rest, passed) = Self.steps(bytes, chunk: chunk)
        let kept = steps.reduce(0) { if case .box(_, _, let bytes) = $1 { $0 + bytes.count } else { $0 } }
        let left =
          switch rest {
          case .nothing, .missing: 0
          case .header(let bytes, _), .box(_, _, let bytes), .cut(_, _, let bytes, _): bytes.count
          }
        #expect(kept + passed.count + left == count, "\(count) bytes in pieces of \(chunk ?? count)")
      }
    }
    let (message, data) = (try BoxHeader(Self.message), try BoxHeader(Self.data))
    #expect(Self.steps(Array(Self.file.prefix(5))).rest == .header(Array(Self.message.prefix(5)), start: 0))
    #expect(Self.steps(Array(Self.file.prefix(10))).rest == .cut(message, start: 0, bytes: Array(Self.message.prefix(10)), size: 12))
    #expect(Self.steps(Array(Self.file.prefix(30))).rest == .missing(data, start: 12, count: 20))
  }

  /// A size of 0 lets a box go on to the end.
  @Test(arguments: [nil, 1, 9] as [Int?]) func boxesWithoutAnEnd(chunk: Int?) throws {
    let message = zeros(4) + Self.message[4...]
    let header = try BoxHeader(message)
    let kept = Self.steps(Self.data + message, chunk: chunk)
    #expect(kept.steps == [try Self.headers(Self.data, at: 0), .header(header, start: 38)])
    #expect(kept.rest == .box(header, start: 38, bytes: message))
    let tooLarge = message + zeros(29)
    let refused = Self.steps(tooLarge, chunk: chunk)
    #expect(refused.steps == [.header(header, start: 0), .oversized(header, start: 0)])
    #expect(refused.rest == .nothing && refused.passed == tooLarge)
    let data = hex("00000000 6D646174") + Self.message
    let passed = Self.steps(data, chunk: chunk)
    #expect(passed.steps == [try Self.headers(data, at: 0)] && passed.rest == .nothing && passed.passed == data)
  }

  @Test(arguments: [nil, 1, 9] as [Int?]) func nothingIsFoundBehindAWrongHeader(chunk: Int?) throws {
    let wrong = hex("00000003 656D7367") + Self.message
    let (steps, rest, passed) = Self.steps(Self.data + wrong, chunk: chunk)
    let reason = ParseError(.invalid("box emsg is smaller than its own header"), at: 38)
    #expect(steps == [try Self.headers(Self.data, at: 0), .damaged(reason)])
    #expect(rest == .nothing && passed == Self.data + wrong)
  }

  @Test func whatPassesByNeedNotBePushed() throws {
    var assembler = Self.assembler()
    var position = 0
    #expect(assembler.skippable == 0)
    #expect(try assembler.next(Self.data.span.extracting(first: 8), &position) == Self.headers(Self.data, at: 0))
    #expect(assembler.next(Self.data.span.extracting(first: 8), &position) == .held(Array(Self.data.prefix(8))))
    #expect(assembler.next(Self.data.span.extracting(first: 8), &position) == nil)
    #expect(assembler.skippable == 30)
    assembler.skip(10)
    #expect(assembler.skippable == 20 && assembler.offset == 18)
    assembler.skip(1_000)
    #expect(assembler.skippable == 0 && assembler.offset == 38)
    assembler.skip(5)
    #expect(assembler.offset == 38)
    // A segment is part of a larger file.
    assembler.move(to: 5_000)
    position = 0
    #expect(try assembler.next(Self.message.span, &position) == Self.headers(Self.message, at: 5_000))
  }
}

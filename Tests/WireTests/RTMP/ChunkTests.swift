import Basics
import RTMP
import Testing

/// Messages in chunks.
@Suite struct ChunkTests {
  private func read(_ parts: [[UInt8]]) throws(ParseError) -> [RTMPMessage] {
    var reader = ChunkReader()
    var messages: [RTMPMessage] = []
    for part in parts { messages += try reader.push(part.span) }
    return messages
  }

  private let messages = [
    RTMPMessage(kind: RTMPMessage.Kind.command, payload: [UInt8](repeating: 1, count: 300)),
    RTMPMessage(kind: RTMPMessage.Kind.video, streamID: 1, timestamp: 40, payload: [UInt8](0..<129)),
    RTMPMessage(kind: RTMPMessage.Kind.audio, streamID: 0x0102_0304, timestamp: 0xFF_FFFE, payload: [5]),
    RTMPMessage(kind: RTMPMessage.Kind.video, streamID: 1, timestamp: 0xFF_FFFF, payload: [UInt8](0..<200)),
    RTMPMessage(kind: RTMPMessage.Kind.video, streamID: 1, timestamp: 0xFFFF_FFFF, payload: []),
  ]

  @Test func roundTrip() throws {
    for size in [1, 127, 128, 300, 4_096, 0x100_0000, 0x7FFF_FFFF] {
      let size32 = UInt32(size)
      let announced = RTMPMessage(
        kind: RTMPMessage.Kind.setChunkSize,
        payload: [UInt8(size32 >> 24), UInt8(size32 >> 16 & 0xFF), UInt8(size32 >> 8 & 0xFF), UInt8(size32 & 0xFF)])
      let bytes = try PublisherBytes.chunks([announced]) + PublisherBytes.chunks(messages, size: size)
      for found in try inEveryWay(bytes, step: size == 1 ? 97 : 1, read) { #expect(found == messages) }
    }
  }

  /// Headers of all four types, with the fields that the one before had.
  @Test func shortHeaders() throws {
    let chunks: [[UInt8]] = [
      [0x04, 0, 0, 100, 0, 0, 2, 8, 1, 0, 0, 0, 0xA0, 0xA1],
      // Without the stream; a step alone; nothing.
      [0x44, 0, 0, 20, 0, 0, 1, 8, 0xB0], [0x84, 0, 0, 23, 0xC0], [0xC4, 0xD0],
      // Behind a whole header, the time is the step.
      [0x04, 0, 0, 50, 0, 0, 1, 9, 2, 0, 0, 0, 0xE0], [0xC4, 0xE1],
    ]
    let bytes = Array(chunks.joined())
    let fields: [(UInt32, UInt8, UInt32, [UInt8])] = [
      (100, 8, 1, [0xA0, 0xA1]), (120, 8, 1, [0xB0]), (143, 8, 1, [0xC0]), (166, 8, 1, [0xD0]), (50, 9, 2, [0xE0]), (100, 9, 2, [0xE1]),
    ]
    let expected = fields.map { RTMPMessage(kind: $0.1, streamID: $0.2, timestamp: $0.0, payload: $0.3) }
    for found in try inEveryWay(bytes, read) { #expect(found == expected) }
  }

  /// Steps beyond 24 bits lie behind the header, of each chunk of the message.
  @Test func extendedSteps() throws {
    let header: [UInt8] = [0x05, 0xFF, 0xFF, 0xFF, 0, 0, 130, 9, 1, 0, 0, 0, 1, 0, 0, 0]
    let payload = [UInt8](0..<130)
    let (begin, end) = (Array(payload[..<128]), Array(payload[128...]))
    let first: [UInt8] = header + begin + [0xC5, 1, 0, 0, 0] + end
    let second: [UInt8] = [0x85, 0xFF, 0xFF, 0xFF, 2, 0, 0, 0] + begin + [0xC5, 2, 0, 0, 0] + end
    let bytes = first + second
    let expected = [0x100_0000, 0x300_0000].map { RTMPMessage(kind: 9, streamID: 1, timestamp: UInt32($0), payload: payload) }
    for found in try inEveryWay(bytes, read) { #expect(found == expected) }
  }

  /// Chunk streams of all three sizes of ids, one inside the other.
  @Test func interleaved() throws {
    let half = [UInt8](repeating: 1, count: 128)
    let header: [UInt8] = [0, 0, 0, 0, 0, 129, 9, 1, 0, 0, 0]
    func first(_ id: [UInt8]) -> [UInt8] { id + header + half }
    let ids: [([UInt8], [UInt8])] = [([3], [0xC3]), ([0, 0], [0xC0, 0]), ([1, 0, 1], [0xC1, 0, 1])]
    var bytes: [UInt8] = []
    for id in ids { bytes += first(id.0) }
    for id in ids { bytes += id.1 + [2] }
    let message = RTMPMessage(kind: 9, streamID: 1, payload: half + [2])
    for found in try inEveryWay(bytes, step: 7, read) { #expect(found == [message, message, message]) }
  }

  @Test func aborted() throws {
    let begun: [UInt8] = [0x06, 0, 0, 0, 0, 0, 200, 9, 1, 0, 0, 0] + [UInt8](repeating: 1, count: 128)
    let abort = try PublisherBytes.chunks([RTMPMessage(kind: RTMPMessage.Kind.abort, payload: [0, 0, 0, 6])])
    let whole: [UInt8] = [0x06, 0, 0, 9, 0, 0, 1, 9, 1, 0, 0, 0, 7]
    let expected = [RTMPMessage(kind: 9, streamID: 1, timestamp: 9, payload: [7])]
    #expect(try read([begun + abort + whole]) == expected)
    // A whole header in the middle of a message begins another one.
    #expect(try read([begun + whole]) == expected)
    #expect(try read([try PublisherBytes.chunks([RTMPMessage(kind: RTMPMessage.Kind.abort, payload: [0, 0, 0, 9])]) + whole]) == expected)
  }

  private func failure(_ bytes: [UInt8]) -> ParseError? {
    do throws(ParseError) { _ = try read([bytes]) } catch { return error }; return nil
  }

  @Test func refused() throws {
    #expect(failure([0xC3, 0]) == ParseError(.invalid("the first chunk of a chunk stream has no whole header"), at: 0))
    func header(_ id: UInt8, _ size: Int, kind: UInt8 = 9) -> [UInt8] {
      [id, 0, 0, 0, UInt8(size >> 16), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF), kind, 1, 0, 0, 0]
    }
    #expect(failure(header(4, ChunkReader.Limits.message)) == nil && failure(header(4, ChunkReader.Limits.control, kind: 20)) == nil)
    #expect(
      failure(header(4, ChunkReader.Limits.message + 1)) == ParseError(.aboveLimit(what: "the size of a message", limit: 8 << 20), at: 0))
    #expect(
      failure(header(4, ChunkReader.Limits.control + 1, kind: 20))
        == ParseError(.aboveLimit(what: "the size of a message", limit: 1 << 20), at: 0))
    for size: [UInt8] in [[0, 0, 0, 0], [0x80, 0, 0, 1]] {
      #expect(failure(try PublisherBytes.chunks([RTMPMessage(kind: RTMPMessage.Kind.setChunkSize, payload: size)])) != nil)
    }
    #expect(
      failure(try PublisherBytes.chunks([RTMPMessage(kind: RTMPMessage.Kind.setChunkSize, payload: [0])]))
        == ParseError(.truncated(needed: 4, available: 1), at: 12))
    var streams: [UInt8] = []
    for id in UInt8(3)..<64 { streams += header(id, 0) }
    for id in UInt8(0)..<4 { streams += [0, id] + header(0, 0).dropFirst() }
    #expect(failure(Array(streams.dropLast(13))) == nil)
    #expect(failure(streams) == ParseError(.aboveLimit(what: "the number of chunk streams", limit: 64), at: 61 * 12 + 3 * 13))
  }

  /// Messages that are never completed take no more than a limit.
  @Test func incomplete() throws {
    let large = try PublisherBytes.chunks([RTMPMessage(kind: RTMPMessage.Kind.setChunkSize, payload: [0, 0x7F, 0, 0])])
    var reader = ChunkReader()
    _ = try reader.push(large.span)
    var error: ParseError?
    for id in UInt8(4)..<8 where error == nil {
      do throws(ParseError) {
        _ = try reader.push(([id, 0, 0, 0, 0x80, 0, 0, 9, 1, 0, 0, 0] as [UInt8]).span)
        _ = try reader.push([UInt8](repeating: 0, count: 0x7F_0000).span)
      } catch let failure {
        error = failure
      }
    }
    #expect(error?.reason == .aboveLimit(what: "the size of incomplete messages", limit: 16 << 20))
  }

  @Test func written() throws {
    let writer = ChunkWriter()
    #expect(throws: ParseError.self) { try writer.chunks(RTMPMessage(kind: 9, payload: [UInt8](repeating: 0, count: 1 << 24)), on: 3) }
    #expect(
      try writer.chunks(RTMPMessage(kind: 20, streamID: 1, timestamp: 0x0100_0000, payload: [1, 2]), on: 3)
        == [3, 0xFF, 0xFF, 0xFF, 0, 0, 2, 20, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2])
  }
}

import Testing

@testable import LiveSession

/// What is loaded ahead of a live stream.
@Suite struct SegmentBufferTests {
  private let stop = StopFlag()

  @Test func aSegmentAtATime() throws {
    let buffer = SegmentBuffer(until: stop)
    for piece in [.playlist(isLive: true), .bytes([1]), .segmentEnd, .bytes([2]), .segmentEnd, .bytes([3])] as [SegmentBuffer.Piece] {
      #expect(buffer.add(piece))
    }
    #expect(buffer.segmentCount == 2)
    #expect(try buffer.take() == [.playlist(isLive: true), .bytes([1]), .segmentEnd])
    #expect(buffer.segmentCount == 1)
    #expect(try buffer.take() == [.bytes([2]), .segmentEnd])
    #expect(try buffer.take() == [.bytes([3])])
    buffer.close()
    #expect(try buffer.take() == nil)
  }

  /// A loader with too much waiting waits for room, or for the end.
  @Test(arguments: [false, true]) func loadingWaits(isFullOfBytes: Bool) async throws {
    let buffer = SegmentBuffer(until: stop)
    if isFullOfBytes {
      #expect(buffer.add(.bytes([UInt8](repeating: 0, count: SegmentBuffer.mostBytes)[...])))
    } else {
      for _ in 0..<SegmentBuffer.mostSegments { #expect(buffer.add(.segmentEnd)) }
    }
    let isAdded = await withCheckedContinuation { continuation in
      _ = Worker("loader") { continuation.resume(returning: buffer.add(.bytes([7]))) }
      _ = Worker("taker") {
        while let pieces = try? buffer.take(), pieces != [.bytes([7])] {}
      }
    }
    #expect(isAdded)
    let full = SegmentBuffer(until: stop)
    for _ in 0..<SegmentBuffer.mostSegments { #expect(full.add(.segmentEnd)) }
    let isLateAdded = await withCheckedContinuation { continuation in
      _ = Worker("loader") { continuation.resume(returning: full.add(.segmentEnd)) }
      stop.set()
    }
    #expect(!isLateAdded)
    #expect(try full.take() == nil)
  }

  @Test func aFailureIsThrownBehindWhatCame() throws {
    let buffer = SegmentBuffer(until: stop)
    #expect(buffer.add(.bytes([1])))
    buffer.close(.notATransportStream("x"))
    #expect(try buffer.take() == [.bytes([1])])
    #expect(throws: LiveSessionError.self) { try buffer.take() }
  }

  /// Fragments are given out up to where others begin, and what follows them stays.
  @Test func fragmentsThatBelongTogether() throws {
    let buffer = SegmentBuffer(until: stop)
    let source = PieceSource(buffer)
    source.initialization = [8]
    for piece in [.bytes([1]), .segmentEnd, .bytes([2]), .discontinuity] as [SegmentBuffer.Piece] {
      #expect(buffer.add(piece))
    }
    buffer.close()
    let fragments = source.fragments
    #expect([fragments(), fragments(), fragments(), fragments()] == [[8], [1], [2], nil])
    #expect(try source.next() == .discontinuity)
    #expect(try source.next() == nil)
  }
}

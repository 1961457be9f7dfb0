import Testing

@testable import LiveSession

/// What is loaded ahead of a live stream.
@Suite struct SegmentBufferTests {
  private let stop = StopFlag()

  @Test func aSegmentAtATime() throws {
    let buffer = SegmentBuffer()
    for piece in [.playlist(isLive: true), .bytes([1]), .segmentEnd, .bytes([2]), .segmentEnd, .bytes([3])] as [SegmentBuffer.Piece] {
      #expect(buffer.add(piece, until: stop))
    }
    #expect(buffer.segmentCount == 2)
    #expect(try buffer.take(until: stop) == [.playlist(isLive: true), .bytes([1]), .segmentEnd])
    #expect(buffer.segmentCount == 1)
    #expect(try buffer.take(until: stop) == [.bytes([2]), .segmentEnd])
    #expect(try buffer.take(until: stop) == [.bytes([3])])
    buffer.close()
    #expect(try buffer.take(until: stop) == nil)
  }

  /// Who loads waits where enough waits: for room, or for the end.
  @Test(arguments: [false, true]) func loadingWaits(isFullOfBytes: Bool) async throws {
    let buffer = SegmentBuffer()
    if isFullOfBytes {
      #expect(buffer.add(.bytes([UInt8](repeating: 0, count: SegmentBuffer.mostBytes)[...]), until: stop))
    } else {
      for _ in 0..<SegmentBuffer.mostSegments { #expect(buffer.add(.segmentEnd, until: stop)) }
    }
    let isAdded = await withCheckedContinuation { continuation in
      _ = Worker("loader") { [stop] in continuation.resume(returning: buffer.add(.bytes([7]), until: stop)) }
      _ = Worker("taker") { [stop] in
        while let pieces = try? buffer.take(until: stop), pieces != [.bytes([7])] {}
      }
    }
    #expect(isAdded)
    let full = SegmentBuffer()
    for _ in 0..<SegmentBuffer.mostSegments { #expect(full.add(.segmentEnd, until: stop)) }
    let isLateAdded = await withCheckedContinuation { continuation in
      _ = Worker("loader") { [stop] in continuation.resume(returning: full.add(.segmentEnd, until: stop)) }
      stop.set()
    }
    #expect(!isLateAdded)
    #expect(try full.take(until: stop) == nil)
  }

  @Test func aFailureIsThrownBehindWhatCame() throws {
    let buffer = SegmentBuffer()
    #expect(buffer.add(.bytes([1]), until: stop))
    buffer.close(.notATransportStream("x"))
    #expect(try buffer.take(until: stop) == [.bytes([1])])
    #expect(throws: LiveSessionError.self) { try buffer.take(until: stop) }
  }

  /// Fragments are given out up to where others begin, and what follows them stays.
  @Test func fragmentsThatBelongTogether() throws {
    let buffer = SegmentBuffer()
    let source = PieceSource(buffer, until: stop)
    source.initialization = [8]
    for piece in [.bytes([1]), .segmentEnd, .bytes([2]), .discontinuity] as [SegmentBuffer.Piece] {
      #expect(buffer.add(piece, until: stop))
    }
    buffer.close()
    let fragments = source.fragments
    #expect([fragments(), fragments(), fragments(), fragments()] == [[8], [1], [2], nil])
    #expect(try source.next() == .discontinuity)
    #expect(try source.next() == nil)
  }
}

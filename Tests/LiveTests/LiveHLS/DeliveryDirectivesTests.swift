import Testing

@testable import LiveHLS

/// What clients of low-latency HLS ask for, and when that is answered.
@Suite struct DeliveryDirectivesTests {
  private func directives(_ sequence: UInt64?, _ part: UInt64? = nil, skips: Bool = false) -> DeliveryDirectives {
    var directives = DeliveryDirectives()
    (directives.mediaSequence, directives.part, directives.skips) = (sequence, part, skips)
    return directives
  }

  @Test func ofQueries() throws {
    #expect(try DeliveryDirectives(query: [:]) == directives(nil))
    #expect(try DeliveryDirectives(query: ["token": "x", "_HLS_msn": "12"]) == directives(12))
    #expect(try DeliveryDirectives(query: ["_HLS_msn": "12", "_HLS_part": "0", "_HLS_skip": "YES"]) == directives(12, 0, skips: true))
    var ranges = directives(nil, skips: true)
    ranges.skipsDateRanges = true
    #expect(try DeliveryDirectives(query: ["_HLS_skip": "v2"]) == ranges)
    #expect(try DeliveryDirectives(query: ["_HLS_skip": "NO"]) == directives(nil))
    let mistakes = [
      (["_HLS_part": "1"], "_HLS_part comes with _HLS_msn"), (["_HLS_msn": ""], "_HLS_msn is a whole number"),
      (["_HLS_msn": "-1"], "_HLS_msn is a whole number"), (["_HLS_msn": "+1"], "_HLS_msn is a whole number"),
      (["_HLS_msn": "18446744073709551616"], "_HLS_msn is a whole number"),
      (["_HLS_msn": "1", "_HLS_part": "1.5"], "_HLS_part is a whole number"),
    ]
    for (query, words) in mistakes {
      #expect(throws: DeliveryDirectives.Mistake(description: words)) { try DeliveryDirectives(query: query) }
    }
  }

  /// Segment 9 is complete and has four parts, of segment 10 there are two; a client may ask for three parts ahead.
  @Test(
    arguments: [
      (nil, nil, .answer), (0, nil, .answer), (9, nil, .answer), (10, nil, .wait), (11, nil, .wait), (12, nil, .refuse),
      (.max, nil, .refuse),
      (3, 99, .answer), (9, 3, .answer), (9, 4, .answer), (10, 0, .answer), (10, 1, .answer), (10, 2, .wait), (10, 4, .wait),
      (10, 5, .refuse),
      (10, .max, .refuse), (11, 0, .wait), (11, 2, .wait), (11, 3, .refuse), (12, 0, .refuse),
    ] as [(UInt64?, UInt64?, PlaylistProgress.Decision)])
  func decisions(sequence: UInt64?, part: UInt64?, decision: PlaylistProgress.Decision) {
    var progress = PlaylistProgress(nextSequence: 10, openParts: 2, lastParts: 4, advanceLimit: 3, isEnded: false)
    #expect(progress.decide(directives(sequence, part)) == decision)
    // Nothing follows: nobody waits for it.
    progress.isEnded = true
    #expect(progress.decide(directives(sequence, part)) == .answer)
  }

  /// A part behind the last one of a segment is the first one of the next; that of a gap is answered with the gap.
  @Test func behindTheLastPart() {
    var progress = PlaylistProgress(nextSequence: 10, openParts: 0, lastParts: 4, advanceLimit: 3, isEnded: false)
    #expect(progress.decide(directives(9, 3)) == .answer && progress.decide(directives(9, 4)) == .wait)
    #expect(progress.decide(directives(8, 4)) == .answer)
    progress.lastParts = 0
    #expect(progress.decide(directives(9, 0)) == .answer)
    progress = PlaylistProgress(nextSequence: 0, openParts: 0, lastParts: 0, advanceLimit: 6, isEnded: false)
    #expect(progress.decide(directives(0, 0)) == .wait && progress.decide(directives(1)) == .wait)
    #expect(progress.decide(directives(2)) == .refuse && progress.decide(directives(0, 6)) == .refuse)
  }
}

import HLSPlaylist
import Testing

/// A live playlist of segments named after their media sequence numbers.
private func live(_ range: Range<UInt64>, _ change: (inout MediaPlaylist) -> Void = { _ in }) -> MediaPlaylist {
  let duration = PlaylistDecimal(billionths: 4_000_000_000)
  var playlist = MediaPlaylist(targetDuration: 5, segments: range.map { MediaSegment(uri: "\($0).ts?now", duration: duration) })
  playlist.mediaSequence = range.lowerBound
  change(&playlist)
  return playlist
}

private func step(_ newSegments: Range<Int>, wait: Int64?, _ problems: PlaylistReload.Problem...) -> PlaylistReload {
  var reload = PlaylistReload(previous: nil, current: live(0..<0))
  reload.newSegments = newSegments
  reload.wait = wait.map { PlaylistDecimal(billionths: $0 * 1_000_000) }
  reload.problems = problems
  return reload
}

@Suite struct PlaylistReloadTests {
  @Test func everythingIsNewAtFirst() {
    #expect(PlaylistReload(previous: nil, current: live(7..<10)) == step(0..<3, wait: 5_000))
    #expect(PlaylistReload(previous: nil, current: live(7..<7)) == step(0..<0, wait: 5_000))
  }

  @Test func whatWasAddedIsNew() {
    #expect(PlaylistReload(previous: live(7..<10), current: live(8..<12)) == step(2..<4, wait: 5_000))
    #expect(PlaylistReload(previous: live(7..<10), current: live(10..<12)) == step(0..<2, wait: 5_000))
  }

  @Test func nothingChangedIsAskedAgainSooner() {
    #expect(PlaylistReload(previous: live(7..<10), current: live(7..<10)) == step(3..<3, wait: 2_500))
  }

  @Test func theTimeOfLoadingCounts() {
    let elapsed = PlaylistDecimal(billionths: 1_200_000_000)
    #expect(PlaylistReload(previous: nil, current: live(0..<1), elapsed: elapsed) == step(0..<1, wait: 3_800))
    #expect(PlaylistReload(previous: live(0..<1), current: live(0..<1), elapsed: elapsed) == step(1..<1, wait: 1_300))
    #expect(PlaylistReload(previous: nil, current: live(0..<1), elapsed: PlaylistDecimal(billionths: .max)) == step(0..<1, wait: 0))
    #expect(PlaylistReload(previous: nil, current: live(0..<1), elapsed: PlaylistDecimal(billionths: .min)) == step(0..<1, wait: 5_000))
  }

  @Test func whatIsFinalIsNotLoadedAgain() {
    #expect(PlaylistReload(previous: live(0..<1), current: live(0..<2) { $0.isEnded = true }) == step(1..<2, wait: nil))
    #expect(PlaylistReload(previous: nil, current: live(0..<2) { $0.playlistType = .onDemand }) == step(0..<2, wait: nil))
    #expect(PlaylistReload(previous: nil, current: live(0..<2) { $0.playlistType = .event }) == step(0..<2, wait: 5_000))
  }

  @Test func sequencesThatGoBackAreReported() {
    #expect(
      PlaylistReload(previous: live(7..<10), current: live(5..<9)) == step(4..<4, wait: 5_000, .mediaSequenceWentBack(from: 7, to: 5)))
    #expect(
      PlaylistReload(previous: live(7..<10), current: live(0..<2)) == step(2..<2, wait: 5_000, .mediaSequenceWentBack(from: 7, to: 0)))
    #expect(
      PlaylistReload(previous: live(7..<10) { $0.discontinuitySequence = 3 }, current: live(7..<11))
        == step(3..<4, wait: 5_000, .discontinuitySequenceWentBack(from: 3, to: 0)))
  }

  @Test func segmentsThatCameAndWentAreReported() {
    #expect(
      PlaylistReload(previous: live(7..<10), current: live(13..<15)) == step(0..<2, wait: 5_000, .segmentsMissed(count: 3, from: 10)))
  }

  @Test func segmentsThatBecameOthersAreReported() {
    let changed = live(8..<11) { $0.segments[1].uri = "other.ts" }
    #expect(PlaylistReload(previous: live(7..<10), current: changed) == step(2..<3, wait: 5_000, .segmentChanged(mediaSequence: 9)))
    let signed = live(8..<11) { $0.segments[1].uri = "9.ts?later" }
    #expect(PlaylistReload(previous: live(7..<10), current: signed) == step(2..<3, wait: 5_000))
  }

  @Test func theLargestNumbersDoNotOverflow() {
    let last = live(UInt64.max - 2..<UInt64.max)
    #expect(PlaylistReload(previous: live(0..<2), current: last).newSegments == 0..<2)
    #expect(PlaylistReload(previous: last, current: live(0..<2)).newSegments == 2..<2)
    let endless = live(0..<1) { $0.targetDuration = .max }
    #expect(PlaylistReload(previous: nil, current: endless).wait == PlaylistDecimal(billionths: 9_000_000_000_000_000_000))
  }
}

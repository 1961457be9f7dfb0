import Basics
import EventReading
import EventSchedule
import GameEvents
import HLSPlaylist
import LibAV
import TestSupport
import Testing

@testable import Stamping

/// Several files become variants of one presentation.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct RenditionTests {
  private let presentation: Presentation

  init() throws { presentation = try Presentation() }

  @Test(arguments: SegmentType.allCases) func allHaveTheSameEventsAndCuts(type: SegmentType) throws {
    let summaries = try presentation.stamp([.mp4, .small, .audioOnly], type)
    #expect(summaries.map { $0.input } == [Clip.mp4, .small, .audioOnly].map { $0.path })
    let main = try presentation.multivariant()
    #expect(main.variants.map { $0.uri } == ["show-media-1.m3u8", "show-media-2.m3u8", "show-media-3.m3u8"])
    #expect(main.variants.map { $0.resolution } == [Resolution(width: 160, height: 120), Resolution(width: 80, height: 60), nil])
    #expect(main.variants.map { $0.audio } == (type == .transportStream ? [nil, nil, nil] : ["audio", "audio", nil]))
    let events = SampleGame.plan().map { $0.event }
    for name in main.variants.map({ $0.uri }) {
      let playlist = try presentation.media(name)
      #expect(playlist.segments.count == 3)
      let firsts = try read(try presentation.joined(name)).copies.filter { $0.copy.copy == 1 }
      #expect(firsts.map { $0.copy.event } == events)
      #expect(firsts.map { $0.place.presentationTime - MediaTime(seconds: 10) } == events.map { $0.at })
    }
    #expect(
      try presentation.media("show-media-1.m3u8").segments.map { $0.duration }
        == presentation.media("show-media-2.m3u8").segments.map { $0.duration })
  }

  /// Browsers know MP3 in transport streams by Apple's name.
  @Test(arguments: SegmentType.allCases) func layerIIIHasItsPlaylistName(type: SegmentType) throws {
    try presentation.stamp([.layerIII], type)
    #expect(try presentation.multivariant().variants.first?.codecs?.hasSuffix(",mp4a.40.34") == true)
  }

  /// Where one input ends, the others are cut on.
  @Test func aShorterInputDoesNotEndTheCuts() throws {
    try presentation.stamp([.short, .mp4], .transportStream, [])
    #expect(try presentation.media("show-media-2.m3u8").segments.count == 3)
    let targets = try presentation.multivariant().variants.map { try presentation.media($0.uri).targetDuration }
    #expect(Set(targets).count == 1)
  }

  @Test func anInputWithoutTheKeyFramesIsNamed() throws {
    let expected = StampingError.noCommonKeyFrame(input: Clip.rareKeys.path, at: MediaTime(seconds: 1), of: Clip.mp4.path)
    #expect(throws: expected) { try presentation.stamp([.mp4, .rareKeys], .transportStream) }
    #expect(try Workshop.entries(presentation.folder) == [])
  }

  @Test func anInputThatCannotBeReadIsNamed() throws {
    #expect {
      try presentation.stamp([.mp4, .vp9], .transportStream)
    } throws: { error in
      guard case .rendition(Clip.vp9.path, .remuxing(Clip.vp9.path, .codecsNotCarried)) = error as? StampingError else { return false }
      return true
    }
  }

  @Test func anEventAfterTheEndOfOneInputIsRefused() throws {
    let late = SampleGame.short(at: 225_000)
    #expect {
      try presentation.stamp([.mp4, .short], .transportStream, [late])
    } throws: { error in
      guard case .rendition(Clip.short.path, .eventsAfterTheEnd(let end)) = error as? StampingError else { return false }
      return end < MediaTime(ticks: 225_000)
    }
  }
}

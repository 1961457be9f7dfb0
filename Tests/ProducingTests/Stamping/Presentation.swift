import Basics
import EventSchedule
import Foundation
import HLSPlaylist
import TestSupport
import Testing

@testable import Stamping

/// A presentation that a test makes in a folder of its own.
struct Presentation {
  let folder: String

  init() throws {
    folder = try Workshop.newFolder()
  }

  /// Stamps inputs into segments of at least a second.
  @discardableResult
  func stamp(
    _ inputs: [Clip], _ type: SegmentType, _ events: [PlannedEvent] = SampleGame.plan(), configure: (inout HLSStamper) -> Void = { _ in }
  ) throws(StampingError) -> [HLSStamper.Summary] {
    var stamper = HLSStamper(inputs: inputs.map { $0.path }, output: folder + "/hls/show.m3u8")
    stamper.segmentType = type
    stamper.segmentDuration = MediaTime(seconds: 1)
    configure(&stamper)
    return try stamper.stamp(EventSchedule(events, policy: CopyPolicy()))
  }

  var entries: [String] { get throws { try Workshop.entries(folder + "/hls") } }

  func bytes(_ name: String) throws -> [UInt8] { try Workshop.bytes("\(folder)/hls/\(name)") }

  func media(_ name: String) throws -> MediaPlaylist {
    let text = try bytes(name)
    guard case .media(let playlist) = try Playlist(text.span) else { throw Unexpected() }
    return playlist
  }

  func multivariant(_ name: String = "show.m3u8") throws -> MultivariantPlaylist {
    let text = try bytes(name)
    guard case .multivariant(let playlist) = try Playlist(text.span) else { throw Unexpected() }
    return playlist
  }

  /// The initialisation section and all segments of a media playlist, one behind the other.
  func joined(_ name: String) throws -> [UInt8] {
    let playlist = try media(name)
    let map = try playlist.segments.first?.initializationSegment.map { try bytes($0.uri) } ?? []
    return try playlist.segments.reduce(into: map) { $0 += try bytes($1.uri) }
  }

  /// A playlist of another kind than expected.
  struct Unexpected: Error {}
}

/// Requires that what was told of the work goes on to its end: whole, or nearly, because the last frames of a track are written together.
func requireProgress(_ told: [WorkProgress], of bytes: ClosedRange<Int>) throws {
  let fractions = told.compactMap { $0.fraction }
  let last = try #require(told.last)
  #expect(fractions.count == told.count && fractions == fractions.sorted() && fractions.allSatisfy { $0 >= 0 && $0 <= 1 })
  #expect(last.fraction.map { $0 > 0.9 } == true && bytes.contains(last.bytes), "\(last)")
}

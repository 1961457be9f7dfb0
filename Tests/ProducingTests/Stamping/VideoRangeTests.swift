import HLSPlaylist
import TestSupport
import Testing

@testable import Stamping

/// Players choose a variant by its dynamic range.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct VideoRangeTests {
  private let presentation: Presentation

  init() throws { presentation = try Presentation() }

  @Test(arguments: SegmentType.allCases) func variantsStateTheirRange(type: SegmentType) throws {
    try presentation.stamp([.quantized, .logGamma, .standardRange, .mp4], type)
    let text = String(decoding: try presentation.bytes("show.m3u8"), as: UTF8.self)
    let stated = text.split(separator: "\n").filter { $0.hasPrefix("#EXT-X-STREAM-INF") }.map { line in
      ["PQ", "HLG", "SDR"].first { line.hasSuffix("VIDEO-RANGE=\($0)") }
    }
    #expect(stated == ["PQ", "HLG", "SDR", nil])
  }

  /// A player that shows no high dynamic range does not change into it by itself.
  @Test func rangesAreAdaptationSets() throws {
    try presentation.stamp([.quantized, .mp4], .fragmentedMP4) { $0.writesDASH = true }
    let text = String(decoding: try presentation.bytes("show.mpd"), as: UTF8.self)
    let property = "<SupplementalProperty schemeIdUri=\"urn:mpeg:mpegB:cicp:TransferCharacteristics\" value=\"16\"/>"
    #expect(text.split(separator: property).count == 2)
    #expect(text.split(separator: "contentType=\"video\"").count == 3)
  }
}

import Basics
import Foundation
import TestSupport
import Testing

@testable import Stamping

/// The MPD beside the playlists.
@Suite(.enabled(if: Programs.hasFFmpeg, Workshop.reason)) struct DASHTests {
  private let presentation: Presentation

  init() throws { presentation = try Presentation() }

  private func description() throws -> String { String(decoding: try presentation.bytes("show.mpd"), as: UTF8.self) }

  /// What stands between quotation marks behind a name, each time.
  private func values(_ name: String, in text: String) -> [String] {
    text.split(separator: " \(name)=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
  }

  /// Renditions share a set, and their segments are those of the playlists.
  @Test func renditions() throws {
    try presentation.stamp([.mp4, .small], .fragmentedMP4) { $0.writesDASH = true }
    let text = try description()
    #expect(values("contentType", in: text) == ["video", "audio"])
    #expect(values("width", in: text) == ["160", "80"] && values("frameRate", in: text) == ["25", "25"])
    #expect(values("schemeIdUri", in: text.components(separatedBy: "<Representation")[0]) == ["https://aomedia.org/emsg/ID3"])
    // Both inputs have the same audio, which is there once.
    let names = ["show-segment-1-", "show-segment-2-", "show-audio-1-"]
    #expect(values("initialization", in: text) == names.map { "\($0)init.mp4" })
    #expect(values("media", in: text) == names.map { "\($0)$Number%05d$.m4s" })
    let entries = try presentation.entries
    #expect(names.allSatisfy { entries.contains("\($0)init.mp4") && entries.contains("\($0)00000.m4s") })
    #expect(values("presentationTimeOffset", in: text) == [String](repeating: "900000", count: 3))
    #expect(text.contains(#"<S t="900000" d="90000" r="2"/>"#))
  }

  /// Without the option there is none, and the one of the presentation that is replaced goes; a file of somebody else stays.
  @Test func replacing() throws {
    try presentation.stamp([.mp4], .fragmentedMP4) { $0.writesDASH = true }
    try presentation.stamp([.mp4], .fragmentedMP4) { $0.overwrite = true }
    #expect(try !presentation.entries.contains("show.mpd"))
    try Data("<MPD/>".utf8).write(to: URL(filePath: presentation.folder + "/hls/show.mpd"))
    try presentation.stamp([.mp4], .fragmentedMP4) { $0.overwrite = true }
    #expect(try description() == "<MPD/>")
  }
}

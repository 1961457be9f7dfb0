import Foundation
import ID3
import Testing

private let streams = ProcessInfo.processInfo.environment["CUELIGHT_STREAMS"]

/// Tags that other programs wrote.
@Suite(.enabled(if: streams != nil, "CUELIGHT_STREAMS names no folder")) struct ID3StreamTests {
  private func read(_ name: String) throws -> [UInt8] {
    let folder = try #require(streams)
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent(name)))
  }

  @Test func unsynchronisedFrame() throws {
    #expect(try decode(try read("taglib-unsynch24.id3")) == ID3Tag(frames: [.text(id: "TIT2", values: ["Hi"])]))
  }

  @Test func extendedHeader() throws {
    let frames: [ID3Frame] = [
      .text(id: "TDOR", values: ["2013"]), .text(id: "TDRC", values: ["2013"]), .text(id: "TCON", values: ["Folk/Power Metal"]),
      .text(id: "TIT2", values: ["Druids"]), .text(id: "TPE1", values: ["Excelsis"]),
      .text(id: "TALB", values: ["Vo Chrieger U Drache"]), .text(id: "TRCK", values: ["03"]),
    ]
    #expect(try decode(try read("taglib-extended-header.mp3")) == ID3Tag(frames: frames))
  }
}

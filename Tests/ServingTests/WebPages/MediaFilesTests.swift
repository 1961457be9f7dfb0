import Basics
import HTTPTypes
import Testing
import WebPages
import WebSupport

/// The pictures and sounds that a server has.
@Suite struct MediaFilesTests {
  /// The beginning of a PNG of a size.
  private static func png(_ width: UInt8, _ height: UInt8) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 1, width, 0, 0, 2, height, 8, 2, 0, 0, 0]
  }
  /// The beginning of a JPEG of 300 × 200, held as a camera says.
  private static func jpeg(orientation: UInt8?) -> [UInt8] {
    let tiff: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation ?? 1, 0, 0, 0, 0, 0, 0]
    let exif = orientation == nil ? [] : [0xFF, 0xE1, 0, UInt8(tiff.count + 8)] + Array("Exif\0\0".utf8) + tiff
    return [0xFF, 0xD8] + exif + [0xFF, 0xC4, 0, 3, 0, 0xFF, 0xC0, 0, 11, 8, 0, 200, 1, 44, 1, 0, 0, 0]
  }

  @Test func sizes() {
    func size(_ bytes: [UInt8]) -> [Int]? { MediaKind(bytes)?.size(of: bytes).map { [$0.width, $0.height] } }
    #expect(size(Self.png(4, 8)) == [260, 520])
    #expect(size(Self.jpeg(orientation: nil)) == [300, 200] && size(Self.jpeg(orientation: 1)) == [300, 200])
    #expect(size(Self.jpeg(orientation: 6)) == [200, 300])
    #expect(size(Array("GIF89a".utf8) + [10, 0, 20, 0]) == [10, 20])
    let extended = Array("RIFF----WEBPVP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 19, 0, 0, 0]
    #expect(size(extended) == [10, 20])
    // No beginning of a file is read beyond its end.
    for file in [Self.png(4, 8), Self.jpeg(orientation: 6), extended] {
      for count in file.indices { _ = size(Array(file.prefix(count))) }
    }
  }

  @Test(
    arguments: [
      ("<svg xmlns='http://www.w3.org/2000/svg'/>", nil), ("<html>", nil), ("", nil), ("ID3----", "audio/mpeg"), ("OggS", "audio/ogg"),
      ("RIFF----WAVE", "audio/wav"), ("fLaC", "audio/flac"), ("----ftypM4A ", "audio/mp4"), ("----ftypavif", "image/avif"),
    ] as [(String, String?)])
  func kinds(text: String, type: String?) { #expect(MediaKind(Array(text.utf8))?.contentType == type) }

  @Test func files() throws {
    let files = MediaFiles()
    let added = try files.add(Self.png(1, 1))
    #expect(added.name.utf8.count == 36 && added.address == "/media/\(added.name)")
    #expect(try files.add(Self.png(1, 1)) == added)
    let answer = try #require(files.answer("GET", added.address))
    #expect(answer.status == .ok && answer.contentType == "image/png" && answer.body == Self.png(1, 1))
    let headers = Dictionary(uniqueKeysWithValues: answer.headers.map { ($0.0.canonicalName, $0.1) })
    #expect(headers["content-security-policy"] == "default-src 'none'; sandbox" && headers["x-content-type-options"] == "nosniff")
    #expect(headers["cache-control"] == "public, max-age=31536000, immutable")
    #expect(files.answer("GET", added.address, known: headers["etag"])?.status == .notModified)
    #expect(files.answer("POST", added.address)?.status == .methodNotAllowed)
    for path in ["/media/", "/media/x.png", "/media/../\(added.name)", "/\(added.name)", "/media/\(added.name)/"] {
      #expect(files.answer("GET", path) == nil, "\(path)")
    }
  }

  @Test func limits() {
    let files = MediaFiles()
    #expect(throws: MediaFiles.Fault.unknown) { try files.add(Array("text".utf8)) }
    #expect(throws: MediaFiles.Fault.large(limit: MediaFiles.largestPicture)) {
      try files.add(Self.png(1, 1) + [UInt8](repeating: 0, count: MediaFiles.largestPicture))
    }
    // A sound may be larger than a picture.
    #expect(throws: Never.self) { try files.add(Array("ID3".utf8) + [UInt8](repeating: 0, count: MediaFiles.largestPicture)) }
  }
}

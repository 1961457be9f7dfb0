import Basics
import ID3
import Testing

@Suite struct ID3FrameDetailsTests {
  private func details(_ id: String, _ data: [UInt8], version: UInt8 = 4, flags: UInt16 = 0) -> ID3FrameDetails? {
    ID3FrameDetails(.unknown(id: id, flags: flags, data: data), version: version)
  }

  @Test func pictures() throws {
    let picture = try #require(details("APIC", [0] + Array("image/png\0".utf8) + [3] + Array("Cover\0".utf8) + [1, 2, 3, 4]))
    #expect(picture.mime == "image/png" && picture.pictureType == 3 && picture.description == "Cover" && picture.size == 4)
    let old = try #require(details("PIC", [0] + Array("JPG".utf8) + [0, 0, 9], version: 2))
    #expect(old.mime == "JPG" && old.pictureType == 0 && old.description == "" && old.size == 1)
  }

  @Test func commentsInUTF16() throws {
    let comment = try #require(details("COMM", [1] + Array("deu".utf8) + [0xFF, 0xFE, 0, 0, 0xFF, 0xFE, 0xE4, 0], version: 3))
    #expect(comment.language == "deu" && comment.description == "" && comment.text == "ä" && comment.size == nil)
  }

  @Test func objectsAddressesAndOwners() throws {
    let object = try #require(details("GEOB", [3] + Array("text/plain\0a.txt\0note\0".utf8) + [7]))
    #expect(object.mime == "text/plain" && object.text == "a.txt" && object.description == "note" && object.size == 1)
    #expect(try #require(details("WXXX", [3] + Array("site\0http://example.com".utf8))).text == "http://example.com")
    #expect(try #require(details("WCOM", Array("http://example.com/buy".utf8))).text == "http://example.com/buy")
    #expect(try #require(details("UFID", Array("http://example.com\0".utf8) + [1, 2])).owner == "http://example.com")
  }

  @Test func othersHaveNone() {
    #expect(details("MCDI", [1, 2, 3]) == nil)
    #expect(details("APIC", [0] + Array("image/png\0".utf8) + [3], flags: 0) == nil)
    #expect(details("COMM", [3] + Array("eng\0text".utf8), flags: 8) == nil)
    #expect(ID3FrameDetails(.text(id: "TIT2", values: ["a"]), version: 4) == nil)
  }
}

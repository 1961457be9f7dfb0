import CueSheet
import Testing

@testable import Sheets

/// JSON pointers to places.
@Suite struct PointerTests {
  private func pointers(_ root: SheetNode, _ places: (Int, Int)...) -> [String?] {
    places.map { root.pointer(to: SheetPlace(line: $0.0, column: $0.1)) }
  }

  @Test func valuesAndKeys() throws {
    let (root, _) = try #require(JSONSheet.parse("{\"a\":[1,{\"b\":\"x\"}],\n\"c/d~e\":{\"\":null},\"é\":[[]]}"))
    #expect(pointers(root, (1, 1), (1, 6), (1, 7), (1, 9), (1, 14)) == ["", "/a", "/a/0", "/a/1", "/a/1/b"])
    // A key's place is that of its value.
    #expect(pointers(root, (1, 2), (1, 10), (2, 1), (2, 10)) == ["/a", "/a/1/b", "/c~1d~0e", "/c~1d~0e/"])
    #expect(pointers(root, (2, 9), (2, 13), (2, 19), (2, 23), (2, 24)) == ["/c~1d~0e", "/c~1d~0e/", "/é", "/é", "/é/0"])
    #expect(pointers(root, (1, 3), (3, 1), (9, 9)) == [nil, nil, nil])
  }

  /// In YAML a value may begin where its first part does.
  @Test func theInnermostOne() throws {
    let (root, _) = try #require(try SheetNode.parse("cues:\n  - event: poll\n    at: 5\n"))
    #expect(
      pointers(root, (1, 1), (2, 3), (2, 5), (2, 12), (3, 5), (3, 9)) == [
        "/cues", "/cues", "/cues/0/event", "/cues/0/event", "/cues/0/at", "/cues/0/at",
      ])
  }
}

import Files
import Testing

/// Paths are taken apart at their last slash.
@Suite struct PathPartsTests {
  @Test(arguments: [
    ("a.ts", ".", "a.ts"), ("v/a.ts", "v", "a.ts"), ("/a.ts", "/", "a.ts"), ("/v/w/a.ts", "/v/w", "a.ts"), ("../a.ts", "..", "a.ts"),
    ("v/", "v", ""), ("\u{E4}/\u{FC}", "\u{E4}", "\u{FC}"), ("", ".", ""),
  ])
  func folderAndName(path: String, folder: String, name: String) {
    let parts = PathParts(path)
    #expect(parts.folder == folder && parts.name == name)
  }
}

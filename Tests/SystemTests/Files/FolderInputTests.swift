import Files
import Foundation
import Testing

/// Files are read out of one folder, and nothing outside of it.
@Suite struct FolderInputTests {
  private let top = FileManager.default.temporaryDirectory.appending(path: "cuelight-folder-\(UUID().uuidString)")
  private var folder: URL { top.appending(path: "inside") }

  init() throws {
    try FileManager.default.createDirectory(at: folder.appending(path: "deep"), withIntermediateDirectories: true)
    try Data("0123456789".utf8).write(to: folder.appending(path: "deep/file"))
    try Data("secret".utf8).write(to: top.appending(path: "outside"))
    try FileManager.default.createSymbolicLink(at: folder.appending(path: "near"), withDestinationURL: folder.appending(path: "deep/file"))
    try FileManager.default.createSymbolicLink(at: folder.appending(path: "far"), withDestinationURL: top.appending(path: "outside"))
  }

  private func read(_ path: String, part: Range<Int>? = nil) throws -> String {
    defer { try? FileManager.default.removeItem(at: top) }
    var file = try FolderInput(path: folder.path).open(path, part: part)
    var bytes: [UInt8] = []
    while try file.fill() { for index in file.bytes.indices { bytes.append(file.bytes[index]) } }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func filesOfTheFolderAreRead() throws { #expect(try read("deep/file") == "0123456789") }

  @Test func linksWithinTheFolderAreFollowed() throws { #expect(try read("near") == "0123456789") }

  @Test(arguments: [(0..<10, "0123456789"), (3..<5, "34"), (8..<20, "89"), (20..<30, ""), (4..<4, "")])
  func partsAreRead(part: Range<Int>, expected: String) throws { #expect(try read("deep/file", part: part) == expected) }

  @Test(arguments: ["far", "../outside", "deep/../../outside"]) func nothingOutsideIsRead(path: String) {
    #expect(throws: FileInputError.outside(path: path)) { try read(path) }
  }

  @Test func whatIsMissingIsNamed() { #expect(throws: FileInputError.missing(path: "deep/none")) { try read("deep/none") } }

  @Test func aFolderThatIsMissingIsNamed() {
    #expect(throws: FileInputError.missing(path: "/nowhere")) { _ = try FolderInput(path: "/nowhere") }
    try? FileManager.default.removeItem(at: top)
  }
}

import EmbeddedFiles
import Foundation
import Testing

/// What programs carry in themselves is what lies in the folders. Where it is not, `scripts/make-embedded` lists the files again.
@Suite struct EmbeddedFilesTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

  private static func bytes(_ path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: root.appending(path: "Sources/\(path)"))) }

  @Test func pages() throws {
    let folder = "Serving/WebPages/Pages"
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "Sources/\(folder)").path)
    #expect(names.contains("style.css") && Set(EmbeddedFiles.pages.keys) == Set(names))
    for name in names { #expect(try EmbeddedFiles.pages[name] == Self.bytes("\(folder)/\(name)"), "\(name)") }
  }

  @Test func singleFiles() throws {
    #expect(try EmbeddedFiles.rehearsal == Self.bytes("Serving/GameServer/rehearsal.ts"))
    #expect(try EmbeddedFiles.lineSchemas == Self.bytes("Commands/LineSchemas/schemas.ndjson"))
    #expect(try EmbeddedFiles.characterReferences == Self.bytes("Producing/Questions/HTMLEntities.txt"))
  }
}

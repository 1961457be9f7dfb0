import Foundation
import TestSupport
import Testing

@testable import Files

/// Archives as `scripts/package` and tar write them, whole, cut off, and with fields that somebody made up.
@Suite struct FileArchiveTests {
  /// The block before a file.
  private static func header(
    _ name: String, size: String, kind: Character = "0", prefix: String = "", magic: String = "ustar\u{0}00", sum: String? = nil
  ) -> [UInt8] {
    func field(_ text: String, _ count: Int) -> [UInt8] { Array((Array(text.utf8) + [UInt8](repeating: 0, count: count)).prefix(count)) }
    let numbers = field("0000644", 8) + field("0000000", 8) + field("0000000", 8) + field(size, 12) + field("00000000000", 12)
    let start = field(name, 100) + numbers
    let end = field(String(kind), 1) + field("", 100) + field(magic, 8) + field("", 80) + field(prefix, 155) + field("", 12)
    let total = (start + field("        ", 8) + end).reduce(0) { $0 + Int($1) }
    let digits = String(total, radix: 8)
    return start + field(sum ?? String(repeating: "0", count: 6 - digits.count) + digits + "\u{0} ", 8) + end
  }

  private static func file(_ name: String, _ content: String) -> [UInt8] {
    let size = String(content.utf8.count, radix: 8)
    let filling = [UInt8](repeating: 0, count: (512 - content.utf8.count % 512) % 512)
    return header(name, size: String(repeating: "0", count: 11 - size.count) + size) + Array(content.utf8) + filling
  }

  private static let end = [UInt8](repeating: 0, count: 1_024)

  private static let whole = file("a", "first") + file("web/b", String(repeating: "x", count: 512)) + file("empty", "") + end

  private static let files: [String: [UInt8]] = [
    "a": Array("first".utf8), "web/b": [UInt8](repeating: 0x78, count: 512), "empty": [],
  ]

  @Test func filesAreRead() throws {
    #expect(try FileArchive.files(Self.whole) == Self.files)
    // Archives are usually filled up to a record of 20 blocks.
    #expect(try FileArchive.files(Self.whole + [UInt8](repeating: 0, count: 5_120)) == Self.files)
    #expect(try FileArchive.files(Self.end) == [:])
    let long = Self.header("b", size: "0", prefix: "deep/folder") + Self.end
    #expect(try FileArchive.files(long) == ["deep/folder/b": []])
  }

  @Test func cutOff() {
    for count in 0..<Self.whole.count {
      #expect(throws: DamagedFile.self) { try FileArchive.files(Array(Self.whole.prefix(count))) }
    }
  }

  @Test func hostileFields() {
    let cases: [(String, [UInt8])] = [
      ("a is cut off", Self.header("a", size: "77777777777") + Self.end),
      ("a is cut off", Self.header("a", size: "777777777777") + Self.end),
      ("a has no size", Self.header("a", size: "-1") + Self.end), ("a has no size", Self.header("a", size: "8") + Self.end),
      ("a has no size", Self.header("a", size: "") + Self.end), ("a has no size", Self.header("a", size: "\u{80}\u{1}") + Self.end),
      ("a file's header has another sum", Self.header("a", size: "0", sum: "000001\u{0} ") + Self.end),
      ("a file's header has another sum", Self.header("a", size: "0", sum: "") + Self.end),
      ("a file's header is none", Self.header("a", size: "0", magic: "") + Self.end),
      ("a file has no name", Self.header("", size: "0") + Self.end),
      ("it has something else than files", Self.header("a", size: "0", kind: "2") + Self.end),
      ("it has something else than files", Self.header("a", size: "0", kind: "5") + Self.end),
      ("it has a twice", Self.file("a", "1") + Self.file("a", "2") + Self.end),
      ("something follows its end", Self.end + Self.file("a", "1") + Self.end),
      ("something follows its end", Self.file("a", "1") + [UInt8](repeating: 0, count: 512)),
      ("its end is missing", Self.file("a", "1")), ("its end is missing", []),
      ("it is no number of whole blocks", Self.whole + [0]),
    ]
    for (reason, bytes) in cases {
      #expect(throws: DamagedFile(reason)) { try FileArchive.files(bytes) }
    }
    var damaged = Self.header("a", size: "0")
    damaged[0] = 0xFF
    #expect(throws: DamagedFile("a file's header has another sum")) { try FileArchive.files(damaged + Self.end) }
  }

  /// A program with a section that binutils add, before and after it is stripped.
  @Test(.enabled(if: Programs.run("objcopy", ["--version"]) != nil, "binutils add sections"))
  func aProgramWithFiles() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cuelight-program-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (archive, program) = (folder.appending(path: "files.tar").path, folder.appending(path: "program").path)
    try Data(Self.whole).write(to: URL(filePath: archive))
    try FileManager.default.copyItem(atPath: "/usr/bin/true", toPath: program)
    #expect(try PackagedFiles.files(in: program) == [:])
    let section = PackagedFiles.section
    for arguments in [
      ["objcopy", "--add-section", "\(section)=\(archive)", "--set-section-flags", "\(section)=noload,readonly", program],
      ["strip", "--strip-unneeded", program],
    ] {
      #expect(Programs.run(arguments[0], Array(arguments.dropFirst())) != nil)
      #expect(try PackagedFiles.files(in: program) == Self.files)
    }
    #expect(Programs.run(program, []) != nil)
    #expect(Programs.run("objcopy", ["--remove-section", section, program]) != nil)
    #expect(try PackagedFiles.files(in: program) == [:])
  }

  @Test func programsFromSourceHaveNone() throws {
    #expect(try PackagedFiles.inside() == [:])
    #expect(try PackagedFiles.files(in: "/nowhere") == [:])
  }
}

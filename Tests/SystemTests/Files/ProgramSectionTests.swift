import Testing

@testable import Files

/// The table of sections of an executable file, whole, cut off, and with numbers that somebody made up.
@Suite struct ProgramSectionTests {
  /// An executable with the sections `.text`, `wanted` and their names. The fields can be changed before it is put together.
  private struct Program {
    var content: [UInt8] = Array("contents".utf8)
    var names: [UInt8] = Array("\0.text\0wanted\0.shstrtab\0".utf8)
    /// Name, type, offset and size of each section; the names come behind the content, and the table behind the names.
    var sections: [(name: UInt64, type: UInt64, offset: UInt64, size: UInt64)]
    var entrySize: UInt64 = 64
    var count: UInt64 = 4
    var namesIndex: UInt64 = 3
    var table: UInt64

    init() {
      sections = [(0, 0, 0, 0), (1, 1, 64, 4), (7, 1, 68, 4), (14, 3, 72, UInt64(names.count))]
      table = 72 + UInt64(names.count)
    }

    var bytes: [UInt8] {
      var bytes: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 33)
      bytes += Self.number(table, 8) + [UInt8](repeating: 0, count: 10) + Self.number(entrySize, 2)
      bytes += Self.number(count, 2) + Self.number(namesIndex, 2)
      bytes += content + names
      for section in sections {
        bytes += Self.number(section.name, 4) + Self.number(section.type, 4) + [UInt8](repeating: 0, count: 16)
        bytes += Self.number(section.offset, 8) + Self.number(section.size, 8) + [UInt8](repeating: 0, count: 24)
      }
      return bytes
    }

    private static func number(_ value: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
  }

  private func place(_ bytes: [UInt8], _ name: String = "wanted") throws(DamagedFile) -> Range<Int>? {
    try ProgramSection.place(of: name, size: bytes.count) { Array(bytes[$0]) }
  }

  @Test func sectionsAreFound() throws {
    let bytes = Program().bytes
    #expect(try place(bytes) == 68..<72 && place(bytes, ".text") == 64..<68)
    #expect(try place(bytes, "want") == nil && place(bytes, "wanted2") == nil)
  }

  @Test func otherFilesHaveNone() throws {
    #expect(try place([]) == nil && place(Array("#!/bin/sh\n".utf8)) == nil && place([UInt8](repeating: 0, count: 100)) == nil)
    // 32 bits, big-endian, another version, no table, no entries.
    for (index, value) in [(4, 1), (5, 2), (6, 2)] as [(Int, UInt8)] {
      var bytes = Program().bytes
      bytes[index] = value
      #expect(try place(bytes) == nil)
    }
    var program = Program()
    program.table = 0
    #expect(try place(program.bytes) == nil)
    program = Program()
    program.count = 0
    #expect(try place(program.bytes) == nil)
  }

  /// At no length is something found that is not there.
  @Test func cutOff() throws {
    let bytes = Program().bytes
    for count in 0..<bytes.count {
      let cut = Array(bytes.prefix(count))
      if count < 64 {
        #expect(try place(cut) == nil)
      } else {
        #expect(throws: DamagedFile("its table of sections goes beyond its end")) { try place(cut) }
      }
    }
  }

  @Test func aFileThatCannotBeRead() throws {
    let bytes = Program().bytes
    for readable in [0, 64, 68] {
      #expect(throws: DamagedFile.self) {
        try ProgramSection.place(of: "wanted", size: bytes.count) { $0.lowerBound >= readable ? [] : Array(bytes[$0]) }
      }
    }
  }

  @Test func hostileNumbers() {
    let cases: [(reason: String, change: (inout Program) -> Void)] = [
      ("its table of sections goes beyond its end", { $0.table = .max }),
      ("its table of sections goes beyond its end", { $0.table = .max - 255 }),
      ("its table of sections goes beyond its end", { $0.count = 0xFFFF }),
      ("its table of sections goes beyond its end", { $0.count = 5 }),
      ("entries of its sections have an unknown size", { $0.entrySize = 0 }),
      ("entries of its sections have an unknown size", { $0.entrySize = 0xFFFF }),
      ("its sections have no names", { $0.namesIndex = 0xFFFF }),
      ("its sections have no names", { $0.namesIndex = 4 }),
      ("the names of its sections goes beyond its end", { $0.sections[3].size = .max }),
      ("the names of its sections goes beyond its end", { $0.sections[3].offset = .max }),
      ("a section's name is missing", { $0.sections[1].name = 0xFFFF_FFFF }),
      ("its section wanted goes beyond its end", { $0.sections[2].size = .max }),
      ("its section wanted goes beyond its end", { $0.sections[2].offset = 1 << 63 }),
      ("its section wanted goes beyond its end", { $0.sections[2].size = 1_000 }),
      ("its section wanted is empty", { $0.sections[2].type = 8 }),
      ("it has two sections wanted", { $0.sections[1].name = 7 }),
    ]
    for (reason, change) in cases {
      var program = Program()
      change(&program)
      #expect(throws: DamagedFile(reason)) { try place(program.bytes) }
    }
  }

  @Test func namesThatAreTooLong() {
    var program = Program()
    let names = [UInt8](repeating: 0x41, count: (1 << 20) + 1)
    program.names += names
    program.sections[3].size += UInt64(names.count)
    program.table += UInt64(names.count)
    #expect(throws: DamagedFile("the names of its sections are too long")) { try place(program.bytes) }
  }
}

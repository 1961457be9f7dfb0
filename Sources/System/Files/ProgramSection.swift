/// Finds a section of an executable file: ELF with 64 bits, little-endian (System V Application Binary Interface, chapter 4).
enum ProgramSection {
  private static let headerSize = 64
  private static let entrySize = 64
  /// The type of a section without bytes in the file.
  private static let noBits = 8
  /// The maximum size of the names of all sections.
  private static let mostNames = 1 << 20

  /// The place of a section in the file; `nil` if there is none of this name, or if the file is no such executable.
  ///
  /// - Parameters:
  ///   - size: The size of the file in bytes.
  ///   - read: Returns a part of the file, which lies within `size`; fewer bytes if it cannot be read.
  /// - Throws: ``DamagedFile`` if the table of sections contradicts itself or the file's size.
  static func place(of name: String, size: Int, read: (Range<Int>) -> [UInt8]) throws(DamagedFile) -> Range<Int>? {
    guard size >= headerSize else { return nil }
    let header = try part(0, UInt64(headerSize), "its header", size, read)
    // The magic number, 64 bits, little-endian, version 1.
    guard header.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1]) else { return nil }
    let (start, count, namesIndex) = (number(header, 40, 8), number(header, 60, 2), number(header, 62, 2))
    guard start > 0, count > 0 else { return nil }
    guard number(header, 58, 2) == UInt64(entrySize) else { throw DamagedFile("entries of its sections have an unknown size") }
    guard namesIndex < count else { throw DamagedFile("its sections have no names") }

    let table = try part(start, count * UInt64(entrySize), "its table of sections", size, read)
    let entries = (0..<Int(count)).map { table[$0 * entrySize..<($0 + 1) * entrySize] }
    let namesPlace = try place(of: entries[Int(namesIndex)], "the names of its sections", size)
    guard namesPlace.count <= mostNames else { throw DamagedFile("the names of its sections are too long") }
    let names = try part(UInt64(namesPlace.lowerBound), UInt64(namesPlace.count), "the names of its sections", size, read)
    var found: Range<Int>?
    for entry in entries {
      let offset = number(entry, 0, 4)
      guard offset < UInt64(names.count) || offset == 0 else { throw DamagedFile("a section's name is missing") }
      guard names.dropFirst(Int(offset)).prefix(while: { $0 != 0 }).elementsEqual(name.utf8) else { continue }
      guard found == nil else { throw DamagedFile("it has two sections \(name)") }
      guard number(entry, 4, 4) != UInt64(noBits) else { throw DamagedFile("its section \(name) is empty") }
      found = try place(of: entry, "its section \(name)", size)
    }
    return found
  }

  /// The place of the section that an entry of the table describes.
  private static func place(of entry: ArraySlice<UInt8>, _ what: String, _ size: Int) throws(DamagedFile) -> Range<Int> {
    try range(number(entry, 24, 8), number(entry, 32, 8), what, size)
  }

  private static func range(_ offset: UInt64, _ count: UInt64, _ what: String, _ size: Int) throws(DamagedFile) -> Range<Int> {
    let (end, overflows) = offset.addingReportingOverflow(count)
    guard !overflows, end <= UInt64(size) else { throw DamagedFile("\(what) goes beyond its end") }
    return Int(offset)..<Int(end)
  }

  private static func part(
    _ offset: UInt64, _ count: UInt64, _ what: String, _ size: Int, _ read: (Range<Int>) -> [UInt8]
  ) throws(DamagedFile) -> [UInt8] {
    let range = try range(offset, count, what, size)
    let bytes = read(range)
    guard bytes.count == range.count else { throw DamagedFile("\(what) cannot be read") }
    return bytes
  }

  /// A little-endian number of `count` bytes, at an offset from the first of `bytes`, which has them.
  private static func number(_ bytes: some Collection<UInt8>, _ offset: Int, _ count: Int) -> UInt64 {
    bytes.dropFirst(offset).prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

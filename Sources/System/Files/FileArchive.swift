/// Reads an archive of regular files (ustar Interchange Format, POSIX.1-2017, pax).
enum FileArchive {
  private static let blockSize = 512

  /// The files by their names.
  ///
  /// - Throws: ``DamagedFile`` unless the bytes are a whole archive, with its end, in which each name is there once and is a regular file.
  static func files(_ bytes: [UInt8]) throws(DamagedFile) -> [String: [UInt8]] {
    guard bytes.count % blockSize == 0 else { throw DamagedFile("it is no number of whole blocks") }
    var files: [String: [UInt8]] = [:]
    var position = 0
    while position < bytes.count {
      let header = bytes[position..<position + blockSize]
      position += blockSize
      if header.allSatisfy({ $0 == 0 }) {
        guard bytes.count - position >= blockSize, bytes[position...].allSatisfy({ $0 == 0 }) else {
          throw DamagedFile("something follows its end")
        }
        return files
      }
      let (name, size) = try entry(header)
      guard size <= bytes.count - position else { throw DamagedFile("\(name) is cut off") }
      guard files.updateValue(Array(bytes[position..<position + size]), forKey: name) == nil else {
        throw DamagedFile("it has \(name) twice")
      }
      // `size` is less than the whole, which is a number of blocks: what fills the last one is there as well.
      position += (size + blockSize - 1) / blockSize * blockSize
    }
    throw DamagedFile("its end is missing")
  }

  /// The name and the size of a file, by the block before it.
  private static func entry(_ header: ArraySlice<UInt8>) throws(DamagedFile) -> (name: String, size: Int) {
    guard text(header, 257, 6).elementsEqual("ustar".utf8) else { throw DamagedFile("a file's header is none") }
    // The sum counts its own field as spaces.
    let sum = header.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 0x20 : Int($1.element)) }
    guard number(text(header, 148, 8)) == sum else { throw DamagedFile("a file's header has another sum") }
    guard [0x30, 0].contains(header[header.startIndex + 156]) else { throw DamagedFile("it has something else than files") }
    let parts = [text(header, 345, 155), text(header, 0, 100)].filter { !$0.isEmpty }
    guard let name = String(validating: parts.joined(separator: "/".utf8), as: UTF8.self), !name.isEmpty else {
      throw DamagedFile("a file has no name")
    }
    guard let size = number(text(header, 124, 12)) else { throw DamagedFile("\(name) has no size") }
    return (name, size)
  }

  /// A field of a header, up to a NUL.
  private static func text(_ header: ArraySlice<UInt8>, _ offset: Int, _ count: Int) -> ArraySlice<UInt8> {
    header.dropFirst(offset).prefix(count).prefix { $0 != 0 }
  }

  /// An octal number, with a space at most behind it; `nil` if it is none. Its field has 12 bytes at most, so that it fits.
  private static func number(_ field: ArraySlice<UInt8>) -> Int? {
    let digits = field.last == 0x20 ? field.dropLast() : field
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 << 3 | Int($1 & 7) }
  }
}

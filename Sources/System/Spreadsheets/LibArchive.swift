// Unsafe: libarchive's functions are found and called by their C names; each call states what C reads and writes.

import LibC

/// libarchive, which unpacks zip files.
@safe struct LibArchive: @unchecked Sendable {
  typealias Call = @convention(c) (OpaquePointer?) -> Int32

  // Unsafe: pointers to functions of a library that is never closed, with the types of archive.h and archive_entry.h.
  let new: @convention(c) () -> OpaquePointer?
  let supportZip: Call
  let open: @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int) -> Int32
  let next: @convention(c) (OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?) -> Int32
  let name: @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
  let read: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int) -> Int
  let free: Call

  static let names = ["libarchive.so.13", "libarchive.13.dylib"]
  static let opened = SharedLibrary(names).flatMap { try? Self($0) }

  init(_ library: SharedLibrary) throws(SharedLibrary.FunctionMissing) {
    unsafe new = try library.function("archive_read_new")
    unsafe supportZip = try library.function("archive_read_support_format_zip_seekable")
    unsafe open = try library.function("archive_read_open_memory")
    unsafe next = try library.function("archive_read_next_header")
    unsafe name = try library.function("archive_entry_pathname")
    unsafe read = try library.function("archive_read_data")
    unsafe free = try library.function("archive_read_free")
  }
}

/// A zip file in memory.
struct ZipFile {
  private let bytes: [UInt8]
  private let library: LibArchive
  /// How many bytes may still be unpacked.
  private var rest = SpreadsheetLimits.files

  init(_ bytes: [UInt8]) throws(SpreadsheetError) {
    try Spreadsheet.requireLibraries()
    guard let library = LibArchive.opened else { throw .libraryMissing("") }
    (self.bytes, self.library) = (bytes, library)
  }

  /// The content of a file within it, whose name may be written in capitals; `nil` if there is none.
  ///
  /// - Throws: if the zip file is damaged, or the content is above the limits.
  mutating func content(of name: String) throws(SpreadsheetError) -> [UInt8]? {
    let (wanted, limit) = (name.lowercased(), min(rest, SpreadsheetLimits.file))
    var content: [UInt8]?
    try unsafe eachEntry { (path, archive) throws(SpreadsheetError) in
      guard path.lowercased() == wanted else { return true }
      content = try unsafe Self.read(archive, library, name, limit: limit)
      return false
    }
    rest -= content?.count ?? 0
    return content
  }

  /// The names of the files within it.
  ///
  /// - Throws: if the zip file is damaged.
  func names() throws(SpreadsheetError) -> [String] {
    var names: [String] = []
    try unsafe eachEntry { (path, _) in
      names.append(path)
      return true
    }
    return names
  }

  /// Goes from file to file, until the body returns `false`. It gets the name of the file at which the archive stands.
  private func eachEntry(_ body: (String, OpaquePointer) throws(SpreadsheetError) -> Bool) throws(SpreadsheetError) {
    // Unsafe: made here, freed at the end, and given to the body alone. C reads `bytes`, which live as long.
    guard let archive = unsafe library.new() else { throw .unreadable("no memory for a zip file") }
    defer { _ = unsafe library.free(archive) }
    try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(SpreadsheetError) in
      guard unsafe library.supportZip(archive) == 0, unsafe library.open(archive, buffer.baseAddress, buffer.count) == 0 else {
        throw Self.damaged
      }
      for _ in 0..<SpreadsheetLimits.entries {
        var entry: OpaquePointer?
        // C writes the entry, which belongs to the archive. Above 0 is the end; warnings down to -20 leave a usable entry.
        let status = unsafe library.next(archive, &entry)
        guard status <= 0 else { return }
        guard status >= -20 else { throw Self.damaged }
        guard let path = unsafe library.name(entry) else { continue }
        guard try unsafe body(String(cString: path), archive) else { return }
      }
      throw .unreadable("there are more than \(SpreadsheetLimits.entries) files in this zip file")
    }
  }

  private static let damaged = SpreadsheetError.unreadable("this zip file is damaged")

  /// Unsafe: the archive stands at the entry.
  @unsafe private static func read(
    _ archive: OpaquePointer, _ library: LibArchive, _ name: String, limit: Int
  ) throws(SpreadsheetError) -> [UInt8] {
    var content: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      // C writes at most `count` bytes, and returns their number, 0 at the end, or an error below it.
      let count = unsafe piece.withUnsafeMutableBytes { unsafe library.read(archive, $0.baseAddress, $0.count) }
      guard count >= 0 else { throw damaged }
      guard count > 0 else { return content }
      guard content.count + count <= limit else {
        throw .unreadable("\(name) in this zip file is above the limit of \(limit >> 20) MiB unpacked")
      }
      content += piece.prefix(count)
    }
  }
}

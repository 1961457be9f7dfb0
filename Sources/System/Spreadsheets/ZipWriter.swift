// Unsafe: libarchive's functions are found and called by their C names; each call states what C reads and writes.

import LibC

/// The functions of libarchive that write zip files.
@safe struct LibArchiveWriting: @unchecked Sendable {
  typealias Call = @convention(c) (OpaquePointer?) -> Int32
  typealias Write = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int

  // Unsafe: pointers to functions of a library that is never closed, with the types of archive.h and archive_entry.h.
  let new: @convention(c) () -> OpaquePointer?
  let useZip: Call
  let setOptions: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> Int32
  let padLastBlock: @convention(c) (OpaquePointer?, Int32) -> Int32
  let open: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, OpaquePointer?, Write?, OpaquePointer?) -> Int32
  let beginEntry: @convention(c) (OpaquePointer?, OpaquePointer?) -> Int32
  let write: @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int) -> Int
  let close: Call
  let free: Call
  let newEntry: @convention(c) () -> OpaquePointer?
  let setName: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> Void
  let setType: @convention(c) (OpaquePointer?, UInt32) -> Void
  let setPermissions: @convention(c) (OpaquePointer?, UInt32) -> Void
  let freeEntry: @convention(c) (OpaquePointer?) -> Void

  static let opened = SharedLibrary(LibArchive.names).flatMap { try? Self($0) }

  init(_ library: SharedLibrary) throws(SharedLibrary.FunctionMissing) {
    unsafe new = try library.function("archive_write_new")
    unsafe useZip = try library.function("archive_write_set_format_zip")
    unsafe setOptions = try library.function("archive_write_set_options")
    unsafe padLastBlock = try library.function("archive_write_set_bytes_in_last_block")
    unsafe open = try library.function("archive_write_open")
    unsafe beginEntry = try library.function("archive_write_header")
    unsafe write = try library.function("archive_write_data")
    unsafe close = try library.function("archive_write_close")
    unsafe free = try library.function("archive_write_free")
    unsafe newEntry = try library.function("archive_entry_new")
    unsafe setName = try library.function("archive_entry_set_pathname")
    unsafe setType = try library.function("archive_entry_set_filetype")
    unsafe setPermissions = try library.function("archive_entry_set_perm")
    unsafe freeEntry = try library.function("archive_entry_free")
  }
}

/// Writes a zip file into memory, piece by piece: only what is compressed is kept.
@safe final class ZipWriter {
  /// The compressed bytes, which C hands over.
  private final class Output {
    var bytes: [UInt8] = []
    let limit: Int

    init(limit: Int) { self.limit = limit }
  }

  private let library: LibArchiveWriting
  private let archive: OpaquePointer
  private let output: Output

  /// - Parameter limit: The maximum number of compressed bytes.
  /// - Throws: ``SpreadsheetError`` if libarchive is missing.
  init(limit: Int) throws(SpreadsheetError) {
    guard let library = LibArchiveWriting.opened else {
      throw .libraryMissing("writing spreadsheets needs libarchive (Debian: libarchive13)")
    }
    // Unsafe: made here, freed by `deinit`, and never given away.
    guard let archive = unsafe library.new() else { throw .unwritable("no memory for a zip file") }
    (self.library, output) = (library, Output(limit: limit))
    unsafe self.archive = archive
    // Unsafe: the pointer is to the object that this value keeps until after the archive is freed; C gives it back to the function alone.
    let place = unsafe Unmanaged.passUnretained(output).toOpaque()
    let status = unsafe "zip:!zip64,zip:compression=deflate".withCString { options in
      // The sizes are known at the end. Spreadsheet programs refuse files whose entries announce sizes of 64 bits.
      unsafe [library.useZip(archive), library.setOptions(archive, options), library.padLastBlock(archive, 1)].min() ?? 0
    }
    let opened = unsafe library.open(
      archive, place, nil,
      { _, place, piece, count in
        // Unsafe: `place` is the output, and C lends `count` bytes for the call.
        guard let place = unsafe place, let piece = unsafe piece else { return -1 }
        let output = unsafe Unmanaged<Output>.fromOpaque(place).takeUnretainedValue()
        guard count <= output.limit - output.bytes.count else { return -1 }
        unsafe output.bytes.append(contentsOf: UnsafeRawBufferPointer(start: piece, count: count))
        return count
      }, nil)
    guard status == 0, opened == 0 else { throw .unwritable("a zip file cannot be written") }
  }

  // Unsafe: made by `init`, and not used afterwards.
  deinit { _ = unsafe library.free(archive) }

  /// Begins a file within the zip file.
  func begin(_ name: String) throws(SpreadsheetError) {
    // Unsafe: the entry is made and freed here; C copies it and its name.
    guard let entry = unsafe library.newEntry() else { throw .unwritable("no memory for a zip file") }
    defer { unsafe library.freeEntry(entry) }
    unsafe library.setName(entry, name)
    unsafe library.setType(entry, Self.regularFile)
    unsafe library.setPermissions(entry, 0o644)
    guard unsafe library.beginEntry(archive, entry) == 0 else { throw tooLarge }
  }

  /// Writes the next bytes of the file that was begun last.
  func write(_ bytes: [UInt8]) throws(SpreadsheetError) {
    guard !bytes.isEmpty else { return }
    // Unsafe: C reads the bytes during the call.
    let count = unsafe bytes.withUnsafeBytes { unsafe library.write(archive, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw tooLarge }
  }

  /// Ends the zip file.
  func finish() throws(SpreadsheetError) -> [UInt8] {
    guard unsafe library.close(archive) == 0 else { throw tooLarge }
    return output.bytes
  }

  private var tooLarge: SpreadsheetError { .unwritable("the spreadsheet has more than \(output.limit >> 20) MiB") }

  /// AE_IFREG of archive_entry.h.
  private static let regularFile: UInt32 = 0o100000
}

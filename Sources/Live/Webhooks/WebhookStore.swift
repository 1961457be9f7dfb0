import Basics
import Files

/// The file in which messages wait for webhooks, however the process ends. It is in a folder that one process has at a time.
struct WebhookStore: ~Copyable {
  private let path: String
  private let lock: FolderLock?
  private var file: JournalFile
  /// How many lines were no records when the file was opened.
  let damaged: Int

  /// A file that is larger than this, and mostly of settled messages, is written anew.
  private static let smallest = 1 << 20
  private static let name = "webhooks.journal"

  /// Opens the file of a folder, and makes both if they are missing.
  ///
  /// - Parameter records: Receives the records of the file.
  /// - Throws: `FileSinkError`; its operation is `lock` if another process has the folder.
  init(folder: String, records: ([WebhookRecord]) -> Void) throws(FileSinkError) {
    try NewFolder.make(folder)
    let folderLock = try FolderLock(folder)
    let name = "\(folder)/\(Self.name)"
    var opened = try JournalFile(path: name)
    // The reserved space after the records is zeros.
    let written = Array(opened.contents.prefix { $0 != 0 })
    let found = WebhookRecord.read(written)
    try opened.start(at: written.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)
    (lock, path, damaged) = (folderLock, name, found.damaged)
    file = opened
    records(found.records)
  }

  /// Adds records, and waits until they are on the disk.
  ///
  /// - Throws: `FileSinkError` if the disk is full or fails.
  mutating func append(_ records: [WebhookRecord]) throws(FileSinkError) {
    guard !records.isEmpty else { return }
    let bytes = records.flatMap(\.line)
    try file.append(bytes.span)
  }

  /// Whether most of the file is of settled messages.
  ///
  /// - Parameter byteCount: The bytes of the lines of those that wait.
  func isWasteful(waiting byteCount: Int) -> Bool { file.writtenCount() > Self.smallest + 2 * byteCount }

  /// Writes the file anew with these records alone. After a failure it is as it was.
  ///
  /// - Throws: `FileSinkError`.
  mutating func replace(by records: [WebhookRecord]) throws(FileSinkError) {
    let bytes = records.flatMap(\.line)
    var sink = try FileSink(path: path, overwrite: true, isPrivate: true)
    sink.write(bytes.span)
    try sink.commit()
    var new = try JournalFile(path: path)
    try new.start(at: bytes.count)
    file = new
  }
}

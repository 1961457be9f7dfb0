#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A folder of files that appear under their names only when all of them are complete.
///
/// The files are written to a temporary folder within the folder. `commit` moves them out one after another, in the order in which they were
/// made, so that a file which names others, made last, never names one that is not there. Without `commit` nothing stays behind.
public struct StagingFolder: ~Copyable {
  /// The folder.
  public let path: String
  private let overwrites: Bool
  private let madeFolder: Bool
  private let temporary: String
  private var names: [String] = []
  private var isCommitted = false

  /// Makes the temporary folder, and the folder itself where it is missing.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - overwrite: Whether files of the same names are replaced.
  /// - Throws: `FileSinkError` where the folder cannot be made or written to.
  public init(path: String, overwrite: Bool) throws(FileSinkError) {
    let made = try Self.makeFolders(path)
    self.path = path
    overwrites = overwrite
    temporary = made.temporary
    madeFolder = made.isNew
  }

  private static func makeFolders(_ path: String) throws(FileSinkError) -> (temporary: String, isNew: Bool) {
    let code = makeFolder(path)
    guard code == 0 || code == EEXIST else { throw FileSinkError(.create, path: path, code: code) }
    let temporary = "\(path)/.cuelight-\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
    let failure = makeFolder(temporary)
    guard failure == 0 else {
      if code == 0 { removeFolder(path) }
      throw FileSinkError(.create, path: path, code: failure)
    }
    return (temporary, code == 0)
  }

  deinit {
    for name in names { removeFile("\(temporary)/\(name)") }
    removeFolder(temporary)
    if madeFolder, !isCommitted { removeFolder(path) }
  }

  /// Makes a file of this name.
  ///
  /// - Throws: `FileSinkError` where that fails, or a file of this name is there and is not to be replaced.
  public mutating func makeFile(_ name: String) throws(FileSinkError) -> FileSink {
    if !overwrites, case .success = fileKind("\(path)/\(name)") { throw FileSinkError(.create, path: "\(path)/\(name)", code: EEXIST) }
    let sink = try FileSink(atOnce: "\(temporary)/\(name)")
    names.append(name)
    return sink
  }

  /// Moves all files to the folder.
  ///
  /// - Throws: `FileSinkError` where one cannot be moved; those before it have been.
  public consuming func commit() throws(FileSinkError) {
    isCommitted = true
    while let name = names.first {
      let (old, new) = ("\(temporary)/\(name)", "\(path)/\(name)")
      let code = overwrites ? renameFile(old, to: new) : nameFile(old, as: new)
      guard code == 0 else { throw FileSinkError(.commit, path: new, code: code) }
      names.removeFirst()
    }
  }
}

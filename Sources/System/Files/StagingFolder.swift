import LibC

/// A folder of files that appear under their names only when all of them are complete.
///
/// The files are written to a temporary folder within the folder. `commit` moves them out one after another, in the order in which they were
/// made, so that a file which names others, made last, never names one that is not there. Without `commit` nothing stays behind.
package struct StagingFolder: ~Copyable {
  /// The folder.
  package let path: String
  private let overwrites: Bool
  /// The folders that were missing, outermost first.
  private let madeFolders: [String]
  private let temporary: String
  private var names: [String] = []
  private var isCommitted = false

  /// Makes the temporary folder, and the folder itself with those above it where they are missing.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - overwrite: Whether files of the same names are replaced.
  /// - Throws: `FileSinkError` where the folder cannot be made or written to.
  package init(path: String, overwrite: Bool) throws(FileSinkError) {
    let made = try Self.makeFolders(path)
    self.path = path
    overwrites = overwrite
    temporary = made.temporary
    madeFolders = made.new
  }

  private static func makeFolders(_ path: String) throws(FileSinkError) -> (temporary: String, new: [String]) {
    var made: [String] = []
    for folder in folders(leadingTo: path) {
      let code = makeFolder(folder)
      if code == 0 { made.append(folder) }
      guard code == 0 || code == EEXIST else {
        for folder in made.reversed() { removeFolder(folder) }
        throw FileSinkError(.create, path: folder, code: code)
      }
    }
    let temporary = "\(path)/\(temporaryName())"
    let failure = makeFolder(temporary)
    guard failure == 0 else {
      for folder in made.reversed() { removeFolder(folder) }
      throw FileSinkError(.create, path: path, code: failure)
    }
    return (temporary, made)
  }

  /// A path and all folders above it that it names, outermost first.
  private static func folders(leadingTo path: String) -> [String] {
    let bytes = Array(path.utf8)
    let ends = bytes.indices.dropFirst().filter { bytes[$0] == UInt8(ascii: "/") && bytes[$0 - 1] != UInt8(ascii: "/") }
    return ends.map { String(decoding: bytes[..<$0], as: UTF8.self) } + [path]
  }

  deinit {
    for name in names { removeFile("\(temporary)/\(name)") }
    removeFolder(temporary)
    if !isCommitted { for folder in madeFolders.reversed() { removeFolder(folder) } }
  }

  /// Makes a file of this name.
  ///
  /// - Throws: `FileSinkError` where that fails, or a file of this name is there and is not to be replaced.
  package mutating func makeFile(_ name: String) throws(FileSinkError) -> FileSink {
    try requirePlace(for: name)
    let sink = try FileSink(atOnce: "\(temporary)/\(name)")
    names.append(name)
    return sink
  }

  /// Looks whether a file of this name can be made.
  ///
  /// - Throws: `FileSinkError` where a folder of this name is there, or a file that is not to be replaced.
  package func requirePlace(for name: String) throws(FileSinkError) {
    guard case .success(let kind) = fileKind("\(path)/\(name)") else { return }
    guard overwrites, kind != .directory else {
      throw FileSinkError(.create, path: "\(path)/\(name)", code: kind == .directory ? EISDIR : EEXIST)
    }
  }

  /// Moves all files to the folder.
  ///
  /// - Throws: `FileSinkError` where one cannot be moved; those before it have been.
  package consuming func commit() throws(FileSinkError) {
    isCommitted = true
    while let name = names.first {
      let (old, new) = ("\(temporary)/\(name)", "\(path)/\(name)")
      let code = overwrites ? renameFile(old, to: new) : nameFile(old, as: new)
      guard code == 0 else { throw FileSinkError(.commit, path: new, code: code) }
      names.removeFirst()
    }
  }
}

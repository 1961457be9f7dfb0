import Dispatch
import LibC
import Synchronization

/// A folder of files that appear under their names only when all of them are complete.
///
/// The files are written to a temporary folder within the folder. `commit` moves them out one after another, in the order in which they were
/// made, so that a file which names others, made last, never names one that is not there. Without `commit` nothing is left. The next
/// process removes the files of a killed one.
package struct StagingFolder: ~Copyable {
  /// The folder.
  package let path: String
  private let overwrites: Bool
  /// The folders that were missing, outermost first.
  private let madeFolders: [String]
  private let temporary: TemporaryFile
  private var names: [String] = []
  /// The names of files that `commit` removes.
  private var obsolete: [String] = []
  private var isCommitted = false

  /// Makes the temporary folder, and the folder itself and its parents if they are missing.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - overwrite: Whether files of the same names are replaced.
  /// - Throws: `FileSinkError` if the folder cannot be made or written to.
  package init(path: String, overwrite: Bool) throws(FileSinkError) {
    let made = try NewFolder.make(path)
    do throws(FileSinkError) {
      temporary = try TemporaryFile.makeFolder(in: "\(path)/").created(path)
    } catch {
      for folder in made.reversed() { removeFolder(folder) }
      throw error
    }
    self.path = path
    overwrites = overwrite
    madeFolders = made
  }

  deinit {
    for name in names { removeFile(temporaryPath(name)) }
    removeFolder(temporary.path)
    close(temporary.descriptor)
    if !isCommitted { for folder in madeFolders.reversed() { removeFolder(folder) } }
  }

  /// The path of a file until it is complete. The temporary folder has no subfolders.
  private func temporaryPath(_ name: String) -> String { Self.temporaryPath(name, in: temporary.path) }

  private static func temporaryPath(_ name: String, in folder: String) -> String {
    "\(folder)/\(String(name.map { $0 == "/" ? "\u{1F}" : $0 }))"
  }

  /// Makes a file of this name, which may contain a subfolder. If that is missing, `commit` makes it.
  ///
  /// - Throws: `FileSinkError` if that fails, or a file of this name exists and must not be replaced.
  package mutating func makeFile(_ name: String) throws(FileSinkError) -> FileSink {
    let replaced = try place(for: name)
    let sink = try FileSink(atOnce: temporaryPath(name), permissions: replaced?.permissions)
    names.append(name)
    return sink
  }

  /// Checks that a file of this name can be made.
  ///
  /// - Throws: `FileSinkError` if a folder of this name exists, or a file that must not be replaced.
  package func requirePlace(for name: String) throws(FileSinkError) { _ = try place(for: name) }

  /// The file that a new one of this name replaces, if any.
  private func place(for name: String) throws(FileSinkError) -> FileStatus? {
    let path = "\(path)/\(name)"
    let status = try? fileStatus(path).get()
    guard status?.kind != .directory else { throw FileSinkError(.create, path: path, code: EISDIR) }
    guard overwrites || nameMode(path) == nil else { throw FileSinkError(.create, path: path, code: EEXIST) }
    return status
  }

  /// Removes a file that was made and written.
  package mutating func discard(_ name: String) {
    guard let index = names.firstIndex(of: name) else { return }
    names.remove(at: index)
    removeFile(temporaryPath(name))
  }

  /// Makes `commit` remove regular files of the folder at its end, except those that new files replace. A file that cannot be removed stays.
  package mutating func remove(_ names: some Sequence<String>) { obsolete += names }

  /// Moves all files to the folder, once all of them are on the disk.
  ///
  /// - Throws: `FileSinkError` if one cannot be moved; those before it have been.
  package consuming func commit() throws(FileSinkError) {
    try synchronizeFiles()
    isCommitted = true
    let new = Set(names)
    while let name = names.first {
      let (old, new) = (temporaryPath(name), "\(path)/\(name)")
      if name.contains("/") { try NewFolder.make(PathParts(new).folder) }
      let code = overwrites ? renameFile(old, to: new) : nameFile(old, as: new)
      guard code == 0 else { throw FileSinkError(.commit, path: new, code: code) }
      names.removeFirst()
    }
    for name in obsolete where !new.contains(name) && nameMode("\(path)/\(name)") == S_IFREG { removeFile("\(path)/\(name)") }
    synchronizeFolder(path)
  }

  /// Waits until all files are on the disk. Several threads wait at a time, because file systems combine their metadata.
  private func synchronizeFiles() throws(FileSinkError) {
    let (names, folder) = (names, temporary.path)
    let failure = Mutex<(name: String, code: Int32)?>(nil)
    DispatchQueue.concurrentPerform(iterations: names.count) { index in
      let descriptor = openFile(Self.temporaryPath(names[index], in: folder), O_RDONLY | O_CLOEXEC)
      let code = descriptor < 0 ? errno : synchronize(descriptor)
      if descriptor >= 0 { close(descriptor) }
      if code != 0 { failure.withLock { $0 = $0 ?? (names[index], code) } }
    }
    if let (name, code) = failure.withLock({ $0 }) { throw FileSinkError(.commit, path: "\(path)/\(name)", code: code) }
  }
}

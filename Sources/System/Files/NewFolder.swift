import LibC

/// Makes folders if they are missing.
package enum NewFolder {
  /// Makes a folder and its parents.
  ///
  /// - Returns: The folders that were missing, outermost first.
  /// - Throws: `FileSinkError` if one cannot be made; then none is left.
  @discardableResult
  package static func make(_ path: String) throws(FileSinkError) -> [String] {
    var made: [String] = []
    for folder in folders(leadingTo: path) {
      let code = makeFolder(folder)
      if code == 0 { made.append(folder) }
      guard code == 0 || code == EEXIST else {
        for folder in made.reversed() { removeFolder(folder) }
        throw FileSinkError(.create, path: folder, code: code)
      }
    }
    return made
  }

  /// A path and all parent folders in it, outermost first.
  private static func folders(leadingTo path: String) -> [String] {
    let bytes = Array(path.utf8)
    let ends = bytes.indices.dropFirst().filter { bytes[$0] == UInt8(ascii: "/") && bytes[$0 - 1] != UInt8(ascii: "/") }
    return ends.map { String(decoding: bytes[..<$0], as: UTF8.self) } + [path]
  }
}

/// A file that nobody needs any more.
package enum ExpiredFile {
  /// Removes a file of this name, if there is one.
  package static func remove(_ path: String) { removeFile(path) }
}

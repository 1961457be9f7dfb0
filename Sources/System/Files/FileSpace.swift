/// The free space of a file system.
package enum FileSpace {
  /// How many bytes are free for this user on the file system of a path; `nil` if the system does not say.
  package static func left(at path: String) -> UInt64? { freeByteCount(at: path) }
}

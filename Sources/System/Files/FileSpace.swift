/// The room that is left on a file system.
package enum FileSpace {
  /// How many bytes are left for this user where a path is; `nil` if the system does not say.
  package static func left(at path: String) -> UInt64? { freeByteCount(at: path) }
}

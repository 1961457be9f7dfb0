import LibC

/// Identifies a file by its device and its inode there, whatever names and links lead to it.
package struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  /// The identity of the regular file that a path leads to; `nil` if there is none. Pipes and devices contain nothing that could be lost.
  package init?(path: String) { self.init(fileStatus(path)) }

  /// The identity of standard input, if it is a regular file.
  package static var standardInput: FileIdentity? { FileIdentity(fileStatus(of: STDIN_FILENO)) }

  init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }

  private init?(_ status: Result<FileStatus, SystemFailure>) {
    guard case .success(let status) = status, status.kind == .regular else { return nil }
    self = status.identity
  }
}

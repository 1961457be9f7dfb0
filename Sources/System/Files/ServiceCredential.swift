import LibC

/// The files of secrets that a service manager gives a service (systemd's LoadCredential).
///
/// They belong to root, and the service reads them by an access list. The bits for the group are the mask of that list, so that `stat` shows 0440 although
/// the group may not read.
package enum ServiceCredential {
  /// The folder of the files, which the service alone may enter; `nil` if there is none.
  package static var folder: String? {
    // Unsafe: the text belongs to the environment, and is copied.
    guard let text = unsafe getenv("CREDENTIALS_DIRECTORY") else { return nil }
    return unsafe String(cString: text)
  }

  /// Whether a file is such a secret.
  ///
  /// - Parameters:
  ///   - owner: The number of its owner.
  ///   - permissions: Its permissions.
  ///   - folder: The folder of the secrets.
  static func includes(_ path: String, owner: UInt32, permissions: UInt32, in folder: String?) -> Bool {
    guard let folder, folder.hasPrefix("/"), owner == 0, permissions & 0o337 == 0 else { return false }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/") && !parts.contains("..")
  }
}

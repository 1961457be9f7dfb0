package import Seals

/// A file with the key that seals answers.
package struct SealKeyFile {
  let path: String

  private static let largest = 4_096

  package init(path: String) { self.path = path }

  /// The key. Warns on standard error if it is not secret.
  package func key() throws(CommandFailure) -> SealKey {
    let (bytes, isReadableByOthers) = try SmallFile(path: path).contents(limit: Self.largest)
    return try Self.key(bytes, name: path, isReadableByOthers: isReadableByOthers)
  }

  /// Returns the key of these bytes, which came from a place of this name. Warns on standard error if it is not secret.
  package static func key(_ bytes: [UInt8], name: String, isReadableByOthers: Bool = false) throws(CommandFailure) -> SealKey {
    let key = try orFail(SealKey(fileContents: bytes)) { (error: SealKeyError) in CommandFailure(invalid: "\(name): \(error)") }
    if isReadableByOthers { StandardError.write("\(name): others may read this seal key; keep it to yourself with chmod 600") }
    if key.isWeak {
      StandardError.write("\(name): this seal key is easy to guess; take 32 random bytes, such as those of openssl rand -hex 32")
    }
    return key
  }
}

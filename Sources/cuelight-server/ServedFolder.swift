import AccessTokens
import CommandSupport
import Files
import Foundation
import GameStore
import LibCrypto
import Seals

/// The folder of a game server: the data that must not be lost, and the key of its tokens.
struct ServedFolder: ~Copyable {
  /// Keeps a second server out.
  private let lock: JournalFile

  /// Opens a folder, or creates it, so that only its owner can read it.
  init(_ path: String) throws(CommandFailure) {
    try Self.make(path)
    do throws(FileSinkError) { lock = try JournalFile(path: "\(path)/lock") } catch {
      throw CommandFailure(
        error.code == EWOULDBLOCK ? "\(path): another server has this folder" : "\(path): the folder cannot be written to (\(error))",
        status: CommandFailure.cannotCreate)
    }
  }

  /// Makes a folder that only its owner can read, unless it is there.
  static func make(_ path: String) throws(CommandFailure) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure("\(path): the folder cannot be made: \(error.localizedDescription)", status: CommandFailure.cannotCreate)
    }
  }

  /// The journal of the stream.
  static func journal(in path: String) -> String { "\(path)/live.journal" }

  /// The folder in which messages wait for webhooks.
  static func webhooks(in path: String) -> String { "\(path)/webhooks" }

  static func store(in path: String) throws(CommandFailure) -> SQLiteStore {
    do throws(StoreError) { return try SQLiteStore(folder: path) } catch { throw CommandFailure(error) }
  }

  /// The key that signs tokens; a new one if there is none.
  static func tokens(in path: String) throws(CommandFailure) -> TokenKey {
    let name = "\(path)/token.key"
    return try tokens(try secret(in: name), from: name)
  }

  /// The secret in a file, 64 hexadecimal digits; a new one if there is none.
  static func secret(in name: String) throws(CommandFailure) -> [UInt8] {
    if !FileManager.default.fileExists(atPath: name) {
      // The file gets its name once it is complete, so that a crash in between leaves none.
      try OutputFile(path: name, overwrites: false).write(Array("\(SealKey.random().hexadecimal)\n".utf8))
    }
    return Array(try SmallFile(path: name).secret(limit: 1 << 20, ("this key", "it")).prefix { $0 != UInt8(ascii: "\n") })
  }

  /// The key of a server.
  ///
  /// - Parameter place: The place where the key is stored.
  static func tokens(_ text: [UInt8], from place: String) throws(CommandFailure) -> TokenKey {
    guard text.count == 64 else { throw CommandFailure(invalid: "\(place): this is no key of a server") }
    return try orFail(TokenKey(secret: text)) { (error: LibCryptoError) in CommandFailure("\(error)", status: CommandFailure.libraryMissing)
    }
  }
}

/// Games that many processes serve.
enum SharedGames {
  /// Opens the store, and returns the key of tokens, which is the same for all processes.
  static func open(_ address: String, passwordFile: String?) throws(CommandFailure) -> (PostgreSQLStore, TokenKey) {
    let password = try passwordFile.map { (path) throws(CommandFailure) in
      let bytes = try SmallFile(path: path).secret(limit: 4_096, ("this password", "it"))
      return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }
    let store = try orFail(PostgreSQLStore(address: address, password: password)) { (error: StoreError) in CommandFailure(error) }
    let key = try orFail(store.secret("token key", orNew: SealKey.random().hexadecimal)) { (error: StoreError) in CommandFailure(error) }
    return (store, try ServedFolder.tokens(Array(key.utf8), from: "--store"))
  }
}

extension CommandFailure {
  init(_ error: StoreError) {
    switch error {
    case .foreign: self.init("\(error)", status: Self.invalidInput)
    case .address: self.init("--store: \(error)", status: Self.wrongUsage)
    case .libraryMissing: self.init("\(error)", status: Self.libraryMissing)
    case .unavailable, .full, .unfit, .exists, .closed: self.init("\(error)", status: Self.ioError)
    }
  }
}

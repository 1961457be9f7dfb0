import CommandSupport
import GameServer
import GameStore
import LibCrypto
import Seals

/// The stored secret of public records.
enum RecordKeyFile {
  /// The key of the records; a new one if there is none. Processes that share a store have the same one.
  ///
  /// - Parameter folder: The folder of a server that has its own store.
  static func key(of store: any GameStore, in folder: String?) throws(CommandFailure) -> RecordKey {
    let text: [UInt8]
    if let shared = store as? any SharedStore {
      text = Array(
        try orFail(shared.secret("record key", orNew: SealKey.random().hexadecimal)) { (error: StoreError) in CommandFailure(error) }.utf8)
    } else {
      text = try ServedFolder.secret(in: "\(folder ?? ".")/record.key")
    }
    guard text.count == 64 else { throw CommandFailure(invalid: "record.key: this is no key of a server") }
    return try orFail(RecordKey(secret: text)) { (error: LibCryptoError) in
      CommandFailure("\(error)", status: CommandFailure.libraryMissing)
    }
  }
}

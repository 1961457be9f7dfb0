import Basics
import CommandSupport
import Files
import Foundation
import HTTPClient
import LibCrypto
import Terminal

/// A player library that is fetched once from another server, and kept in the data folder.
struct KeptLibrary {
  /// The address from which it is fetched.
  let address: String
  /// Its expected digest (Subresource Integrity).
  let integrity: String
  let folder: String

  private static let limits = NetworkLimits(bytes: 16 << 20, time: .seconds(60), redirects: 5)

  /// The path of the file, whose name differs for each version.
  private var path: String { "\(folder)/player-library-\(String(integrity.filter { $0.isLetter || $0.isNumber }.prefix(24))).mjs" }

  /// Returns the bytes, which are fetched if they are not there yet.
  ///
  /// - Throws: `CommandFailure` if the server does not return them, or returns other bytes.
  func bytes(say: (String) -> Void) throws(CommandFailure) -> [UInt8] {
    if FileManager.default.fileExists(atPath: path) {
      let bytes = try SmallFile(path: path).bytes()
      if try isRight(bytes) { return bytes }
      say("\(path): the player library is damaged, and is fetched again")
    }
    let request = WebRequest(url: address)
    let answer = try orFail(WebAnswer(to: request, limits: Self.limits) { Interruption.isRequested }) { (error: NetworkInputError) in
      CommandFailure("--player-library: \(error)", status: CommandFailure.missingInput)
    }
    guard answer.status == 200 else {
      throw CommandFailure("--player-library: \(address) answers with status \(answer.status)", status: CommandFailure.missingInput)
    }
    guard try isRight(answer.body) else {
      throw CommandFailure(invalid: "--player-library: what is at \(address) is not what --integrity says")
    }
    try OutputFile(path: path, overwrites: true).write(answer.body)
    say("the player library is kept in \(path)")
    return answer.body
  }

  private func isRight(_ bytes: [UInt8]) throws(CommandFailure) -> Bool {
    let parts = integrity.split(separator: "-", maxSplits: 1)
    guard parts.count == 2, let kind = MessageDigest(rawValue: String(parts[0])) else { return false }
    let digest = try orFail(kind.digest(of: bytes)) { (error: LibCryptoError) in
      CommandFailure("\(error)", status: CommandFailure.libraryMissing)
    }
    return Data(digest).base64EncodedString().hasSameBytes(as: String(parts[1]))
  }
}

package import Basics
package import GameEvents
import Seals

/// The secret of a game's record, from which pseudonyms and salts follow, so that all nodes of a server know them without storing any.
package struct RecordSecrets: Equatable, Sendable {
  private let key: [UInt8]

  /// The secrets of a game.
  ///
  /// - Parameter secret: What nobody but the server knows, at least 32 bytes.
  package init(secret: [UInt8], game: String) { key = SHA256.authenticationCode(of: Array("public record of \(game)".utf8), key: secret) }

  /// The secret of a player. Without the client's own identifier, which is deleted with the player, nobody can make it again.
  package func player(_ player: Int, key client: String) -> Player {
    Player(key: SHA256.authenticationCode(of: Array("player \(player) \(client)".utf8), key: key))
  }

  /// The salt of a question's seals, in base64.
  package func salt(of question: GUID) -> String {
    Base64.encode(Array(SHA256.authenticationCode(of: Array("question \(question.text)".utf8), key: key).prefix(16)))
  }

  /// The secret of a player.
  package struct Player: Equatable, Sendable {
    fileprivate let key: [UInt8]

    /// The name of the player in this game's record: 16 hexadecimal digits.
    package var pseudonym: String { Array(SHA256.hash(Array("pseudonym".utf8) + key).prefix(8)).hexadecimal }

    /// The salt of the player's answers to a question, in hexadecimal digits.
    package func salt(of question: Int) -> String { Array(SHA256.hash(Array("answers \(question)".utf8) + key).prefix(16)).hexadecimal }

    /// An answer as a leaf of the tree: a JSON array of the salt, the pseudonym, the answer and the time in ticks.
    ///
    /// - Parameter question: The question's number, from 1.
    package func leaf(_ answer: GivenAnswer, to question: Int, at time: MediaTime) -> String {
      JSONValue.array([.string(salt(of: question)), .string(pseudonym), answer.json, Int(clamping: time.ticks).json]).text
    }
  }
}

/// The seals of a question: what the record commits to when the question is asked, and opens with the result.
package enum RecordSeal {
  /// The commitment to the question's own words: base64 of the SHA-256 of the text `salt:content`.
  package static func seal(content: String, salt: String) -> String { Base64.encode(SHA256.hash(Array("\(salt):\(content)".utf8))) }

  /// The commitment to the right answer: the same as in the stream, with another salt.
  package static func seal(right: RightAnswer, salt: String, guid: GUID) -> String { AnswerSeal.seal(salt: salt, guid: guid, right: right) }
}

/// The signed promise that an answer is among those of the record.
package enum AnswerReceipt {
  /// Makes a receipt, which takes a signature.
  package typealias Draft = @Sendable () throws(RecordSigningError) -> JSONObject

  /// The signed text: the game, the question's guid and the leaf, with line feeds between them.
  package static func message(game: String, question: GUID, leaf: String) -> String { "\(game)\n\(question.text)\n\(leaf)" }

  /// The receipt as JSON.
  ///
  /// - Throws: What `sign` throws.
  package static func object<Failure: Error>(
    game: String, question: GUID, leaf: String, sign: ([UInt8]) throws(Failure) -> [UInt8]
  ) throws(Failure) -> JSONObject {
    let signature = try sign(Array(message(game: game, question: question, leaf: leaf).utf8))
    var object = JSONObject()
    object.append("question", question.text)
    object.append("leaf", leaf)
    object.append("signature", Base64.encode(signature))
    return object
  }
}

import Basics
public import GameEvents

/// The commitment to a question's right answer: it is sent with the question, and the result opens it.
/// See "Sealed answers" in the wire format.
public enum AnswerSeal {
  /// The seal: base64 of the SHA-256 of the text `salt:guid:correctAnswer`.
  ///
  /// - Parameters:
  ///   - salt: The salt in base64, as it is sent with the result.
  ///   - guid: The question's identifier.
  ///   - correctAnswer: The index of the right answer, from 0.
  public static func seal(salt: String, guid: GUID, correctAnswer: Int) -> String {
    Base64.encode(SHA256.hash(Array("\(salt):\(guid.text):\(correctAnswer)".utf8)))
  }

  /// The salt of a question: base64 of the first 16 bytes of an HMAC-SHA-256, which nobody can predict without the key.
  ///
  /// It is taken over the text `guid`, newline, `["question","answer 0","answer 1",…]` as compact JSON, newline, index of the right answer.
  public static func salt(key: SealKey, guid: GUID, question: String, answers: [String], correctAnswer: Int) -> String {
    let texts = JSONValue.array(([question] + answers).map { .string($0) }).text
    let message = "\(guid.text)\n\(texts)\n\(correctAnswer)"
    let code = SHA256.authenticationCode(of: Array(message.utf8), key: key.bytes)
    return Base64.encode(Array(code.prefix(16)))
  }

  /// Whether a result's salt and right answer are those that the question was sealed with.
  public static func verify(seal: String, salt: String, guid: GUID, correctAnswer: Int) -> Bool {
    self.seal(salt: salt, guid: guid, correctAnswer: correctAnswer).hasSameBytes(as: seal)
  }
}

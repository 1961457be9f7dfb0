import Basics
public import GameEvents

/// The commitment to a question's right answer: it is sent with the question, and the result opens it.
/// See "Sealed answers" in the wire format.
public enum AnswerSeal {
  /// The seal: base64 of the SHA-256 of the text `salt:guid:right`.
  ///
  /// - Parameters:
  ///   - salt: The salt in base64, as it is sent with the result.
  ///   - guid: The question's identifier.
  ///   - right: The right answer; in the text, an index, indices with commas between them, or a number.
  public static func seal(salt: String, guid: GUID, right: RightAnswer) -> String {
    Base64.encode(SHA256.hash(Array("\(salt):\(guid.text):\(right.sealedText)".utf8)))
  }

  /// The salt of a question: base64 of the first 16 bytes of an HMAC-SHA-256, which nobody can predict without the key.
  ///
  /// It is taken over the text `guid`, newline, `["question","answer 0","answer 1",…]` as compact JSON, newline, right answer.
  public static func salt(key: SealKey, guid: GUID, question: String, answers: [String], right: RightAnswer) -> String {
    let texts = JSONValue.array(([question] + answers).map { .string($0) }).text
    let message = "\(guid.text)\n\(texts)\n\(right.sealedText)"
    let code = SHA256.authenticationCode(of: Array(message.utf8), key: key.bytes)
    return Base64.encode(Array(code.prefix(16)))
  }

  /// Whether a result's salt and right answer are those that the question was sealed with.
  public static func verify(seal: String, salt: String, guid: GUID, right: RightAnswer) -> Bool {
    self.seal(salt: salt, guid: guid, right: right).hasSameBytes(as: seal)
  }
}

// MARK: - One of the answers

extension AnswerSeal {
  /// The seal of a right answer by its index.
  public static func seal(salt: String, guid: GUID, correctAnswer: Int) -> String {
    seal(salt: salt, guid: guid, right: .one(correctAnswer))
  }

  /// The salt of a right answer by its index.
  public static func salt(key: SealKey, guid: GUID, question: String, answers: [String], correctAnswer: Int) -> String {
    salt(key: key, guid: guid, question: question, answers: answers, right: .one(correctAnswer))
  }

  /// Whether a result's salt and index of the right answer are those that the question was sealed with.
  public static func verify(seal: String, salt: String, guid: GUID, correctAnswer: Int) -> Bool {
    verify(seal: seal, salt: salt, guid: guid, right: .one(correctAnswer))
  }
}

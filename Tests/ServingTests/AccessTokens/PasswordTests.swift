import Basics
import LibCrypto
import Testing

@testable import AccessTokens

/// What is kept of passwords.
@Suite struct PasswordTests {
  /// So cheap that tests are fast.
  private static let cost = Scrypt.Cost(logN: 4, r: 1, p: 1)
  /// What is kept of "pleaseletmein", with the salt of RFC 7914, 12.
  private static let kept = "scrypt$14$8$1$U29kaXVtQ2hsb3JpZGU=$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI="

  @Test func theRightOneAndNoOther() throws {
    let password = try Password(new: "correct horse", cost: Self.cost)
    for wrong in ["", "correct hors", "correct horse ", "Correct horse", "correct\0horse", "correct horse\0", "scrypt"] {
      #expect(!password.isRight(wrong), "\(wrong)")
    }
    #expect(password.isRight("correct horse"))
    #expect(Password(kept: password.text).isRight("correct horse"))
    // Any letters, and none.
    for text in ["pässwörd", "密码密码密码", "", String(repeating: "x", count: 256)] {
      #expect(try Password(new: text, cost: Self.cost).isRight(text))
    }
    // Two ways to write an accent are two passwords.
    #expect(try !Password(new: "caf\u{E9}", cost: Self.cost).isRight("cafe\u{301}"))
  }

  /// What is kept has the form that other programs know, and nothing of the password.
  @Test func theText() throws {
    let password = try Password(new: "correct horse", cost: Self.cost)
    let parts = password.text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
    #expect(parts.count == 6 && Array(parts.prefix(4)) == ["scrypt", "4", "1", "1"])
    let salt = try #require(Base64.decode(Array(parts[4].utf8)))
    let key = try #require(Base64.decode(Array(parts[5].utf8)))
    #expect(salt.count == 16 && key.count == 32)
    #expect(try Scrypt.key(password: Array("correct horse".utf8), salt: salt, cost: Self.cost) == key)
    // The same password is kept in another way the next time.
    #expect(try Password(new: "correct horse", cost: Self.cost).text != password.text)
    #expect(Password.lengths == 8...256)
  }

  @Test func aPublishedKey() {
    #expect(Password(kept: Self.kept).isRight("pleaseletmein") && !Password(kept: Self.kept).isRight("pleaseletmeout"))
  }

  /// What is cut off is the key of no password. Only the padding at its end says nothing.
  @Test func cutAtEveryLength() throws {
    let text = try Password(new: "correct horse", cost: Self.cost).text
    #expect(text.utf8.last == UInt8(ascii: "="))
    for count in 0..<(text.utf8.count - 1) {
      #expect(!Password(kept: String(text.prefix(count))).isRight("correct horse"), "\(count) bytes")
    }
  }

  @Test func eachByteChanged() throws {
    var numbers = SeededNumbers(seed: 8)
    let text = Array(try Password(new: "correct horse", cost: Self.cost).text.utf8)
    let letters = Array("$AZaz059+/= .".utf8)
    for place in text.indices {
      for letter in numbers.shuffled(letters).prefix(4) where letter != text[place] {
        var changed = text
        changed[place] = letter
        #expect(!Password(kept: String(decoding: changed, as: UTF8.self)).isRight("correct horse"), "byte \(place)")
      }
    }
  }

  @Test(
    arguments: [
      "", "$", "$$$$$", "scrypt", "scrypt$4$1$1$$", "scrypt$4$1$1$AAAA", "scrypt$4$1$1$AAAA$AAAA$", "bcrypt$4$1$1$AAAA$AAAA",
      "scrypt$-1$1$1$AAAA$AAAA",
      "scrypt$256$1$1$AAAA$AAAA", "scrypt$4$0$1$AAAA$AAAA", "scrypt$4$1$x$AAAA$AAAA", "scrypt$4$1$1$A$AAAA", "correct horse",
    ]) func whatIsNone(text: String)
  {
    #expect(!Password(kept: text).isRight("correct horse") && !Password(kept: text).isRight(""))
  }
}

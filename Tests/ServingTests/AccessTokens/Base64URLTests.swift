import Basics
import Testing

@testable import AccessTokens

/// Base64 for addresses, without padding.
@Suite struct Base64URLTests {
  private func decode(_ text: String) -> [UInt8]? { Base64URL.decode(Array(text.utf8)[...]) }

  /// The vectors of RFC 4648, 10, without their padding, and the two letters that the alphabet for addresses has instead of others.
  @Test func thePublishedVectors() {
    let vectors = ["": "", "f": "Zg", "fo": "Zm8", "foo": "Zm9v", "foob": "Zm9vYg", "fooba": "Zm9vYmE", "foobar": "Zm9vYmFy"]
    for (plain, text) in vectors {
      #expect(Base64URL.encode(Array(plain.utf8)) == text)
      #expect(decode(text) == Array(plain.utf8))
    }
    #expect(Base64URL.encode([0xFB, 0xFF, 0xBF]) == "-_-_" && decode("-_-_") == [0xFB, 0xFF, 0xBF])
  }

  /// It is ordinary base64 with other letters.
  @Test(arguments: 0..<UInt64(4)) func everythingComesBack(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    for count in 0...100 {
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
      let text = Base64URL.encode(bytes)
      #expect(text == Base64.encode(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
      #expect(decode(text) == bytes)
    }
  }

  /// No bytes have two texts: of all texts of one, two and three letters, exactly those that are written are read.
  @Test func everyShortText() {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    #expect(letters.count == 64)
    var found = 0
    for first in letters {
      #expect(Base64URL.decode([first]) == nil)
      for second in letters {
        let two = Base64URL.decode([first, second])
        if let two {
          found += 1
          #expect(two.count == 1 && Array(Base64URL.encode(two).utf8) == [first, second])
        }
      }
      // The third letter decides alone whether there is such a text.
      for third in letters {
        let three = Base64URL.decode([letters[5], first, third])
        if let three { #expect(three.count == 2 && Array(Base64URL.encode(three).utf8) == [letters[5], first, third]) }
        #expect((three == nil) == (letters.firstIndex(of: third).map { $0 % 4 != 0 } ?? true))
      }
    }
    #expect(found == 256)
  }

  @Test(
    arguments: [
      "A", "AAAAA", "Zg==", "Zg=", "Zm9v=", "Zh", "Zm9", "Zm+v", "Zm/v", "Zm9v ", " Zm9v", "Zm9v\n", "Zm\0v", "Zm9é", "Z.g", "=", "-",
      "A\u{FF21}",
    ]) func whatIsNone(text: String)
  {
    #expect(decode(text) == nil)
  }

  /// Whatever is read is written in the same way.
  @Test func anythingElse() {
    var numbers = SeededNumbers(seed: 5)
    let letters = Array("ABCxyz019-_".utf8) + [0x2B, 0x2F, 0x3D, 0x20, 0xC3]
    var found = 0
    for _ in 0..<20_000 {
      let text = (0..<numbers.below(9)).map { _ in numbers.below(12) > 0 ? letters[numbers.below(11)] : letters[numbers.below(16)] }
      guard let bytes = Base64URL.decode(text[...]) else { continue }
      found += 1
      #expect(Array(Base64URL.encode(bytes).utf8) == text)
    }
    #expect(found > 2_000)
  }
}

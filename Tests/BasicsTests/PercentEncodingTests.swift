import Basics
import Testing

/// Texts as parts of paths.
@Suite struct PercentEncodingTests {
  @Test func decoding() {
    let cases: [(String, String?)] = [
      ("", ""), ("abc", "abc"), ("a%20b", "a b"), ("%2F", "/"), ("%2f%41", "/A"), ("%C3%A9", "é"), ("é", "é"), ("a+b", "a+b"),
      ("%00", "\0"),
      ("%2525", "%25"), ("%", "%"), ("a%", "a%"), ("%2", "%2"), ("%2x", "%2x"), ("%x2", "%x2"), ("%%20", "% "), ("%C3", nil), ("%FF", nil),
      ("%C0%AF", nil), ("%ED%A0%80", nil), ("%F0%9F%98%80", "\u{1F600}"),
    ]
    for (text, expected) in cases { #expect(text[...].removingPercentEncoding == expected, "\(text)") }
  }

  @Test func encoding() {
    let cases = [
      ("", ""), ("AZaz09-._~", "AZaz09-._~"), ("a b", "a%20b"), ("/?#[]@", "%2F%3F%23%5B%5D%40"), ("é", "%C3%A9"), ("\n", "%0A"),
      ("%", "%25"),
      ("+", "%2B"), ("\u{1F600}", "%F0%9F%98%80"),
    ]
    for (text, expected) in cases { #expect(text.percentEncodedPart == expected) }
  }

  /// Every text comes back, and what stands in a path is nothing but unreserved characters.
  @Test func everyTextComesBack() {
    var generator = SeededNumbers(seed: 1)
    for _ in 0..<500 {
      let scalars = (0..<Int.random(in: 0...20, using: &generator)).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0...(Bool.random(using: &generator) ? 0x7F : 0x10FFFF), using: &generator))
      }
      let text = String(String.UnicodeScalarView(scalars))
      let encoded = text.percentEncodedPart
      #expect(encoded[...].removingPercentEncoding.map { Array($0.utf8) } == Array(text.utf8))
      #expect(encoded.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-._~%".utf8.contains($0) })
    }
  }
}

import Basics
import Foundation
import TestSupport
import Testing

@testable import Questions

/// Character references, all of them.
@Suite struct HTMLTextTests {
  @Test(arguments: [
    ("&quot;Spam&quot; &amp; eggs &lt;3", "\"Spam\" & eggs <3"), ("Don&#039;t", "Don't"), ("caf&eacute; &#x1F600;&#X1f600;", "café 😀😀"),
    ("&copy 2026 &notit; &notin; &ampamp;", "© 2026 ¬it; ∉ &amp;"), ("&amp;quot;", "&quot;"), ("&#65&#x42;C", "ABC"),
    ("&#0;&#xD800;&#x110000;&#99999999999999999999;", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"), ("&#128;&#x99;&#129;&#159;", "€™\u{81}Ÿ"),
    ("&#x80;&#xFFFE;&#1;", "€\u{FFFE}\u{1}"), ("AT&T, R&D;, &;, &#;, &#x;, &#xg, & , &", "AT&T, R&D;, &;, &#;, &#x;, &#xg, & , &"),
    ("&CounterClockwiseContourIntegral;&NotEqualTilde;&fjlig;", "∳≂̸fj"), ("&eacute&Eacute;&hellip", "éÉ&hellip"), ("", ""),
    ("plain π", "plain π"),
  ])
  func references(html: String, text: String) {
    #expect(HTMLText.decode(html).unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  static let entries = String(decoding: HTMLText.entityTable, as: UTF8.self).split(separator: "\n")

  /// The names, whether each may lack its semicolon, and its characters.
  static let entities: [(name: String, mayLackSemicolon: Bool, text: String)] = entries.map { entry in
    let parts = entry.split(whereSeparator: { $0 == ";" || $0 == "," })
    let scalars = parts[1].split(separator: " ").compactMap { UInt32($0, radix: 16) }.compactMap { Unicode.Scalar($0) }
    return (String(parts[0]), entry.contains(","), String(String.UnicodeScalarView(scalars)))
  }

  @Test func everyNameIsFound() {
    #expect(Self.entities.count == 2_125 && Self.entities.count(where: \.mayLackSemicolon) == 106)
    for (name, mayLackSemicolon, text) in Self.entities {
      #expect(HTMLText.decode("a&\(name);b").unicodeScalars.elementsEqual("a\(text)b".unicodeScalars), "\(name)")
      #expect((HTMLText.decode("&\(name) ").unicodeScalars.elementsEqual("\(text) ".unicodeScalars)) == mayLackSemicolon, "\(name)")
    }
  }

  @Test func longestNames() {
    #expect(Self.entities.map(\.name.utf8.count).max() == HTMLText.longestName)
    #expect(Self.entities.filter(\.mayLackSemicolon).map(\.name.utf8.count).max() == HTMLText.longestShortName)
  }

  @Test func namesThatAreNone() {
    for name in ["Zzz", "aaa", "AEli", "zwnjx", "zzzzzzz", String(repeating: "a", count: 1_000)] {
      #expect(HTMLText.decode("&\(name);") == "&\(name);")
    }
  }

  /// Python brings the standard's list; the script that writes the table compares them.
  @Test(.enabled(if: HostileServer.isAvailable))
  func theTableIsThatOfTheStandard() throws {
    let script = URL(filePath: #filePath).appending(path: "../../../../scripts/lib/html_entities.py").standardizedFileURL
    #expect(Programs.run("python3", ["-B", script.path, "--check"]) != nil)
  }

  @Test func damagedReferencesAreText() {
    var random = SeededNumbers(seed: 2)
    let ink = Array("&#;xX0aqtpm \u{1}é😀")
    for _ in 0..<2_000 {
      let text = String((0..<Int.random(in: 0...12, using: &random)).compactMap { _ in ink.randomElement(using: &random) })
      let decoded = HTMLText.decode(text)
      #expect(decoded == HTMLText.decode(text) && decoded.utf8.count <= text.utf8.count + 8)
      if !text.contains("&") { #expect(decoded == text) }
    }
  }
}

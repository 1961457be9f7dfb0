import Foundation
import Testing
import WebSupport

@testable import WebPages

/// The words of the pages in all languages. That a browser has the same forms for numbers is a proof's business.
@Suite struct MessagesTests {
  /// The languages besides English, and the forms that each has for numbers.
  static let forms = [
    "ar": ["few", "many", "one", "other", "two", "zero"], "de": ["one", "other"], "es": ["many", "one", "other"],
    "fr": ["many", "one", "other"], "hi": ["one", "other"], "it": ["many", "one", "other"], "ja": ["other"], "nl": ["one", "other"],
    "pl": ["few", "many", "one", "other"], "pt": ["many", "one", "other"], "tr": ["one", "other"], "zh": ["other"],
  ]
  /// The messages in Arabic that say nothing of what the server says in English.
  private static let withoutReason: Set = ["nickname-invalid", "failed"]

  /// A message: one text, whose form has no name, or a text for each form.
  private typealias Message = [String: String]

  private struct Unreadable: Error, CustomStringConvertible {
    var description: String
  }

  /// Those in English, read once: of all pages, and of the page of each further set besides.
  private static let english = Result { try messages("en") }
  private static let further = Result { try ["make": messages("en", "make")] }

  /// The messages of a file by their keys. The file is comments, then one object, with one key a line, in groups.
  private static func messages(_ language: String, _ set: String = "messages") throws -> [String: Message] {
    let body = WebPages().answer("GET", "/web/\(set).\(language).mjs")?.body
    let lines = String(decoding: try #require(body, "\(language)"), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let code = lines.drop { $0.hasPrefix("// ") }
    guard code.first == "export default {", code.suffix(2) == ["};", ""] else { throw Unreadable(description: "\(language): no object") }
    var messages: [String: Message] = [:]
    for line in code.dropFirst().dropLast(2) where !line.isEmpty {
      let (key, message) = try entry(line, language)
      guard messages.updateValue(message, forKey: key) == nil else { throw Unreadable(description: "\(language): \(key) is there twice") }
    }
    return messages
  }

  /// A line as `key: "text",`, `"key": "text",` or `key: { one: "text", other: "text" },`.
  private static func entry(_ line: Substring, _ language: String) throws -> (String, Message) {
    if let match = line.wholeMatch(of: /\ \ (?:(\w+)|"([\w\-]+)"):\ "([^"\\]+)",/) {
      return (String(match.1 ?? match.2 ?? ""), ["": String(match.3)])
    }
    guard let match = line.wholeMatch(of: /\ \ (\w+):\ \{\ ((?:\w+:\ "[^"\\]+"(?:,\ )?)+)\ \},/) else {
      throw Unreadable(description: "\(language): \(line)")
    }
    let forms = match.2.matches(of: /(\w+):\ "([^"\\]+)"/).map { (String($0.1), String($0.2)) }
    return (String(match.1), try Dictionary(forms) { _, _ in throw Unreadable(description: "\(language): \(line)") })
  }

  /// The gaps of a text in the order of their names.
  private static func gaps(_ text: String) -> [Substring] { text.matches(of: /\{\w+\}/).map(\.0).sorted() }

  @Test func english() throws {
    let english = try Self.english.get()
    #expect(english.count > 100 && english["direction"] == ["": "ltr"])
    #expect(english["players"] == ["one": "{count} player", "other": "{count} players"])
    #expect(english["refused-too-late"] == ["": "Too late: the time was up."])
  }

  /// No more and no fewer languages than have forms here.
  @Test func languages() {
    let page = String(decoding: WebPages().answer("GET", "/play")?.body ?? [], as: UTF8.self)
    #expect(page.contains("content=\"en \(Self.forms.keys.sorted().joined(separator: " "))\""))
  }

  /// A translation has the keys of English and no others, and each of its texts has the gaps of the English one.
  @Test(arguments: forms.keys.sorted()) func translation(_ language: String) throws {
    let own = try Self.messages(language)
    #expect(own["direction"] == ["": language == "ar" ? "rtl" : "ltr"])
    try compare(own, with: try Self.english.get(), language)
    for (set, english) in try Self.further.get() { try compare(try Self.messages(language, set), with: english, language) }
  }

  private func compare(_ own: [String: Message], with english: [String: Message], _ language: String) throws {
    let keys = Set(english.keys).symmetricDifference(own.keys)
    #expect(keys.isEmpty, "\(keys.sorted())")
    for (key, message) in own {
      guard let model = english[key] else { continue }
      let hasForms = model[""] == nil
      #expect(message.keys.sorted() == (hasForms ? Self.forms[language] : [""]), "\(key)")
      let gaps = Self.gaps(model["other"] ?? model[""] ?? "")
      for (form, text) in message {
        // Arabic has words for none, for one, and for two of something.
        let isWord = language == "ar" && (["zero", "one", "two"].contains(form) || Self.withoutReason.contains(key))
        #expect(Self.gaps(text) == (isWord ? [] : gaps), "\(key) \(form)")
        #expect(text == text.trimmingCharacters(in: .whitespacesAndNewlines), "\(key) \(form)")
      }
    }
  }

  /// What a page asks for is there.
  @Test func pages() throws {
    let english = try Self.english.get()
    for (site, path) in WebPagesTests.pages {
      let page = String(decoding: WebPages(site).answer("GET", path)?.body ?? [], as: UTF8.self)
      // No key is in both.
      let further = try Self.further.get().filter { page.contains("name=\"cuelight-words\" content=\"\($0.key)\"") }.values
      let known = try further.reduce(english) { try $0.merging($1) { _, _ in throw Unreadable(description: "a key is there twice") } }
      let keys = page.matches(of: /data-say(?:-label|-hint)?="(\w+)"/).map { String($0.1) }
      #expect(keys.count > 5, "\(path)")
      for key in keys { #expect(known[key] != nil, "\(path) asks for \(key)") }
    }
  }
}

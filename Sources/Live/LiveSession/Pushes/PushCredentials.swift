import Basics
package import HTTPClient
package import OtherInjectors

/// What authenticates pushes to origins. It is never printed.
package struct PushCredentials: Equatable, Sendable, CustomStringConvertible {
  private enum Secret: Equatable, Sendable {
    /// `NAME:PASSWORD`.
    case basic(String)
    case bearer(String)

    var field: WebRequest.Field {
      switch self {
      case .basic(let text): .init("Authorization", "Basic \(Base64.encode(Array(text.utf8)))")
      case .bearer(let token): .authorization(bearer: token)
      }
    }
  }

  /// The secrets, each with the start of the URLs that it is for; an empty one is for all.
  private var secrets: [(start: String, secret: Secret)] = []
  /// The keys for buckets; `nil` for none.
  package private(set) var keys: AWSCredentials?

  package var description: String { "credentials" }

  package static func == (left: PushCredentials, right: PushCredentials) -> Bool {
    left.keys == right.keys && left.secrets.map(\.start) == right.secrets.map(\.start)
      && left.secrets.map(\.secret) == right.secrets.map(\.secret)
  }

  /// Why there are none, in words without secrets.
  package struct Mistake: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String
  }

  /// No credentials.
  package init() {}

  /// The credentials of a file's text: lines of `basic NAME:PASSWORD` or `bearer TOKEN`, each after the start of the URLs that it is for, if it is not
  /// for all; and sections as files of Amazon's tools have them, of which `[default]` is used.
  package init(parsing text: String) throws(Mistake) {
    var sections = ""
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = line.split(whereSeparator: \.isWhitespace)
      if !sections.isEmpty || words.first?.first == "[" {
        sections += line + "\n"
        continue
      }
      guard let first = words.first, first.first != "#" else { continue }
      let start = first.contains("://") ? String(first) : ""
      let rest = start.isEmpty ? words[...] : words.dropFirst()
      guard rest.count == 2, let kind = rest.first?.lowercased(), let word = rest.last, Self.isPlain(word),
        let secret = Self.secret(kind, String(word))
      else {
        throw Mistake(description: "line \(index + 1): it has to be [URL] basic NAME:PASSWORD, or [URL] bearer TOKEN")
      }
      secrets.append((start, secret))
    }
    if !sections.isEmpty {
      do throws(InjectorCredentials.Mistake) {
        if case .amazon(let keys) = try InjectorCredentials(parsing: sections, for: .ivs) { self.keys = keys }
      } catch {
        throw Mistake(description: "\(error)")
      }
    }
    guard !secrets.isEmpty || keys != nil else { throw Mistake(description: "there are no credentials in it") }
  }

  /// The credentials of the environment: `CUELIGHT_PUSH_CREDENTIALS`, which is a line of such a file, and for buckets `AWS_ACCESS_KEY_ID`,
  /// `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
  package init(environment: [String: String]) throws(Mistake) {
    if let text = environment["CUELIGHT_PUSH_CREDENTIALS"], !text.isEmpty {
      do throws(Mistake) { try self.init(parsing: text) } catch {
        throw Mistake(description: "CUELIGHT_PUSH_CREDENTIALS: \(error)")
      }
    } else {
      self.init()
    }
    if keys == nil, case .amazon(let keys)? = try? InjectorCredentials(environment: environment, for: .ivs) { self.keys = keys }
  }

  /// Takes the keys for buckets from others, if there are none.
  package mutating func takeKeys(of other: PushCredentials) { keys = keys ?? other.keys }

  private static func secret(_ kind: String, _ word: String) -> Secret? {
    switch kind {
    case "basic": word.contains(":") ? .basic(word) : nil
    case "bearer": .bearer(word)
    default: nil
    }
  }

  private static func isPlain(_ word: Substring) -> Bool { word.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

  /// The fields of requests to a URL's origin: those of the longest start that the URL has.
  package func access(for url: String) -> WebAccess {
    let fitting = secrets.filter { Self.url(url, startsWith: $0.start) }
    guard let secret = fitting.max(by: { $0.start.utf8.count < $1.start.utf8.count })?.secret else { return WebAccess() }
    return WebAccess([secret.field], for: url)
  }

  /// Whether a URL is at a start or below it. `https://a.example` is no start of `https://a.example.org/`, nor of another port.
  private static func url(_ url: String, startsWith start: String) -> Bool {
    guard url.utf8.starts(with: start.utf8) else { return false }
    let rest = url.utf8.dropFirst(start.utf8.count).first
    return start.isEmpty || start.hasSuffix("/") || rest.map { "/?".utf8.contains($0) } ?? true
  }
}

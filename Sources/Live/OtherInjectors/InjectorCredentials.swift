import Basics

/// What authenticates requests to an injector of another maker. It is never printed.
package enum InjectorCredentials: Equatable, Sendable, CustomStringConvertible {
  case amazon(AWSCredentials)
  /// One word: a token, a key, or `user:password`.
  case token(String)
  /// The injector asks for nothing.
  case none

  package var description: String { self == .none ? "no credentials" : "credentials" }

  /// Why there are none, in words without secrets.
  package struct Mistake: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String
  }

  /// The credentials of a file's text: a word, or for Amazon's services a file of its tools with `aws_access_key_id` and `aws_secret_access_key` in the
  /// section `[default]`, or in one of another name.
  package init(parsing text: String, for system: InjectorTarget.System, profile: String = "default") throws(Mistake) {
    guard system.isAmazon else {
      let word = text.split(whereSeparator: \.isWhitespace)
      guard word.count == 1, let word = word.first, Self.isPlain(word) else {
        throw Mistake(description: "a token is one word of letters, digits and signs of ASCII")
      }
      self = .token(String(word))
      return
    }
    var values: [String: String] = [:]
    var part = ""
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmed
      guard let first = line.first, first != "#", first != ";" else { continue }
      if first == "[", line.last == "]" {
        part = String(line.dropFirst().dropLast().trimmed)
      } else if part == profile, let sign = line.firstIndex(of: "=") {
        values[line[..<sign].trimmed.lowercased()] = String(line[line.index(after: sign)...].trimmed)
      }
    }
    try self.init(
      accessKeyID: values["aws_access_key_id"], secretAccessKey: values["aws_secret_access_key"], sessionToken: values["aws_session_token"],
      missing: "there is no aws_access_key_id with an aws_secret_access_key in [\(profile.visible(.text))]")
  }

  /// The credentials of the environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN` for Amazon's services, otherwise
  /// `CUELIGHT_TOKEN`.
  package init(environment: [String: String], for system: InjectorTarget.System) throws(Mistake) {
    guard system.isAmazon else {
      guard let token = environment["CUELIGHT_TOKEN"], !token.isEmpty else {
        self = .none
        return
      }
      do throws(Mistake) { try self.init(parsing: token, for: system) } catch {
        throw Mistake(description: "CUELIGHT_TOKEN: \(error)")
      }
      return
    }
    try self.init(
      accessKeyID: environment["AWS_ACCESS_KEY_ID"], secretAccessKey: environment["AWS_SECRET_ACCESS_KEY"],
      sessionToken: environment["AWS_SESSION_TOKEN"],
      missing: "Amazon's services want a key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a file with it")
  }

  private init(accessKeyID: String?, secretAccessKey: String?, sessionToken: String?, missing: String) throws(Mistake) {
    guard let accessKeyID, let secretAccessKey, !accessKeyID.isEmpty, !secretAccessKey.isEmpty else { throw Mistake(description: missing) }
    let token = sessionToken.flatMap { $0.isEmpty ? nil : $0 }
    guard Self.isPlain(accessKeyID), Self.isPlain(secretAccessKey), token.map({ Self.isPlain($0) }) ?? true else {
      throw Mistake(description: "a key of Amazon's services is one word of letters, digits and signs of ASCII")
    }
    self = .amazon(AWSCredentials(accessKeyID: accessKeyID, secretAccessKey: secretAccessKey, sessionToken: token))
  }

  private static func isPlain(_ word: some StringProtocol) -> Bool { word.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

  /// A text without the secrets, since services repeat what they were sent.
  func hiding(in text: String) -> String {
    let secrets: [String] =
      switch self {
      case .amazon(let keys): [keys.secretAccessKey, keys.sessionToken, keys.accessKeyID].compactMap(\.self)
      case .token(let token): [token]
      case .none: []
      }
    return secrets.reduce(text) { text, secret in text.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "…") }
  }
}

extension StringProtocol {
  /// The text without white space at its ends.
  fileprivate var trimmed: SubSequence {
    let start = drop { $0.isWhitespace }
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return start }
    return start[...last]
  }
}

import ArgumentParser
import Basics
import CommandSupport
import Files
import Foundation
import HLSPlaylist
import HTTPClient
import StreamInput

/// The options for streams that a web server gives to some clients alone.
struct AccessOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "URL: send this header field to its server; or those in a file, one a line. May be repeated.",
      discussion: "Servers of another origin do not receive it, neither after a redirection nor for segments.", valueName: "field|@file"))
  var header: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "URL: the user's name, whose password is in CUELIGHT_PASSWORD; or a file with name:password.",
      discussion: "As Basic authentication (RFC 7617). https://name:password@server/ means the same.", valueName: "name|@file"))
  var user: String?

  func validate() throws {
    for field in header where !field.hasPrefix("@") {
      guard WebRequest.Field(line: field) != nil else { throw ValidationError("--header takes 'Name: value' or @FILE, not \(field).") }
    }
    // Other users of the machine can see arguments.
    try require(
      user.map { $0.hasPrefix("@") || !$0.contains(":") } ?? true,
      "--user takes the name alone: put the password into CUELIGHT_PASSWORD, or name:password into a file for --user @FILE.")
  }

  /// What is sent to the server of an address; nothing for other inputs.
  func access(to address: InputAddress) throws(CommandFailure) -> WebAccess {
    guard StreamInput.isURL(address.path) else {
      guard header.isEmpty, user == nil else {
        throw CommandFailure(
          "\(header.isEmpty ? "--user" : "--header") is for the address of a web server", status: CommandFailure.wrongUsage)
      }
      return WebAccess()
    }
    var fields: [WebRequest.Field] = []
    for text in header {
      if text.hasPrefix("@") {
        fields += try Self.fields(inFile: String(text.dropFirst()))
      } else if let field = WebRequest.Field(line: text) {
        fields.append(field)
        RawArguments.hide(field.value, in: text)
      }
    }
    if let credentials = try credentials() ?? address.credentials {
      fields.append(WebRequest.Field("Authorization", "Basic \(Base64.encode(Array(credentials.utf8)))"))
    }
    return WebAccess(fields, for: address.path)
  }

  /// The name and the password of `--user`, with a colon between them.
  private func credentials() throws(CommandFailure) -> String? {
    guard let user else { return nil }
    guard user.hasPrefix("@") else {
      guard let password = ProcessInfo.processInfo.environment["CUELIGHT_PASSWORD"] else {
        throw CommandFailure("--user \(user): the password is missing: put it into CUELIGHT_PASSWORD", status: CommandFailure.wrongUsage)
      }
      return "\(user):\(password)"
    }
    let path = String(user.dropFirst())
    let lines = try Self.lines(ofFile: path)
    guard lines.count == 1, let line = lines.first, line.contains(":") else {
      throw CommandFailure(invalid: "\(path): expected one line with name:password")
    }
    return line
  }

  private static func fields(inFile path: String) throws(CommandFailure) -> [WebRequest.Field] {
    var fields: [WebRequest.Field] = []
    for (index, line) in try lines(ofFile: path).enumerated() {
      guard let field = WebRequest.Field(line: line) else {
        throw CommandFailure(invalid: "\(path): header field \(index + 1): expected Name: value")
      }
      fields.append(field)
    }
    return fields
  }

  /// The lines of a small file that are not empty. Warns on standard error if others may read it.
  private static func lines(ofFile path: String) throws(CommandFailure) -> [String] {
    let (bytes, isReadableByOthers) = try SmallFile(path: path).contents(limit: 64 << 10)
    if isReadableByOthers { StandardError.write("\(path): others may read this file; keep it to yourself with chmod 600") }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
  }
}

/// An input as a user names it, without the user and the password that its URL may have.
struct InputAddress {
  /// The path, the URL, or `-`.
  private(set) var path: String
  /// The name and the password of the URL, with a colon between them.
  private(set) var credentials: String?

  init(_ text: String) {
    path = text
    guard StreamInput.isURL(text) else { return }
    var url = URIReference(text)
    guard let authority = url.authority, let end = authority.lastIndex(of: "@") else { return }
    let user = String(authority[..<end])
    // A user name cannot have a colon, so the first one ends it.
    let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { $0.removingPercentEncoding ?? String($0) }
    credentials = parts.count == 2 ? parts.joined(separator: ":") : user + ":"
    url.authority = String(authority[authority.index(after: end)...])
    path = url.text
    RawArguments.hide(user, in: text)
  }
}

extension WebRequest.Field {
  /// A field as a line, for example `Cookie: a=1` (RFC 9110, 5.5); `nil` if it is none.
  fileprivate init?(line: String) {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let name = line[..<colon]
    // A token (RFC 9110, 5.6.2).
    let isToken = name.utf8.allSatisfy { byte in
      let character = Character(UnicodeScalar(byte))
      return byte < 0x80 && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
    }
    let value = line[line.index(after: colon)...].trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    guard !name.isEmpty, isToken, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
    self.init(String(name), value)
  }
}

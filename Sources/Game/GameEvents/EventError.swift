public import Basics

/// Why a text is not a usable event.
public enum EventError: Error, Equatable, Sendable {
  /// It is something else than a JSON object with a `guid` and a type.
  case notAnEvent
  /// It is not JSON. The offset counts bytes of the text.
  case json(ParseError)
  /// The checksum is not that of the text, or its key is damaged.
  case checksumMismatch
  /// It has no signature, and the reader requires one.
  case unsigned
  /// Its signature is not that of the event under the reader's public key.
  case wrongSignature
  /// A key that the event's type must have is missing.
  case missing(key: String)
  /// The value of a key has the wrong type or is out of range.
  case invalid(key: String, expected: String)
  /// The ID3 tag around it cannot be written or read.
  case tag(ParseError)
}

extension EventError: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .notAnEvent: "no event"
    case .json(let error): "broken JSON: \(error)"
    case .checksumMismatch: "the checksum does not match: the copy is damaged"
    case .unsigned: "it is not signed"
    case .wrongSignature: "its signature is not by the trusted key"
    case .missing(let key): "\"\(key)\" is missing"
    case .invalid(let key, let expected): "\"\(key)\" is not \(expected)"
    case .tag(let error): "the ID3 tag cannot be written or read: \(error)"
    }
  }
}

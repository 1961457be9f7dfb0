package import Basics

/// Signs a message: always with the same 64 bytes.
package typealias RecordSigner = @Sendable (_ message: [UInt8]) throws(RecordSigningError) -> [UInt8]

/// A line or a receipt cannot be signed.
package struct RecordSigningError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason in words.
  package var description: String

  package init(_ description: String) { self.description = description }
}

/// The public record of a game: lines that only grow in number, each of which has the hash of the one before.
///
/// A line is a JSON object on one line: its number from 1, the hash of the line before, what it tells, and at the end the signature. The signature is
/// over the bytes of the object without that last member; the hash is over all bytes of the line, without its line feed.
package struct RecordChain: Equatable, Sendable {
  /// Why a line does not continue a record.
  package enum Mistake: Error, Equatable, Sendable {
    /// It is no object, or one without a number, a hash or a signature in its place.
    case unreadable
    /// It has another number than the next one.
    case number(Int)
    /// It has not the hash of the line before.
    case previous
    /// The signature is not that of the line.
    case signature
  }

  /// The kind of an entry.
  package enum Kind: String, CaseIterable, Sendable {
    /// The game begins.
    case begin
    /// A question is asked: its seals.
    case ask
    /// A question has closed: the root of its answers.
    case close
    /// The result is in the stream: the opened seals and the counts.
    case reveal
    /// A prediction is settled.
    case settle
    /// A question has no result.
    case void
    /// The host has removed a player.
    case kick
    /// The game is over: the last scoreboard.
    case end
  }

  /// The lines so far.
  package private(set) var lines: [String] = []
  /// The hash of the last line; before the first one, zeros.
  package private(set) var last = [UInt8](repeating: 0, count: MerkleTree.hashSize)

  /// A record without a line.
  package init() {}

  /// The next line; it is not appended.
  ///
  /// - Parameters:
  ///   - members: What the line tells.
  ///   - sign: Signs a message.
  /// - Throws: What `sign` throws: there is no line without a signature.
  package func line<Failure: Error>(
    _ kind: Kind, _ members: JSONObject, sign: ([UInt8]) throws(Failure) -> [UInt8]
  ) throws(Failure) -> String {
    var entry = JSONObject()
    entry.append("number", lines.count + 1)
    entry.append("previous", last.hexadecimal)
    entry.append("type", kind.rawValue)
    for member in members.members { entry.append(member.key, member.value) }
    let text = entry.text
    return "\(text.dropLast())\(Self.signatureKey)\(Base64.encode(try sign(Array(text.utf8))))\"}"
  }

  /// Appends a line that was made for this place, without checking it.
  package mutating func append(_ line: String) {
    lines.append(line)
    last = SHA256.hash(Array(line.utf8))
  }

  /// Checks whether a line is the next one; returns its members.
  ///
  /// - Parameter isSigned: Whether a signature is that of a message.
  package func check(_ line: String, isSigned: (_ signature: [UInt8], _ message: [UInt8]) -> Bool) throws(Mistake) -> JSONObject {
    guard let (message, signature) = Self.parts(of: line), let object = (try? JSONValue(parsing: message))?.object,
      let number = object["number"]?.int, let previous = object["previous"]?.string
    else { throw .unreadable }
    guard isSigned(signature, Array(message.utf8)) else { throw .signature }
    guard number == lines.count + 1 else { throw .number(number) }
    guard previous.hasSameBytes(as: last.hexadecimal) else { throw .previous }
    return object
  }

  /// The kind of a line, and the number of the question that it is about.
  package static func subject(of line: String) -> (kind: Kind, question: Int?)? {
    guard let object = (try? JSONValue(parsing: line))?.object, let kind = object["type"]?.string.flatMap({ Kind(rawValue: $0) }) else {
      return nil
    }
    return (kind, object["question"]?.int)
  }

  private static let signatureKey = ",\"signature\":\""
  /// The characters of 64 bytes in base64.
  private static let signatureLength = 88

  /// The signed text of a line, and its signature.
  private static func parts(of line: String) -> (message: String, signature: [UInt8])? {
    let bytes = Array(line.utf8)
    let tail = signatureKey.utf8.count + signatureLength + 2
    guard bytes.count > tail, bytes[(bytes.count - tail)...].starts(with: signatureKey.utf8), bytes.suffix(2).elementsEqual("\"}".utf8),
      let signature = Base64.decode(Array(bytes[(bytes.count - signatureLength - 2)..<(bytes.count - 2)]))
    else { return nil }
    return (String(decoding: bytes[..<(bytes.count - tail)], as: UTF8.self) + "}", signature)
  }
}

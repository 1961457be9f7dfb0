import Basics
public import ID3

/// Reads copies of events. It is fast for copies that repeat each other, as in a stream: it remembers the last few events, and of a copy with the
/// same text it reads only the parts that differ.
///
/// For every text, it returns the same as ``EventCopy/init(parsing:description:requiring:)``.
public struct CopyParser: Sendable {
  /// A copy as Cuelight writes it, split into `prefix`, number of the copy, `,"copies":`, their number, `,"age":`, seconds, `tail`, checksum.
  private struct Pattern: Sendable {
    var prefix: [UInt8]
    var tail: [UInt8]
    var event: GameEvent
    var signature: EventSignature?
  }

  /// The known events, the latest last.
  private var patterns: [Pattern] = []

  /// The maximum number of known events: those that are active at the same time, and a few more.
  private static let mostPatterns = 8
  /// Larger copies are always read as a whole.
  private static let largestText = 4_096

  /// Checks the signature of a copy; `nil` if signatures are not required. A known event has passed it.
  ///
  /// It takes a copy rather than a signature, so that a program that checks no signatures does not contain the code that makes the signed bytes.
  private var requireSignature: (@Sendable (EventCopy) throws(EventError) -> Void)?

  /// A parser that knows no event yet.
  ///
  /// - Parameter isRightlySigned: Checks the signature that every copy must have; `nil` if signatures are not required.
  public init(requiring isRightlySigned: SignatureCheck? = nil) {
    guard let isRightlySigned else { return }
    requireSignature = { (copy) throws(EventError) in try copy.requireSignature(isRightlySigned) }
  }

  /// Reads a copy from its JSON.
  ///
  /// - Throws: ``EventError`` as ``EventCopy/init(parsing:description:requiring:)`` does.
  public mutating func parse(_ text: String, description: String) throws(EventError) -> EventCopy {
    if let copy = repeated(text) { return copy }
    let copy = try EventCopy(parsing: text, description: description)
    try requireSignature?(copy)
    learn(copy, text)
    return copy
  }

  /// Reads the copies that the frames of a tag carry, as ``EventCopy/copies(in:)`` does.
  public mutating func copies(in tag: ID3Tag) -> [Result<EventCopy, EventError>] {
    EventCopy.copies(in: tag) { (text, description) throws(EventError) in try parse(text, description: description) }
  }

  /// Splits a copy into its parts and keeps them, if the copy is undamaged and written as Cuelight writes it.
  private mutating func learn(_ copy: EventCopy, _ text: String) {
    guard copy.isVerified, text.utf8.count <= Self.largestText else { return }
    let bytes = text.bytes
    var scanner = CopyScanner(bytes.view)
    guard scanner.skipPastCopyKey() else { return }
    let prefix = Array(bytes[..<scanner.position])
    guard scanner.repeatFields() != nil, scanner.position + ChecksumSuffix.length <= bytes.count else { return }
    let tail = Array(bytes[scanner.position..<bytes.count - ChecksumSuffix.length])
    // Works in place and by indices: moving a pattern or passing it to a closure costs reference counting.
    if let known = patterns.indices.first(where: { patterns[$0].event.guid == copy.event.guid }) {
      patterns.remove(at: known)
    } else if patterns.count >= Self.mostPatterns {
      patterns.removeFirst()
    }
    patterns.append(Pattern(prefix: prefix, tail: tail, event: copy.event, signature: copy.signature))
  }

  /// The copy, if `text` is certainly a copy of a known event; otherwise `nil`.
  private func repeated(_ text: String) -> EventCopy? {
    guard !patterns.isEmpty, text.utf8.count <= Self.largestText else { return nil }
    return text.withBytes { bytes in
      for pattern in patterns.reversed() {
        var scanner = CopyScanner(bytes)
        guard scanner.skip(pattern.prefix.view), let fields = scanner.repeatFields(), scanner.skip(pattern.tail.view) else { continue }
        guard scanner.endsWithChecksum() else { return nil }
        return EventCopy(
          of: pattern.event, copy: fields.copy, copies: fields.copies, age: fields.age, isVerified: true, signature: pattern.signature)
      }
      return nil
    }
  }
}

/// Reads what differs between copies of one event.
private struct CopyScanner: ~Escapable {
  private static let copyKey = Array(#","copy":"#.utf8)
  private static let copiesKey = Array(#","copies":"#.utf8)
  private static let ageKey = Array(#","age":"#.utf8)

  private let bytes: Span<UInt8>
  private(set) var position = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// Skips `expected`, if it is next.
  @_lifetime(self: copy self)
  mutating func skip(_ expected: Span<UInt8>) -> Bool {
    guard expected.count <= bytes.count - position else { return false }
    // The loop has no early exit, so that the compiler can compare many bytes at once.
    var difference: UInt8 = 0
    for index in 0..<expected.count { difference |= bytes[position + index] ^ expected[index] }
    guard difference == 0 else { return false }
    position += expected.count
    return true
  }

  /// Skips everything up to the end of the first `"copy":`, if only simple values precede it, so that it belongs to no other object. Within a
  /// text its quotes would be escaped.
  @_lifetime(self: copy self)
  mutating func skipPastCopyKey() -> Bool {
    position = 1
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): return false
      case UInt8(ascii: ",") where skip(Self.copyKey.view): return true
      default: position += 1
      }
    }
    return false
  }

  /// Reads the number of the copy, how many there are, and the age.
  @_lifetime(self: copy self)
  mutating func repeatFields() -> (copy: Int, copies: Int, age: MediaTime)? {
    guard let copy = count(), skip(Self.copiesKey.view), let copies = count(), skip(Self.ageKey.view), let age = seconds() else {
      return nil
    }
    return (copy, copies, age)
  }

  /// A number from 1 to 999,999,999 without a sign, a fraction or an exponent.
  @_lifetime(self: copy self)
  private mutating func count() -> Int? {
    let (value, digits) = digits()
    return digits > 0 && digits <= 9 && bytes[position - digits] != UInt8(ascii: "0") ? value : nil
  }

  /// Seconds as Cuelight writes an age: a number of seconds and six decimals, at most ``EventCopy/largestAge``.
  @_lifetime(self: copy self)
  private mutating func seconds() -> MediaTime? {
    let (whole, wholeDigits) = digits()
    guard wholeDigits > 0, wholeDigits <= 5, wholeDigits == 1 || bytes[position - wholeDigits] != UInt8(ascii: "0") else { return nil }
    guard position < bytes.count, bytes[position] == UInt8(ascii: ".") else { return nil }
    position += 1
    let (fraction, fractionDigits) = digits()
    guard fractionDigits == 6 else { return nil }
    let millionths = Int64(whole) * 1_000_000 + Int64(fraction)
    // 90,000 ticks a second: nine ticks are 100 millionths.
    let age = MediaTime(ticks: (millionths * 9 + 50) / 100)
    return age <= EventCopy.largestAge ? age : nil
  }

  /// Skips digits; the value of more than nine digits is meaningless.
  @_lifetime(self: copy self)
  private mutating func digits() -> (value: Int, count: Int) {
    let start = position
    var value = 0
    while position < bytes.count, bytes[position].isASCIIDigit {
      if position - start < 9 { value = value * 10 + Int(bytes[position] & 0x0F) }
      position += 1
    }
    return (value, position - start)
  }

  /// Whether the rest is the right checksum of everything before it.
  func endsWithChecksum() -> Bool {
    ChecksumSuffix.isRight(bytes.extracting(position...), CRC32MPEG2.checksum(bytes.extracting(..<position)))
  }
}

import Basics

/// A parser, and what must hold whatever it is fed with.
///
/// libFuzzer feeds it through the product `Fuzzer`, which `scripts/fuzz` builds, and the tests replay the inputs that are committed.
/// A new target is a static property, an element of ``all``, and its seeds.
package struct FuzzTarget: Sendable {
  /// What must hold and does not; anything else that goes wrong ends the process.
  package struct Finding: Error, CustomStringConvertible {
    /// What does not hold, with the values.
    package var description: String

    init(_ description: String) { self.description = description }
  }

  /// The name, which is also that of its folder of inputs.
  package let name: String
  /// Feeds one input.
  package let run: @Sendable ([UInt8]) throws -> Void

  init(_ name: String, _ run: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.name = name
    self.run = run
  }

  /// Every target.
  package static let all = [
    id3, json, programTables, transportStream, packets, boxes, eventMessages, codecs, streams, playlist, presentation, eventCopy,
    copyParser, game, audience, scoring, journal, cueSheet, questions, spreadsheets, encodings, stamper, editor, doctor, liveRequest,
    liveJournal, liveStamper, answers, tokens, amf, publisher, pair, request, reports,
  ]
}

extension FuzzTarget {
  /// Throws unless a condition holds.
  static func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw Finding(message()) }
  }

  /// Throws unless both are equal.
  static func require<Value: Equatable>(_ left: Value, equals right: Value, _ what: String) throws {
    if left != right { throw Finding("\(what): \(left) instead of \(right)") }
  }

  /// Throws unless both are equal.
  static func require(_ left: [UInt8], equals right: [UInt8], _ what: String) throws {
    guard left != right else { return }
    let same = zip(left, right).prefix { $0 == $1 }.count
    throw Finding("\(what): \(left.count) bytes instead of \(right.count), the same up to \(same)")
  }

  /// Throws unless an error's offset lies within the input.
  static func require(_ error: ParseError, liesIn bytes: [UInt8]) throws {
    try require((0...bytes.count).contains(error.offset), "an error outside of the \(bytes.count) bytes: \(error)")
  }
}

import Basics
import Sheets

/// The lines of a journal: NDJSON, each line with a CRC-32 of its own, and with that of the line before it.
///
/// The checksums are a chain, which shows that a line was changed, removed or put in. Lines of earlier versions lack the second checksum.
package enum JournalText {
  /// What is wrong with a journal.
  package struct Damage: Error, Equatable, Sendable, CustomStringConvertible {
    /// The number of the line, from 1.
    package var line: Int
    /// The byte at which the line begins.
    package var offset: Int
    /// What is wrong, in words.
    package var reason: String

    /// Damage in a line.
    package init(line: Int, offset: Int, reason: String) { (self.line, self.offset, self.reason) = (line, offset, reason) }

    /// The damage in words, with its place.
    package var description: String { "line \(line), at byte \(offset): \(reason)" }
  }

  /// The end of the lines so far, which the next line continues.
  package struct Chain: Equatable, Sendable {
    /// The checksum of the latest line; 0 before the first one.
    private(set) var checksum: UInt32 = 0

    /// The beginning of a journal.
    package init() {}

    fileprivate init(checksum: UInt32) { self.checksum = checksum }

    /// The next record as a line.
    package mutating func line(_ record: JournalRecord) -> [UInt8] {
      var bytes = Array(JSONValue.object(record.object).text.utf8)
      bytes.removeLast()
      bytes += Array(",\"\(chainKey)\":\"\(hexadecimal(checksum))\"".utf8)
      checksum = CRC32MPEG2.checksum(bytes.span)
      bytes += Array(",\"crc\":\"\(hexadecimal(checksum))\"}\n".utf8)
      return bytes
    }

    /// The next records as lines.
    package mutating func lines(_ records: [JournalRecord]) -> [UInt8] { records.flatMap { line($0) } }
  }

  /// What is in a journal.
  package struct Contents: Equatable, Sendable {
    package var records: [JournalRecord] = []
    /// The number of bytes of their lines. A last line that was torn while it was written is left out.
    package var byteCount = 0
    /// What the next line continues.
    package var chain = Chain()
    /// Whether the end of the journal is missing. While a journal is written there is always room after its lines, so that a process that is killed
    /// leaves zeros there; and one that ends leaves a record of that. A journal with neither was cut.
    package var isCut = false
  }

  private static let chainKey = "after"
  private static let checksumLength = #","crc":"00000000"}"#.utf8.count

  private static func hexadecimal(_ value: UInt32) -> String { value.digits(8, radix: 16, uppercase: false) }

  /// Reads a journal. Zeros after its lines are room for further ones.
  ///
  /// - Throws: `Damage` if a line was changed, or does not continue the one before. A line that a process did not finish at the end is no damage.
  package static func contents(_ bytes: [UInt8]) throws(Damage) -> Contents {
    let (contents, damages) = read(bytes)
    if let damage = damages.first { throw damage }
    return contents
  }

  /// Reads a journal that a session continues.
  ///
  /// - Throws: `Damage`, also if the end is missing: the numbers of the events there would be given again.
  package static func whole(_ bytes: [UInt8]) throws(Damage) -> Contents {
    let contents = try contents(bytes)
    guard !contents.isCut else {
      throw Damage(
        line: contents.records.count + 1, offset: contents.byteCount,
        reason: "the end of the journal is missing, and its events' numbers would be given again; see cuelight journal repair")
    }
    return contents
  }

  /// Reads every intact line of a journal, whatever is between them, and says what is wrong. If anything is, the journal may lack events of which
  /// nothing is known.
  package static func rescue(_ bytes: [UInt8]) -> (records: [JournalRecord], damages: [Damage]) {
    var (contents, damages) = read(bytes)
    if contents.isCut {
      damages.append(
        Damage(line: contents.records.count + damages.count + 1, offset: contents.byteCount, reason: "the end of the journal is missing"))
    }
    return (contents.records, damages)
  }

  private static func read(_ bytes: [UInt8]) -> (contents: Contents, damages: [Damage]) {
    var contents = Contents()
    var damages: [Damage] = []
    // Nothing is known of a line that cannot be read: the next one may continue it.
    var isKnown = true
    var isChained = false
    // Zeros at the end are room for further lines.
    let end = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
    var (number, start) = (0, 0)
    while start < end {
      let lineEnd = bytes[start..<end].firstIndex(of: UInt8(ascii: "\n"))
      let range = start..<(lineEnd ?? end)
      number += 1
      defer { start = range.upperBound + 1 }
      guard let lineEnd, let line = Self.line(bytes[range], end: lineEnd + 1) else {
        // The disk may have only a part of the last line: without its end, or with zeros in place of a sector. A wrong line that is whole was changed.
        let isTorn = range.upperBound + 1 >= end && (lineEnd == nil || bytes[range].contains(0))
        if !isTorn { damages.append(Damage(line: number, offset: start, reason: "this is no line of a journal, or it was changed")) }
        isKnown = false
        continue
      }
      if isKnown, !(line.after.map { $0 == contents.chain.checksum } ?? !isChained) {
        damages.append(Damage(line: number, offset: start, reason: "lines before it are missing, or were put in"))
      }
      (isKnown, isChained) = (true, isChained || line.after != nil)
      contents.records.append(line.record)
      (contents.chain, contents.byteCount) = (Chain(checksum: line.checksum), line.end)
    }
    contents.isCut = end == bytes.count && !bytes.isEmpty && (isChained || contents.records.isEmpty) && contents.records.last != .ended
    return (contents, damages)
  }

  /// The bytes of a journal with these records, and room after them.
  ///
  /// - Parameter room: The number of bytes that are free.
  package static func bytes(_ records: [JournalRecord], room: Int) -> [UInt8] {
    var chain = Chain()
    return chain.lines(records) + [UInt8](repeating: 0, count: room)
  }

  private struct Line {
    var record: JournalRecord
    var checksum: UInt32
    /// The checksum of the line before; `nil` in a line of an earlier version.
    var after: UInt32?
    /// The byte after it.
    var end: Int
  }

  private static func line(_ line: ArraySlice<UInt8>, end: Int) -> Line? {
    guard line.count > checksumLength else { return nil }
    let content = Array(line.dropLast(checksumLength))
    let checksum = CRC32MPEG2.checksum(content.span)
    let suffix = ",\"crc\":\"\(hexadecimal(checksum))\"}"
    guard line.suffix(checksumLength).elementsEqual(suffix.utf8) else { return nil }
    // The request inside of a record may be as deep as a sheet.
    let limits = JSONLimits(depth: SheetLimits.depth + 1, bytes: largestLine, members: largestLine)
    guard let value = try? JSONValue(parsing: content + [UInt8(ascii: "}")], limits: limits), let object = value.object,
      let record = JournalRecord(object)
    else { return nil }
    var after: UInt32?
    if let text = object[chainKey]?.string {
      guard let value = UInt32(text, radix: 16) else { return nil }
      after = value
    }
    return Line(record: record, checksum: checksum, after: after, end: end)
  }

  /// The largest line in bytes.
  package static let largestLine = 4 << 20
}

import Basics
import Sheets

/// The lines of a journal: NDJSON, each line with a CRC-32 of its own, and with that of the line before it.
///
/// The checksums are a chain: a line that was changed, taken out or put in is noticed. Journals of earlier versions have lines without the second one.
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

  /// The end of the lines that are there: the next line continues it.
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

  /// What a journal has.
  package struct Contents: Equatable, Sendable {
    package var records: [JournalRecord] = []
    /// The number of bytes of their lines. A last line that was torn while it was written is left out.
    package var byteCount = 0
    /// What the next line continues.
    package var chain = Chain()
    /// Whether the end of the journal is missing. While a journal is written there is always room behind its lines, so that a process that is killed
    /// leaves zeros there; and one that ends leaves a record of that. What has neither was cut.
    package var isCut = false
  }

  private static let chainKey = "after"
  private static let checksumLength = #","crc":"00000000"}"#.utf8.count

  private static func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// Reads a journal. Zeros behind its lines are room for further ones.
  ///
  /// - Throws: `Damage` where a line was changed, or does not continue the one before. What a process has left unfinished at the end is no damage.
  package static func contents(_ bytes: [UInt8]) throws(Damage) -> Contents {
    var contents = Contents()
    var isChained = false
    let (found, hasRoom) = lines(of: bytes)
    for place in found {
      guard let line = place.line else { throw place.damage }
      guard line.after.map({ $0 == contents.chain.checksum }) ?? !isChained else {
        throw Damage(line: place.number, offset: place.offset, reason: missingLines)
      }
      isChained = line.after != nil
      contents.records.append(line.record)
      contents.chain = Chain(checksum: line.checksum)
      contents.byteCount = line.end
    }
    contents.isCut = !hasRoom && !bytes.isEmpty && (isChained || contents.records.isEmpty) && contents.records.last != .ended
    return contents
  }

  private static let missingLines = "lines before it are missing, or were put in"

  /// Reads a journal that a session goes on with.
  ///
  /// - Throws: `Damage`; also where its end is missing, since the numbers of the events there would be given again.
  package static func whole(_ bytes: [UInt8]) throws(Damage) -> Contents {
    let contents = try contents(bytes)
    guard !contents.isCut else {
      throw Damage(
        line: contents.records.count + 1, offset: contents.byteCount,
        reason: "the end of the journal is missing, and its events' numbers would be given again; see cuelight journal repair")
    }
    return contents
  }

  /// What can be saved of a damaged journal.
  package struct Rescue: Equatable, Sendable {
    package var records: [JournalRecord] = []
    /// What is wrong with it. Where there is anything, events may be missing of which nothing is known.
    package var damages: [Damage] = []
  }

  /// Reads every line of a journal that is as it was written, whatever is between them.
  package static func rescue(_ bytes: [UInt8]) -> Rescue {
    var rescue = Rescue()
    var checksum: UInt32? = 0
    var (lastEnd, isChained) = (0, false)
    let (found, hasRoom) = lines(of: bytes)
    for place in found {
      guard let line = place.line else {
        rescue.damages.append(place.damage)
        checksum = nil
        continue
      }
      if let after = line.after, let checksum, after != checksum {
        rescue.damages.append(Damage(line: place.number, offset: place.offset, reason: missingLines))
      }
      isChained = isChained || line.after != nil
      rescue.records.append(line.record)
      (checksum, lastEnd) = (line.checksum, line.end)
    }
    if !hasRoom, !bytes.isEmpty, isChained || rescue.records.isEmpty, rescue.records.last != .ended {
      rescue.damages.append(Damage(line: found.count + 1, offset: lastEnd, reason: "the end of the journal is missing"))
    }
    return rescue
  }

  /// The bytes of a journal that has these records, with room behind them.
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
    /// The byte behind it.
    var end: Int
  }

  private struct Found {
    var number: Int
    /// The byte at which it begins.
    var offset: Int
    /// The line; `nil` where it is none, or was changed.
    var line: Line?

    var damage: Damage {
      Damage(line: number, offset: offset, reason: "this is no line of a journal, or it was changed")
    }
  }

  /// All lines, without what was left unfinished at the end; and whether there is room behind them.
  private static func lines(of bytes: [UInt8]) -> (found: [Found], hasRoom: Bool) {
    let end = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
    var found: [Found] = []
    var start = 0
    while start < end {
      let lineEnd = bytes[start..<end].firstIndex(of: UInt8(ascii: "\n"))
      let range = start..<(lineEnd ?? end)
      let line = lineEnd.flatMap { Self.line(bytes[range], end: $0 + 1) }
      let isLast = lineEnd.map { $0 + 1 >= end } ?? true
      // The disk may have got a part of the last line: no end, or zeros where a sector is missing. A whole line that is wrong was changed.
      let isTorn = isLast && (lineEnd == nil || bytes[range].contains(0))
      if line != nil || !isTorn { found.append(Found(number: found.count + 1, offset: start, line: line)) }
      start = range.upperBound + 1
    }
    return (found, end < bytes.count)
  }

  private static func line(_ line: ArraySlice<UInt8>, end: Int) -> Line? {
    guard line.count > checksumLength else { return nil }
    let content = Array(line.dropLast(checksumLength))
    let checksum = CRC32MPEG2.checksum(content.span)
    let suffix = ",\"crc\":\"\(hexadecimal(checksum))\"}"
    guard line.suffix(checksumLength).elementsEqual(suffix.utf8) else { return nil }
    // A record lies around the request, which may be as deep as a sheet.
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

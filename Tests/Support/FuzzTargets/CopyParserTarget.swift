import Basics
import GameEvents

extension FuzzTarget {
  /// A parser that knows the last events says of every text what one says that knows none. A line each, first a byte: whether the rest gets the
  /// checksum that it lacks.
  static let copyParser = FuzzTarget("copy-parser") { bytes in
    var parser = CopyParser()
    for line in bytes.split(separator: 0x0A) {
      var text = String(decoding: line.dropFirst(), as: UTF8.self)
      if (line.first ?? 0) & 1 != 0 { text += ChecksumText.suffix(of: text) }
      let known = outcome { () throws(EventError) in try parser.parse(text, description: "") }
      try require(known, equals: outcome { () throws(EventError) in try EventCopy(parsing: text, description: "") }, "\(text)")
    }
  }

  private static func outcome(_ parse: () throws(EventError) -> EventCopy) -> Result<EventCopy, EventError> {
    do throws(EventError) { return .success(try parse()) } catch { return .failure(error) }
  }
}

/// The checksums of copies, which no fuzzer guesses.
enum ChecksumText {
  /// What ends a copy of which this is all the rest.
  static func suffix(of text: String) -> String {
    let digits = String(CRC32MPEG2.checksum(text), radix: 16)
    return ",\"crc\":\"\(String(repeating: "0", count: 8 - digits.utf8.count))\(digits)\"}"
  }

  /// How many bytes it has.
  static let length = 18
}

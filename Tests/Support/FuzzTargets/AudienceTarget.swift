import Scoring

extension FuzzTarget {
  /// Records of an audience, a line each: what is read is written and read again equal.
  static let audience = FuzzTarget("audience") { bytes in
    for line in bytes.split(separator: 0x0A) {
      let line = Array(line)
      let record: AudienceRecord
      do throws(AudienceRecordError) {
        record = try AudienceRecord(parsing: line.span)
      } catch {
        try require(!"\(error)".isEmpty, "an error without a message")
        continue
      }
      let written = Array(record.line.utf8)
      try require(try AudienceRecord(parsing: written.span), equals: record, "written and read again")
    }
  }
}

import Basics

extension FuzzTarget {
  /// JSON: what is read is written and read again equal, and its text does not change any more.
  static let json = FuzzTarget("json") { bytes in
    let value: JSONValue
    do throws(ParseError) {
      value = try JSONValue(parsing: bytes.span)
    } catch {
      try require(error, liesIn: bytes)
      return
    }
    let text = value.text
    let again = try JSONValue(parsing: text)
    try require(again, equals: value, "written and read again")
    try require(Array(again.text.utf8), equals: Array(text.utf8), "written twice")
  }
}

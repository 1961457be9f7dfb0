/// A statement with its values.
package struct PostgreSQLStatement: Sendable {
  /// A value, sent in binary.
  package enum Value: Equatable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case texts([String])

    package static func integer(_ value: Int) -> Value { .integer(Int64(value)) }

    /// The number of the type in `pg_type`.
    var type: UInt32 {
      switch self {
      // The server finds the type out by itself.
      case .null: 0
      case .integer: 20
      case .text: 25
      case .bytes: 17
      case .texts: 1_009
      }
    }

    /// The value as it is sent; `nil` for a null.
    var encoded: [UInt8]? {
      switch self {
      case .null: return nil
      case .integer(let value): return Self.bigEndian(value)
      case .text(let text): return Array(text.utf8)
      case .bytes(let bytes): return bytes
      case .texts(let texts):
        // One dimension, no nulls, text, and the index of the first element.
        var bytes = [Int32(1), 0, 25, Int32(truncatingIfNeeded: texts.count), 1].flatMap { Self.bigEndian($0) }
        for text in texts { bytes += Self.bigEndian(Int32(truncatingIfNeeded: text.utf8.count)) + Array(text.utf8) }
        return bytes
      }
    }

    private static func bigEndian<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
      (0..<Number.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
  }

  package var text: String
  package var values: [Value]

  /// - Parameter text: SQL with `$1` and so on for the values.
  package init(_ text: String, _ values: [Value] = []) { (self.text, self.values) = (text, values) }
}

extension PostgreSQLStatement.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  package init(stringLiteral text: String) { self = .text(text) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
}

/// A row of a statement's result, column by column, in binary.
package struct PostgreSQLRow: Equatable, Sendable {
  /// `nil` for a null.
  package var columns: [[UInt8]?]

  package init(columns: [[UInt8]?]) { self.columns = columns }

  /// The bytes of a column; none for a null.
  package func bytes(_ column: Int) -> [UInt8] { columns.indices.contains(column) ? columns[column] ?? [] : [] }

  package func text(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }

  /// The integer of a column of any length; `nil` for a null.
  package func integer(_ column: Int) -> Int64? {
    guard columns.indices.contains(column), let bytes = columns[column], let first = bytes.first, bytes.count <= 8 else { return nil }
    return bytes.reduce(first & 0x80 == 0 || bytes.count == 1 ? 0 : -1) { $0 << 8 | Int64($1) }
  }

  package func bool(_ column: Int) -> Bool { bytes(column).first == 1 }
}

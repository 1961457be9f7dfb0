/// The size of a terminal in cells.
package struct TerminalSize: Equatable, Sendable {
  /// How many cells a row has.
  package var columns: Int
  /// How many rows there are.
  package var rows: Int
}

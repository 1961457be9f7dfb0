import LibC

/// What standard output and standard error are connected to.
package enum Terminal {
  /// Whether a person reads standard output on a terminal.
  package static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether a person reads standard error on a terminal.
  package static var isError: Bool { isatty(STDERR_FILENO) == 1 }

  /// How many columns the terminal of standard output has; 80 if that is not known.
  package static var columns: Int { size.columns }

  /// The size of the terminal of standard output; 80 columns and 24 rows if that is not known.
  package static var size: TerminalSize {
    var size = winsize()
    // ioctl writes one winsize, which lives as long as the call.
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return TerminalSize(columns: 80, rows: 24) }
    return TerminalSize(columns: size.ws_col > 0 ? Int(size.ws_col) : 80, rows: size.ws_row > 0 ? Int(size.ws_row) : 24)
  }
}

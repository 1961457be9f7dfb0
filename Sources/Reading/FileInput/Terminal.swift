#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What standard output and standard error are connected to.
public enum Terminal {
  /// Whether a person reads standard output on a terminal.
  public static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether a person reads standard error on a terminal.
  public static var isError: Bool { isatty(STDERR_FILENO) == 1 }

  /// How many columns the terminal of standard output has; 80 where it does not say.
  public static var columns: Int {
    var size = winsize()
    // ioctl writes one winsize, which lives as long as the call.
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}

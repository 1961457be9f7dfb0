/// The arguments of the process as bytes. Swift's own arguments are a repaired copy of them.
package enum RawArguments {
  /// The first argument that is not UTF-8, repaired so that it can be shown; `nil` if all are.
  package static var firstUndecodable: String? {
    // Unsafe: the arguments end with NULs, live as long as the process, and nobody writes to them.
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = unsafe CommandLine.unsafeArgv[index], unsafe String(validatingCString: argument) == nil else { continue }
      return unsafe String(cString: argument)
    }
    return nil
  }
}

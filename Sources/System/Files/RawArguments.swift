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

  /// Overwrites a secret in the process's own arguments, which other users of the machine can list with ps.
  ///
  /// - Parameters:
  ///   - secret: The text that nobody is to see.
  ///   - argument: The argument that contains it, or the value of an option.
  package static func hide(_ secret: String, in argument: String) {
    let (argument, secret) = (Array(argument.utf8), Array(secret.utf8))
    guard !secret.isEmpty, argument.count >= secret.count else { return }
    guard let place = (0...(argument.count - secret.count)).first(where: { argument[$0...].starts(with: secret) }) else { return }
    for index in 0..<Int(CommandLine.argc) {
      // Unsafe: the arguments end with NULs and live as long as the process; Swift has copied them before. Only bytes before the NUL are written.
      guard let start = unsafe CommandLine.unsafeArgv[index] else { continue }
      let text = unsafe Array(String(cString: start).utf8)
      guard text.count >= argument.count, text.suffix(argument.count).elementsEqual(argument) else { continue }
      let first = text.count - argument.count + place
      for offset in first..<(first + secret.count) { unsafe start[offset] = 0x78 }
    }
  }
}

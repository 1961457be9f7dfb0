import LibC

/// A program that takes the place of this one.
package enum OtherProgram {
  /// The program with this name: beside this one, or in the shell's search path; `nil` if there is none.
  package static func path(of name: String) -> String? {
    var folders = [ownFolder].compactMap(\.self)
    // Unsafe: the environment's text is copied at once.
    if let path = unsafe getenv("PATH") { unsafe folders += String(cString: path).split(separator: ":").map { String($0) } }
    return folders.map { "\($0)/\(name)" }.first { unsafe access($0, X_OK) == 0 }
  }

  /// The folder of this program, with no symbolic link in it; `nil` if it is not known.
  package static var ownFolder: String? {
    (resolvedPath("/proc/self/exe") ?? CommandLine.arguments.first.flatMap { resolvedPath($0) }).map { PathParts($0).folder }
  }

  /// Replaces this process by a program. Returns the system's error number if that fails, and does not return otherwise.
  package static func replace(_ path: String, _ arguments: [String]) -> Int32 {
    // Unsafe: C reads the texts, which end with a NUL, and the array, which ends with NULL. The memory is freed if the call returns.
    var texts = unsafe ([path] + arguments).map { unsafe strdup($0) }
    unsafe texts.append(nil)
    defer { unsafe texts.forEach { unsafe free($0) } }
    return unsafe execv(path, texts) == 0 ? 0 : errno
  }
}

import LibC

/// A program that takes the place of this one.
package enum OtherProgram {
  /// The program of a name: beside this one, or where the shell looks for it; `nil` if there is none.
  package static func path(of name: String) -> String? {
    var folders = [ownFolder].compactMap(\.self)
    // Unsafe: the environment's text is copied at once.
    if let path = unsafe getenv("PATH") { unsafe folders += String(cString: path).split(separator: ":").map { String($0) } }
    return folders.map { "\($0)/\(name)" }.first { unsafe access($0, X_OK) == 0 }
  }

  /// The folder of this program, with no symbolic link in it; `nil` if nobody knows.
  package static var ownFolder: String? {
    (resolvedPath("/proc/self/exe") ?? CommandLine.arguments.first.flatMap { resolvedPath($0) }).map { PathParts($0).folder }
  }

  /// Lets a program take the place of this one. Returns the system's error number if that fails, and not at all otherwise.
  package static func replace(_ path: String, _ arguments: [String]) -> Int32 {
    // Unsafe: C reads the texts, which end with a NUL, and the array, which ends with NULL. What is allocated is freed if the call returns.
    var texts = unsafe ([path] + arguments).map { unsafe strdup($0) }
    unsafe texts.append(nil)
    defer { unsafe texts.forEach { unsafe free($0) } }
    return unsafe execv(path, texts) == 0 ? 0 : errno
  }
}

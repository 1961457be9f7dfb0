/// A library that is opened when it is needed first, and never closed.
@safe package struct SharedLibrary: @unchecked Sendable {
  // Unsafe, unchecked: what dlopen returned. It is only handed to dlsym, on any thread.
  private let handle: UnsafeMutableRawPointer

  /// This version of the library lacks a function.
  package struct FunctionMissing: Error {}

  /// Opens a library; the first of the names that is there counts. `nil` if none is.
  package init?(_ names: [String]) {
    // Unsafe: the names are lent to C for the calls.
    guard let handle = unsafe names.lazy.compactMap({ unsafe dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else { return nil }
    unsafe self.handle = handle
  }

  /// The function of a name.
  ///
  /// Unsafe: the type must be that of the library's header, a C function.
  @unsafe package func function<Function>(_ name: String) throws(FunctionMissing) -> Function {
    guard let function = unsafe dlsym(handle, name) else { throw FunctionMissing() }
    return unsafe unsafeBitCast(function, to: Function.self)
  }
}

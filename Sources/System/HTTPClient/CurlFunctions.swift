internal import CCurl

/// libcurl's functions. A value of this type exists only if the library has all of them.
typealias CurlFunctions = cuelight_curl_functions

extension CurlFunctions {
  /// libcurl's functions. The first call opens the library and initialises it, so that a process without transfers does not load it.
  ///
  /// - Throws: `libraryMissing` if it is missing, `connection` if it cannot be initialised.
  static func found() throws(NetworkInputError.Reason) -> CurlFunctions { try opened.get() }

  /// Opens the library of this name.
  static func open(_ name: String = unsafe String(cString: cuelight_curl_library)) -> Result<CurlFunctions, NetworkInputError.Reason> {
    // Unsafe: memory for the functions, which C fills. It is not read if a function is missing; the message is copied at once.
    let memory = UnsafeMutablePointer<CurlFunctions>.allocate(capacity: 1)
    defer { unsafe memory.deallocate() }
    if let missing = unsafe cuelight_find_curl(name, memory) {
      return .failure(.libraryMissing("libcurl is needed: \(unsafe String(cString: missing)) (Debian: libcurl4)"))
    }
    let functions = unsafe memory.pointee
    guard functions.curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else {
      return .failure(.connection("libcurl cannot be initialised"))
    }
    return .success(functions)
  }
}

private let opened = CurlFunctions.open()

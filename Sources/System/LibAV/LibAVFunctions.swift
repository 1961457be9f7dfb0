internal import CLibAV

/// libav's functions. A value exists only if the libraries and all functions were found, so that no missing function can be called.
typealias LibAVFunctions = cuelight_libav_functions

/// The file names of the libraries.
struct LibAVNames {
  // Unsafe: constants of the header's, which end with a NUL.
  var format = unsafe String(cString: cuelight_avformat_library)
  var codec = unsafe String(cString: cuelight_avcodec_library)
  var util = unsafe String(cString: cuelight_avutil_library)
}

/// Why libav's functions are not available.
struct MissingLibrary: Error, Equatable {
  /// What is missing and what to do, in words.
  var reason: String
}

extension LibAVFunctions {
  /// libav's functions. The first call opens the libraries, which takes 30 ms and 25 MB. A process that never calls this saves both.
  ///
  /// - Parameter operation: What they are needed for.
  /// - Throws: `RemuxError` if a library is missing.
  static func found(for operation: @autoclosure () -> String) throws(RemuxError) -> LibAVFunctions {
    switch opened {
    case .success(let functions): return functions
    case .failure(let missing): throw .library(AVError(missing, operation: operation()))
    }
  }

  /// libav's functions if the libraries can be opened.
  static var found: LibAVFunctions? { try? opened.get() }

  /// Opens the libraries.
  ///
  /// libav's messages are turned off: standard error belongs to the command line.
  static func open(_ names: LibAVNames = LibAVNames()) -> Result<LibAVFunctions, MissingLibrary> {
    // Unsafe: memory for the functions, which C fills, and nobody reads if a function is missing. The error text is copied at once.
    let memory = UnsafeMutablePointer<LibAVFunctions>.allocate(capacity: 1)
    defer { unsafe memory.deallocate() }
    if let missing = unsafe cuelight_find_libav(names.format, names.codec, names.util, memory) {
      let package = unsafe String(cString: cuelight_libav_package)
      return .failure(MissingLibrary(reason: "FFmpeg's libraries are needed: \(unsafe String(cString: missing)) (Debian: \(package))"))
    }
    let functions = unsafe memory.pointee
    functions.av_log_set_level(AV_LOG_QUIET)
    return .success(functions)
  }
}

private let opened = LibAVFunctions.open()

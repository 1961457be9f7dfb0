internal import CLibAV

/// libav's functions. A value exists only if the libraries and all functions were found, so that no missing function can be called.
typealias LibAVFunctions = cuelight_libav_functions

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

  /// Opens the libraries of the newest release that is there.
  ///
  /// - Parameter folder: Where they lie; `nil` looks where the system does.
  static func openNewest(in folder: String? = nil) -> Result<LibAVFunctions, MissingLibrary> {
    var unusable: MissingLibrary?
    for release in FFmpegRelease.all {
      guard let names = folder.map({ LibAVNames(release, in: $0) }) ?? LibAVNames(release) else { continue }
      switch open(names) {
      case .success(let functions): return .success(functions)
      case .failure(let missing): unusable = unusable ?? (names.areAbsent(missing) ? nil : missing)
      }
    }
    return .failure(unusable.map { MissingLibrary(reason: needed($0.reason)) } ?? absence(folder))
  }

  /// Opens the libraries of a release.
  ///
  /// libav's messages are turned off: standard error belongs to the command line.
  ///
  /// - Returns: The functions, or in the system's words what is missing.
  static func open(_ names: LibAVNames) -> Result<LibAVFunctions, MissingLibrary> {
    // Unsafe: memory for the functions, which C fills, and nobody reads if a function is missing. The error text is copied at once.
    let memory = UnsafeMutablePointer<LibAVFunctions>.allocate(capacity: 1)
    defer { unsafe memory.deallocate() }
    if let missing = unsafe cuelight_find_libav(names.format, names.codec, names.util, memory) {
      return .failure(MissingLibrary(reason: unsafe String(cString: missing)))
    }
    let functions = unsafe memory.pointee
    guard functions.majorVersions == [names.release.format, names.release.codec, names.release.util] else {
      return .failure(MissingLibrary(reason: "\(names.format), \(names.codec) and \(names.util) are not of one release"))
    }
    functions.av_log_set_level(AV_LOG_QUIET)
    return .success(functions)
  }

  /// The major versions of libavformat, libavcodec and libavutil.
  var majorVersions: [Int] { [avformat_version(), avcodec_version(), avutil_version()].map { Int($0 >> 16) } }

  /// The message that no libraries are there.
  private static func absence(_ folder: String?) -> MissingLibrary {
    if let folder { return MissingLibrary(reason: needed("\(folder) (\(LibAVNames.variable)) has none of FFmpeg \(releases)")) }
    return MissingLibrary(reason: needed("none of \(FFmpegRelease.all.map { LibAVNames($0).format }.joined(separator: ", ")) is installed"))
  }

  /// A reason with what to install.
  private static func needed(_ reason: String) -> String {
    let packages = FFmpegRelease.all.reversed().map { "libavformat\($0.format)" }
    return "FFmpeg's libraries are needed: \(reason) (Debian: \(packages.dropLast().joined(separator: ", ")) or \(packages.last ?? ""))"
  }

  private static var releases: String {
    "\(FFmpegRelease.all.last?.number ?? 0) to \(FFmpegRelease.all.first?.number ?? 0)"
  }
}

extension LibAVNames {
  /// Whether a library could not be opened because it is not there, so that another release may be.
  fileprivate func areAbsent(_ missing: MissingLibrary) -> Bool {
    [format, codec, util].contains { name in
      missing.reason.hasPrefix("\(name): cannot open shared object file")
        || (missing.reason.hasPrefix("dlopen(\(name),") && !missing.reason.contains("Library not loaded"))
    }
  }
}

private let opened = LibAVFunctions.openNewest(in: LibAVNames.folder)

extension LibAVNames {
  /// The folder that the environment names.
  fileprivate static var folder: String? {
    // Unsafe: the text is copied before anything changes the environment.
    guard let value = unsafe getenv(variable) else { return nil }
    let folder = unsafe String(cString: value)
    return folder.isEmpty ? nil : folder
  }
}

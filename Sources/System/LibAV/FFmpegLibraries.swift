internal import CLibAV

/// FFmpeg's libraries as this process uses them.
package enum FFmpegLibraries {
  /// The release of FFmpeg and the version of libavformat, for example `FFmpeg 5.1.9-0+deb12u1 (libavformat 59.27.100)`; `nil` if no libraries
  /// can be used.
  ///
  /// The first call opens the libraries, which takes 30 ms and 25 MB.
  package static var found: String? {
    guard let libav = LibAVFunctions.found else { return nil }
    let version = libav.avformat_version()
    // Unsafe: the text is a constant of the library's.
    let release = unsafe libav.av_version_info().map { unsafe String(cString: $0) } ?? "unknown"
    return "FFmpeg \(release) (libavformat \(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF))"
  }

  /// Why no libraries can be used, and what to install, in one line; `nil` if some can.
  package static var missing: String? {
    do throws(RemuxError) {
      _ = try LibAVFunctions.found(for: "")
      return nil
    } catch {
      guard case .library(let cause) = error else { return nil }
      return cause.missingLibrary
    }
  }
}

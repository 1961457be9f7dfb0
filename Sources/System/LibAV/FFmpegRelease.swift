internal import CLibAV

/// A release of FFmpeg whose libraries can be used, with their major versions.
struct FFmpegRelease: Equatable {
  /// The release's first number.
  var number: Int
  /// The version of libavformat.
  var format: Int
  /// The version of libavcodec.
  var codec: Int
  /// The version of libavutil.
  var util: Int

  /// Whether the places of the structures' fields are known.
  // Unsafe: the table is constant, and is only compared with nothing here.
  var hasKnownLayout: Bool { unsafe cuelight_layout_of(UInt32(format) << 16, UInt32(codec) << 16) != nil }

  /// The releases, the newest first, in the order in which they are looked for. What an upgrade of the system leaves behind gets no more
  /// fixes, so that an older release is not preferred even if this program was built with its headers.
  static let all = [
    FFmpegRelease(number: 9, format: 63, codec: 63, util: 61), FFmpegRelease(number: 8, format: 62, codec: 62, util: 60),
    FFmpegRelease(number: 7, format: 61, codec: 61, util: 59), FFmpegRelease(number: 6, format: 60, codec: 60, util: 58),
    FFmpegRelease(number: 5, format: 59, codec: 59, util: 57),
  ]
}

/// The files that have the libraries of a release: names, which the system finds, or paths.
struct LibAVNames: Equatable {
  /// The release.
  var release: FFmpegRelease
  /// The name of libavformat.
  var format: String
  /// The name of libavcodec.
  var codec: String
  /// The name of libavutil.
  var util: String

  /// The environment variable that names the folder of the libraries. Then no others are used.
  static let variable = "CUELIGHT_LIBAV"

  /// The libraries where the system looks for them.
  init(_ release: FFmpegRelease) {
    self.release = release
    format = Self.fileName("libavformat", release.format)
    codec = Self.fileName("libavcodec", release.codec)
    util = Self.fileName("libavutil", release.util)
  }

  /// The libraries in a folder; `nil` if not all three are there.
  init?(_ release: FFmpegRelease, in folder: String) {
    guard let format = Self.path("libavformat", release.format, in: folder), let codec = Self.path("libavcodec", release.codec, in: folder),
      let util = Self.path("libavutil", release.util, in: folder)
    else { return nil }
    (self.release, self.format, self.codec, self.util) = (release, format, codec, util)
  }

  private static func fileName(_ library: String, _ version: Int) -> String {
    #if canImport(Darwin)
      "\(library).\(version).dylib"
    #else
      "\(library).so.\(version)"
    #endif
  }

  /// The file of a library in a folder. There may be more than the name and the version in its name, as in
  /// `libavformat-744f8610.so.60.16.100`.
  private static func path(_ library: String, _ version: Int, in folder: String) -> String? {
    #if canImport(Darwin)
      let patterns = ["\(library)*.\(version).dylib", "\(library)*.\(version).*.dylib"]
    #else
      let patterns = ["\(library)*.so.\(version)", "\(library)*.so.\(version).*"]
    #endif
    let escaped = String(folder.flatMap { "\\*?[]".contains($0) ? ["\\", $0] : [$0] })
    return patterns.lazy.compactMap { firstPath("\(escaped)/\($0)") }.first
  }

  private static func firstPath(_ pattern: String) -> String? {
    // Unsafe: C fills the list and frees it; the path is copied before that.
    var found = unsafe glob_t()
    defer { unsafe globfree(&found) }
    guard unsafe glob(pattern, 0, nil, &found) == 0, let path = unsafe found.gl_pathv?[0] else { return nil }
    return unsafe String(cString: path)
  }
}

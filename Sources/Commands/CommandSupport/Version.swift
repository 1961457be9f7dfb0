import Files
import LibAV

/// The version of the programs.
package enum Version {
  package static let number = "1.1.0"

  /// The version of a program, what it was made of, and FFmpeg's libraries if they are found, which this opens.
  package static func text(of program: String) -> String {
    text(of: program, commit: commit, swift: swift, ffmpeg: ffmpeg)
  }

  /// The same text, of these parts.
  ///
  /// - Parameters:
  ///   - commit: The abbreviated name of the commit; `nil` if the program was built from source by its user.
  ///   - ffmpeg: FFmpeg's release with the version of libavformat in parentheses; `nil` without FFmpeg's libraries.
  static func text(of program: String, commit: String?, swift: String, ffmpeg: String?) -> String {
    let libraries = ffmpeg.map { $0.replacing(" (", with: ": ").replacing(")", with: "") }
    let parts = [commit.map { "commit \($0)" } ?? "from source", "Swift \(swift)", libraries ?? "no FFmpeg"]
    return "\(program) \(number) (\(parts.joined(separator: ", ")))"
  }

  /// The commit that `scripts/package` has written into the program; `nil` if it has not.
  private static var commit: String? {
    (try? PackagedFiles.inside())?["commit"].map { String(decoding: $0, as: UTF8.self) }
  }

  /// The compiler's version: its release without the last number, which the language does not tell.
  private static var swift: String {
    #if compiler(>=6.5)
      "6.5 or later"
    #elseif compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  /// FFmpeg's release and the version of libavformat, such as `FFmpeg 5.1.6 (libavformat 59.27.100)`.
  private static var ffmpeg: String? { FFmpegLibraries.found }
}

public import Basics
import Files
import LibAV

/// The beginning of a file that its edit list hides, which results from cutting a video without encoding it again.
///
/// Neither MPEG-TS nor segments can hide it, so stamped streams begin with it. Events whose times refer to the video as players of the file show it
/// are inserted later by this duration.
public enum HiddenStart {
  /// Returns how long a stamped stream shows hidden video frames before the first one that players of the file show.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isInterrupted: Asked often; `true` ends the work.
  /// - Returns: Zero for files without such a beginning, for files that cannot be read, and if the user has interrupted.
  public static func duration(of path: String, isInterrupted: @escaping @Sendable () -> Bool = { false }) -> MediaTime {
    guard isMovie(path), let media = try? openMedia(path, details: .header, isInterrupted),
      let streams = try? TransportStreamRemuxer.carriedStreams(of: media),
      var scan = try? InputScan(media, copying: streams)
    else { return .zero }
    return (try? scan.hiddenVideo()) ?? .zero
  }

  /// Whether a regular file begins as MP4 and QuickTime do. Only these containers have edit lists, and FFmpeg would read much of a long recording in
  /// another one.
  private static func isMovie(_ path: String) -> Bool {
    guard FileIdentity(path: path) != nil, var file = try? FileInput(path: path, part: 0..<8), (try? file.fill()) ?? false else {
      return false
    }
    let type = String(decoding: [UInt8](copying: file.bytes).dropFirst(4), as: UTF8.self)
    return ["ftyp", "moov", "mdat", "free", "skip", "wide"].contains(type)
  }
}

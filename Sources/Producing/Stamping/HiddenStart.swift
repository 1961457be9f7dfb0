public import Basics
import Files
import LibAV

/// The beginning of a file that its edit list hides, where a part of a video was cut without encoding it anew.
///
/// Neither MPEG-TS nor segments can hide it: stamped streams begin with it. Events that are meant for the video as players of the file show it go in
/// later by that.
public enum HiddenStart {
  /// For how long a stamped stream shows video frames that players of the file do not, before the first that they do.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isInterrupted: Asked often; `true` ends the work.
  /// - Returns: Zero for files without such a beginning, for files that cannot be read, and where the user has interrupted.
  public static func duration(of path: String, isInterrupted: @escaping @Sendable () -> Bool = { false }) -> MediaTime {
    guard isMovie(path), let media = try? openMedia(path, isInterrupted),
      let streams = try? TransportStreamRemuxer.carriedStreams(of: media),
      var scan = try? InputScan(media, copying: streams)
    else { return .zero }
    return (try? scan.hiddenVideo()) ?? .zero
  }

  /// Whether a regular file begins as MP4 and QuickTime do. Of the containers that are read only these have edit lists, and asking FFmpeg about
  /// the others would read much of a long recording.
  private static func isMovie(_ path: String) -> Bool {
    guard FileIdentity(path: path) != nil, var file = try? FileInput(path: path, part: 0..<8), (try? file.fill()) ?? false else {
      return false
    }
    let type = String(decoding: [UInt8](copying: file.bytes).dropFirst(4), as: UTF8.self)
    return ["ftyp", "moov", "mdat", "free", "skip", "wide"].contains(type)
  }
}

import Basics
import EventReading
import HLSReading
import ID3
import ReadingJSON

// The lines of `inspect --json`, with segments and renditions of a presentation.

extension StreamItem {
  /// The item as `inspect --json` prints it.
  ///
  /// - Parameters:
  ///   - isDuplicate: Whether an earlier copy had the same content.
  ///   - source: The segment of a presentation that contains it.
  ///   - choice: The rendition, if several are read.
  func line(isDuplicate: Bool, in source: HLSSource? = nil, of choice: HLSChoice? = nil) -> JSONObject {
    object(isDuplicate: isDuplicate, segment: source?.uri).with("rendition", choice?.uri)
  }

  /// The item as `inspect --all --json` prints it: a tag has the type `id3`.
  func lineOfAll(isDuplicate: Bool, in source: HLSSource?, of choice: HLSChoice?) -> JSONObject {
    let line = line(isDuplicate: isDuplicate, in: source, of: choice)
    guard case .tag(let tag, _) = self else { return line }
    let frames = tag.frames.map { frame in
      var object = frame.object
      if let details = ID3FrameDetails(frame, version: tag.version) { object.appendAbsent(details.object) }
      return object
    }
    var all = JSONObject(fields: ["type": "id3"])
    all.appendAbsent(line, except: ["frames"])
    all.append("frames", frames)
    return all
  }
}

extension HLSNotice {
  /// What went wrong in a presentation, as `--json` prints it.
  func line(of choice: HLSChoice? = nil) -> JSONObject {
    JSONObject(fields: ["type": "notice", "what": "\(self)"]).with("rendition", choice?.uri)
  }
}

extension ID3FrameDetails {
  fileprivate var object: JSONObject {
    JSONObject(fields: [:])
      .with("language", language).with("mime", mime).with("pictureType", pictureType.map { Int($0) }).with("owner", owner)
      .with("description", description).with("value", text).with("size", size)
  }

  /// What the frame says, for people.
  var line: String {
    let words = [
      owner, mime, pictureType.map { "picture type \($0)" }, language, description.flatMap { $0.isEmpty ? nil : $0 }, text,
      size.map { $0.of("byte") },
    ]
    return words.compactMap(\.self).joined(separator: ", ")
  }
}

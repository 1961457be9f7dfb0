import Basics

// FFmpeg before 6.1 cuts five bytes off the start of every PES packet of timed ID3 that it copies, and hands tags without them to players that are
// made with it (mpegts.c). They are always the same: the identifier, and the version with its revision.

extension ID3Tag {
  /// How many bytes FFmpeg before 6.1 cuts off the start of a tag.
  public static let cutLength = 5

  /// Restores the tag at the start of `bytes` whose first five bytes are missing; `nil` if there is none. More bytes may follow it.
  ///
  /// The size must be right, and those of all frames. A version in which all frames can be read is preferred to one in which some can, and a later
  /// version to an earlier one, since tags without large frames and flags are the same in 2.3 and 2.4.
  public static func restored(_ bytes: Span<UInt8>) -> [UInt8]? {
    var partly: [UInt8]?
    for version: UInt8 in [4, 3, 2] {
      var whole: [UInt8] = [0x49, 0x44, 0x33, version, 0]
      whole.append(copying: bytes.extracting(first: ID3Header.length - cutLength))
      guard let length = encodedLength(whole.view), length - cutLength <= bytes.count else { continue }
      whole.append(copying: bytes.extracting(whole.count - cutLength..<length - cutLength))
      guard let tag = try? decode(whole.view) else { continue }
      let readable = tag.frames.count { !$0.isUnreadable }
      if readable == tag.frames.count, readable > 0 { return whole }
      if partly == nil, readable > 0 { partly = whole }
    }
    return partly
  }
}

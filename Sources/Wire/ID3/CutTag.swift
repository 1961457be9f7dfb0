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
      // Without flags, nothing but frames follows the header.
      if version > 2, whole[5] == 0, !areFrames(whole.view.extracting(ID3Header.length...), isPlain: version == 3) { continue }
      guard let tag = try? decode(whole.view) else { continue }
      let readable = tag.frames.count { !$0.isUnreadable }
      if readable == tag.frames.count, readable > 0 { return whole }
      if partly == nil, readable > 0 { partly = whole }
    }
    return partly
  }

  /// Restores a tag whose whole header of ten bytes is missing, as two passes of FFmpeg before 6.1 leave it; `nil` if `bytes` is none.
  ///
  /// All of `bytes` must be frames whose sizes are right. Version 2.4 writes sizes with seven bits a byte and 2.3 with eight, so that both can be right
  /// only if they are equal.
  public static func restoredHeader(_ bytes: Span<UInt8>) -> [UInt8]? {
    guard let size = SynchsafeInteger.encode(bytes.count) else { return nil }
    for version: UInt8 in [4, 3] where areFrames(bytes, isPlain: version == 3) {
      var whole: [UInt8] = [0x49, 0x44, 0x33, version, 0, 0]
      for shift: UInt32 in [24, 16, 8, 0] { whole.append(UInt8(truncatingIfNeeded: size >> shift)) }
      whole.append(copying: bytes)
      if let tag = try? decode(whole.view), tag.frames.contains(where: { !$0.isUnreadable }) { return whole }
    }
    return nil
  }

  /// Whether bytes are whole frames of ID3v2.3 or 2.4 up to their end, or up to zeros.
  private static func areFrames(_ bytes: Span<UInt8>, isPlain: Bool) -> Bool {
    var position = 0
    while position < bytes.count, position == 0 || bytes[position] != 0 {
      guard bytes.count - position >= ID3Header.length else { return false }
      var bits: UInt32 = 0
      for index in 0..<4 {
        guard 0x30...0x39 ~= bytes[position + index] || 0x41...0x5A ~= bytes[position + index] else { return false }
        bits = bits << 8 | UInt32(bytes[position + 4 + index])
      }
      guard let size = isPlain ? Int(exactly: bits) : SynchsafeInteger.decode(bits), size >= 0,
        size <= bytes.count - position - ID3Header.length
      else { return false }
      position += ID3Header.length + size
    }
    return (position..<bytes.count).allSatisfy { bytes[$0] == 0 }
  }

  /// Corrects the size of a tag that states more bytes than there are, if all frames are whole; `nil` if they are not.
  public static func shortened(_ bytes: Span<UInt8>) -> [UInt8]? {
    guard let length = encodedLength(bytes), length > bytes.count, bytes.count > ID3Header.length, bytes[5] == 0, bytes[3] > 2,
      areFrames(bytes.extracting(ID3Header.length...), isPlain: bytes[3] == 3),
      let size = SynchsafeInteger.encode(bytes.count - ID3Header.length)
    else { return nil }
    var whole = [UInt8](copying: bytes)
    for (index, shift) in ([24, 16, 8, 0] as [UInt32]).enumerated() { whole[6 + index] = UInt8(truncatingIfNeeded: size >> shift) }
    guard let tag = try? decode(whole.view), tag.frames.contains(where: { !$0.isUnreadable }) else { return nil }
    return whole
  }
}

import Basics

/// What a file is that belongs to a question, by its content. There is no SVG, which is a page with scripts.
package enum MediaKind: String, CaseIterable, Sendable {
  case png, jpeg, gif, webp, avif
  case mp3, m4a, ogg, wav, flac

  /// The media type.
  package var contentType: String {
    switch self {
    case .png, .jpeg, .gif, .webp, .avif: "image/\(rawValue)"
    case .mp3: "audio/mpeg"
    case .m4a: "audio/mp4"
    case .ogg, .wav, .flac: "audio/\(rawValue)"
    }
  }

  /// Whether it is a picture and not a sound.
  package var isPicture: Bool { contentType.hasPrefix("image/") }

  /// The kind of a file; `nil` for one that no question may have.
  package init?(_ bytes: [UInt8]) {
    func has(_ text: String, at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if has("GIF87a") || has("GIF89a") {
      self = .gif
    } else if has("RIFF"), has("WEBP", at: 8) {
      self = .webp
    } else if has("RIFF"), has("WAVE", at: 8) {
      self = .wav
    } else if has("ftypavif", at: 4) || has("ftypavis", at: 4) {
      self = .avif
    } else if has("ftypM4A", at: 4) || has("ftypmp4", at: 4) || has("ftypiso", at: 4) {
      self = .m4a
    } else if has("OggS") {
      self = .ogg
    } else if has("fLaC") {
      self = .flac
    } else if has("ID3") || bytes.count > 4 && bytes[0] == 0xFF && bytes[1] & 0xE6 == 0xE2 {
      self = .mp3
    } else {
      return nil
    }
  }
}

// MARK: - Sizes

extension MediaKind {
  /// The width and the height of a picture in pixels, as browsers show it; `nil` where the file does not say them.
  package func size(of bytes: [UInt8]) -> (width: Int, height: Int)? {
    let file = PictureBytes(bytes)
    switch self {
    case .png: return file.pair(at: 16, .big32)
    case .gif: return file.pair(at: 6, .little16)
    case .webp: return file.webPSize
    case .jpeg: return file.jpegSize
    case .avif:
      guard let place = file.first("ispe") else { return nil }
      return file.pair(at: place + 8, .big32)
    case .mp3, .m4a, .ogg, .wav, .flac: return nil
    }
  }
}

/// Reads numbers of a picture file.
private struct PictureBytes {
  enum Number { case big16, big32, little16 }

  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func number(at offset: Int, _ number: Number) -> Int? {
    let count = number == .big32 ? 4 : 2
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    let part = bytes[offset..<offset + count]
    return (number == .little16 ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
  }

  /// Two numbers that follow each other.
  func pair(at offset: Int, _ kind: Number) -> (width: Int, height: Int)? {
    guard let width = number(at: offset, kind), let height = number(at: offset + (kind == .big32 ? 4 : 2), kind) else { return nil }
    return (width, height)
  }

  /// Where a text of four bytes is, among the first bytes.
  func first(_ text: String) -> Int? {
    let wanted = Array(text.utf8)
    return bytes.prefix(16_384).indices.first { bytes[$0...].starts(with: wanted) }
  }

  var webPSize: (width: Int, height: Int)? {
    guard bytes.count >= 30 else { return nil }
    func little24(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]) << 16 }
    switch String(decoding: bytes[12..<16], as: UTF8.self) {
    case "VP8X": return (little24(24) + 1, little24(27) + 1)
    case "VP8L":
      let bits = Int(bytes[21]) | Int(bytes[22]) << 8 | Int(bytes[23]) << 16 | Int(bytes[24]) << 24
      return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    case "VP8 ": return pair(at: 26, .little16).map { ($0.width & 0x3FFF, $0.height & 0x3FFF) }
    default: return nil
    }
  }

  /// The size in the frame header (ITU-T T.81, B.2.2), turned as the camera was (Exif 2.32, tag 0x112).
  var jpegSize: (width: Int, height: Int)? {
    var offset = 2
    var isTurned = false
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
      let marker = bytes[offset + 1]
      // Fill bytes, and markers without a length.
      if marker == 0xFF || marker == 0x01 || (0xD0...0xD8).contains(marker) {
        offset += marker == 0xFF ? 1 : 2
        continue
      }
      guard let length = number(at: offset + 2, .big16), length >= 2 else { return nil }
      if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
        guard let height = number(at: offset + 5, .big16), let width = number(at: offset + 7, .big16) else { return nil }
        return isTurned ? (height, width) : (width, height)
      }
      if marker == 0xE1 { isTurned = (orientation(at: offset + 4) ?? 1) > 4 }
      offset += 2 + length
    }
    return nil
  }

  /// How the camera was held, 1 to 8.
  private func orientation(at start: Int) -> Int? {
    guard bytes.count >= start + 14, bytes[start...].starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0]) else { return nil }
    let tiff = start + 6
    let isBig = bytes[tiff] == 0x4D
    func short(_ offset: Int) -> Int? { number(at: offset, isBig ? .big16 : .little16) }
    // The offset of the directory has four bytes; in a segment of 64 KiB two of them count.
    guard let place = short(tiff + (isBig ? 6 : 4)), let count = short(tiff + place) else { return nil }
    for entry in 0..<min(count, 64) {
      let offset = tiff + place + 2 + entry * 12
      if short(offset) == 0x112 { return short(offset + 8) }
    }
    return nil
  }
}

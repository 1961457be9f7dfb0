import Basics
import Sheets

/// The encoding of a text that need not be UTF-8: spreadsheets save tables in the traditional encoding of their system.
enum TextEncoding: Equatable {
  case utf8, utf16LittleEndian, utf16BigEndian
  /// Windows-1252, of Western Europe and America.
  case western
  /// Windows-1250, of Central Europe.
  case central

  /// The number of bytes that are examined to detect the encoding.
  private static let sampleLength = 65_536

  /// Detects the encoding of a text.
  init(of bytes: [UInt8]) {
    if bytes.starts(with: [0xFF, 0xFE]) {
      self = .utf16LittleEndian
    } else if bytes.starts(with: [0xFE, 0xFF]) {
      self = .utf16BigEndian
    } else if let order = Self.byteOrder(bytes) {
      self = order
    } else if String(validating: bytes, as: UTF8.self) != nil {
      self = .utf8
    } else {
      self = Self.isCentral(bytes) ? .central : .western
    }
  }

  /// Returns the text in UTF-8, and a notice about it; the unchanged bytes if they turn out not to be UTF-16.
  func utf8(_ bytes: [UInt8]) -> (bytes: [UInt8], notice: String?) {
    switch self {
    case .utf8: return (bytes, nil)
    case .utf16LittleEndian: return (Self.utf8(bytes, low: 0), nil)
    case .utf16BigEndian: return (Self.utf8(bytes, low: 1), nil)
    case .western: return (Self.utf8(bytes, Self.upperWestern), "this is not UTF-8, and is read as Windows-1252; look at its letters")
    case .central: return (Self.utf8(bytes, Self.upperCentral), "this is not UTF-8, and is read as Windows-1250; look at its letters")
    }
  }

  /// Detects UTF-16 without a byte order mark: every second byte is often zero, and the others never are.
  private static func byteOrder(_ bytes: [UInt8]) -> TextEncoding? {
    let sample = bytes.prefix(sampleLength)
    guard sample.count >= 4, sample.count % 2 == 0 || bytes.count > sampleLength else { return nil }
    var zeros = [0, 0]
    for (index, byte) in sample.enumerated() where byte == 0 { zeros[index & 1] += 1 }
    guard zeros.contains(0), zeros[0] + zeros[1] > sample.count / 8 else { return nil }
    return zeros[1] > 0 ? .utf16LittleEndian : .utf16BigEndian
  }

  /// Whether the text is in a Central European encoding: between two letters there is a byte that is a sign in Windows-1252 and a letter in
  /// Windows-1250.
  private static func isCentral(_ bytes: [UInt8]) -> Bool {
    // Windows-1250: ł, ą, ż, Ł, ľ, Ľ, ş, ť and others; Windows-1252: ³, ¹, ¿, £, ¾, ¼, º, and signs.
    let letters: Set<UInt8> = [0xB3, 0xB9, 0xBF, 0xA3, 0xA5, 0xAF, 0xBE, 0xBC, 0x9D, 0x8D]
    func isLetter(_ byte: UInt8) -> Bool { byte.isASCIILetter || byte >= 0xC0 }
    return zip(zip(bytes, bytes.dropFirst()), bytes.dropFirst(2)).contains { pair, next in
      letters.contains(pair.1) && isLetter(pair.0) && isLetter(next)
    }
  }

  private static func utf8(_ bytes: [UInt8], low: Int) -> [UInt8] {
    let units = (0..<bytes.count / 2).lazy.map { UInt16(bytes[$0 * 2 + low]) | UInt16(bytes[$0 * 2 + 1 - low]) << 8 }
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    // Unpaired surrogates become U+FFFD, as in every reader.
    _ = transcode(units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: false) { output.append($0) }
    return output
  }

  private static func utf8(_ bytes: [UInt8], _ upper: [Unicode.Scalar]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    for byte in bytes {
      if byte < 0x80 {
        output.append(byte)
      } else {
        output.append(contentsOf: UTF8.encode(upper[Int(byte) - 0x80]) ?? UTF8.encodedReplacementCharacter)
      }
    }
    return output
  }
}

/// Percent-encoding (RFC 3986, 2.1).
package enum PercentEncoding {
  /// The characters besides letters and digits that stand for themselves everywhere (RFC 3986, 2.3).
  package static let unreserved = "-._~"

  /// The UTF-8 bytes of a text, with everything encoded except letters, digits and the characters of `kept`.
  package static func encode(_ text: String, keeping kept: String = unreserved) -> [UInt8] {
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      if byte.isASCIILetter || byte.isASCIIDigit || kept.utf8.contains(byte) {
        encoded.append(byte)
      } else {
        encoded += "%\(byte.digits(2, radix: 16))".utf8
      }
    }
    return encoded
  }

  /// The bytes with each that is not ASCII encoded, and all others as they are.
  package static func encodeNonASCII(_ bytes: [UInt8]) -> [UInt8] {
    var encoded: [UInt8] = []
    for byte in bytes { if byte < 0x80 { encoded.append(byte) } else { encoded += "%\(byte.digits(2, radix: 16))".utf8 } }
    return encoded
  }

  /// The bytes that encoded text stands for. A `%` without two hexadecimal digits is an ordinary character.
  package static func decode(_ encoded: some Collection<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = Array(encoded)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = rest.first.flatMap({ $0.hexadecimalDigit }),
        let low = rest.dropFirst().first.flatMap({ $0.hexadecimalDigit })
      {
        result.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}

extension String {
  /// The text as one component of a path.
  package var percentEncodedPart: String { String(decoding: PercentEncoding.encode(self), as: UTF8.self) }
}

extension Substring {
  /// The text that this component of a path stands for; `nil` if that is not UTF-8.
  package var removingPercentEncoding: String? {
    let bytes = PercentEncoding.decode(utf8)
    return bytes.view.firstIllFormedOffset == nil ? String(decoding: bytes, as: UTF8.self) : nil
  }
}

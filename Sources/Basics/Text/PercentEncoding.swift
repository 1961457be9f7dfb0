// Percent-encoding (RFC 3986, 2.1).

extension Substring {
  /// The text with each `%` and two hexadecimal digits as the byte that they stand for; `nil` where that is no UTF-8.
  package var removingPercentEncoding: String? {
    var bytes: [UInt8] = []
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexadecimalDigit, let low = rest.popFirst()?.hexadecimalDigit else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension String {
  /// The text as one part of a path.
  package var percentEncodedPart: String {
    var text = ""
    for byte in utf8 {
      let isUnreserved = byte.isASCIILetter || byte.isASCIIDigit || Array("-._~".utf8).contains(byte)
      if isUnreserved {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }
}

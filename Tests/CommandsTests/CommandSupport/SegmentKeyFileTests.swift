import Testing

@testable import CommandSupport

/// The key of segments.
@Suite struct SegmentKeyFileTests {
  private static let key: [UInt8] = [0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF]

  @Test(arguments: ["00112233445566778899aabbccddeeff", "00112233445566778899AABBCCDDEEFF\n", "00112233445566778899aabbccddeeff\r\n"])
  func hexadecimalDigits(text: String) {
    #expect(SegmentKeyFile.key(Array(text.utf8)) == Self.key)
  }

  /// Bytes that look like digits or spaces are bytes, too.
  @Test func sixteenBytes() {
    #expect(SegmentKeyFile.key(Self.key) == Self.key)
    let text = Array("0123456789abcde\n".utf8)
    #expect(SegmentKeyFile.key(text) == text)
  }

  @Test(arguments: [
    [], Self.key + [0], Array(Self.key.dropLast()), Array("0011223344556677889aabbccddeeff".utf8),
    Array("0011223344556677889_aabbccddeeff".utf8),
    [UInt8](repeating: 0xE9, count: 32),
  ])
  func nothingElse(bytes: [UInt8]) {
    #expect(SegmentKeyFile.key(bytes) == nil)
  }
}

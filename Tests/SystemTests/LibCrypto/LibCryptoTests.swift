import Testing

@testable import LibCrypto

/// The bytes of hexadecimal digits.
func bytes(_ hexadecimal: String) -> [UInt8] {
  let digits = Array(hexadecimal)
  return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0..<$0 + 2]), radix: 16) }
}

@Suite struct LibCryptoTests {
  @Test func saysWhatIsMissing() {
    #expect(LibCrypto.missing(for: "signing").description == "signing needs OpenSSL's libcrypto (Debian: libssl3)")
  }
}

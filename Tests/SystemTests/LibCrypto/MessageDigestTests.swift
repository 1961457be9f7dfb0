import LibCrypto
import Testing

/// FIPS 180-4's example, the message abc.
@Suite struct MessageDigestTests {
  @Test func examples() throws {
    let expected: [(MessageDigest, String)] = [
      (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        .sha384,
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
      ),
      (
        .sha512,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
      ),
    ]
    for (kind, text) in expected {
      let hexadecimal = try kind.digest(of: Array("abc".utf8)).map { byte in
        let text = String(byte, radix: 16)
        return text.count < 2 ? "0\(text)" : text
      }
      #expect(hexadecimal.joined() == text)
    }
  }
}

import Basics
import Testing

@Suite struct HexadecimalTests {
  @Test func bytesAreTwoSmallDigitsEach() {
    #expect([UInt8]([0x00, 0x0A, 0xFF, 0x10]).hexadecimal == "000aff10")
    #expect([UInt8]().hexadecimal == "")
  }

  @Test(arguments: [("", []), ("00ff", [0, 255]), ("Ab", [0xAB])]) func digitsAreRead(text: String, bytes: [UInt8]) {
    #expect([UInt8](hexadecimal: text.utf8) == bytes)
  }

  @Test(arguments: ["0", "000", "0g", " 00", "0x00", "é", "é0", "-1", "+1"]) func otherTextsAreNone(text: String) {
    #expect([UInt8](hexadecimal: text.utf8) == nil)
  }

  @Test func allBytesComeBack() {
    let all = Array(UInt8.min...UInt8.max)
    #expect([UInt8](hexadecimal: all.hexadecimal.utf8) == all)
  }
}

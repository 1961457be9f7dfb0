import Basics
import CueSheet
import GameEvents
import TestSupport
import Testing

@testable import Seals

@Suite struct SealTests {
  private let salt = "5NuYO6KuVYq+o2v272FuDg=="
  private let seal = "S1aAoNRArXmwfEix0KSEBzuJN5kvqotqG7I/hW62QvU="

  @Test func sealsAreAsTheWireFormatSays() throws {
    let guid = try #require(GUID("8549f608-7788-56d8-92fb-c4b8e21c0b5c"))
    let question = "Which metal is liquid at room temperature?"
    #expect(
      AnswerSeal.salt(key: testKey, guid: guid, question: question, answers: ["Iron", "Mercury", "Gold"], correctAnswer: 1) == salt)
    #expect(AnswerSeal.seal(salt: salt, guid: guid, correctAnswer: 1) == seal)
    #expect(AnswerSeal.verify(seal: seal, salt: salt, guid: guid, correctAnswer: 1))
    #expect(!AnswerSeal.verify(seal: seal, salt: salt, guid: guid, correctAnswer: 0))
    #expect(!AnswerSeal.verify(seal: seal, salt: "", guid: guid, correctAnswer: 1))
    #expect(!AnswerSeal.verify(seal: String(seal.dropLast()), salt: salt, guid: guid, correctAnswer: 1))
    let other = try #require(GUID("8549f608-7788-56d8-92fb-c4b8e21c0b5d"))
    #expect(!AnswerSeal.verify(seal: seal, salt: salt, guid: other, correctAnswer: 1))
  }

  @Test(
    arguments: [
      Array(0..<32), Array(0..<32) + [10], Array("000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F".utf8),
      Array("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\r\n".utf8),
      Array("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=".utf8), Array("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n".utf8),
    ] as [[UInt8]])
  func keysAreRead(contents: [UInt8]) throws {
    #expect(try SealKey(fileContents: contents) == testKey)
  }

  @Test(
    arguments: [
      [], Array("\n".utf8), Array(0..<31), Array(0..<34), Array("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh==".utf8),
      Array("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1g".utf8),
      Array("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=".utf8),
    ] as [[UInt8]])
  func otherKeysAreRefused(contents: [UInt8]) {
    #expect(throws: SealKeyError(byteCount: contents.count)) { try SealKey(fileContents: contents) }
  }

  /// The key of a stamping is computed as the wire format says, and each stamping gets another one.
  @Test func keysOfOneStamping() throws {
    let nonce = Array(repeating: UInt8(7), count: 32)
    #expect(testKey.mixed(with: nonce) == SealKey(bytes: SHA256.authenticationCode(of: nonce, key: Array(0..<32))))
    #expect(testKey.forOneStamping() != testKey.forOneStamping())
    #expect(testKey.mixed(with: nonce) != SealKey.random().mixed(with: nonce))
  }

  @Test func weakKeys() throws {
    let weak: [[UInt8]] = [
      Array(repeating: 9, count: 32), (0..<32).map { UInt8($0 % 2) }, (0..<32).map { UInt8($0 * $0 % 13) },
      (0..<32).map { UInt8($0 % 16) }, Array(repeating: 0, count: 31) + [7],
    ]
    for bytes in weak { #expect(try #require(SealKey(bytes: bytes)).isWeak, "\(bytes)") }
    var random = SeededNumbers(seed: 32)
    for _ in 0..<1_000 { #expect(SealKey(bytes: (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) })?.isWeak == false) }
    #expect(!SealKey.random().isWeak && !SealKey.random().forOneStamping().isWeak)
  }

  @Test func keysStaySecret() {
    var dumped = ""
    dump(testKey, to: &dumped)
    #expect("\(testKey) \(String(reflecting: testKey)) \(dumped)" == "SealKey(secret) SealKey(secret) - SealKey(secret)\n")
    #expect(SealKey.random() != SealKey.random())
    #expect(SealKey(bytes: Array(repeating: 0, count: 33)) == nil)
  }
}

import Testing

@testable import Basics

@Suite struct SystemNumbersTests {
  @Test func textsHaveTheirLengthAndLetters() {
    let letters = "abcdef123456"
    let texts = (0..<100).map { _ in String.random(12, of: letters) }
    #expect(texts.allSatisfy { $0.count == 12 && $0.allSatisfy { letters.contains($0) } })
    #expect(Set(texts).count == 100 && Set(texts.joined()).count == letters.count)
    #expect(String.random(0, of: letters).isEmpty)
  }

  @Test func bytesHaveTheirNumber() {
    let (one, other) = ([UInt8].random(32), [UInt8].random(32))
    #expect(one.count == 32 && other.count == 32 && one != other)
    #expect([UInt8].random(0).isEmpty)
  }
}

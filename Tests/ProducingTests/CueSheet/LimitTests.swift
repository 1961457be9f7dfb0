import CueSheet
import EventSchedule
import Testing

/// No input exhausts memory or time, or traps.
@Suite struct LimitTests {
  @Test func size() {
    let bytes = [UInt8](repeating: UInt8(ascii: "#"), count: 16 << 20 + 1)
    #expect(problems(bytes) == ["1:1: the cue sheet has \(bytes.count) bytes, above the limit of 16777216; split it"])
  }

  @Test func numberOfCues() {
    let text = "game: g\ncues:\n" + String(repeating: "- 1\n", count: 100_001)
    #expect(problems(text) == ["100003:3: there are 100001 cues, above the limit of 100000; split the sheet here"])
  }

  @Test func numberOfValues() {
    let text = "game: g\ncues: [" + String(repeating: "1,\n", count: 1_000_000) + "]\n"
    #expect(problems(text) == ["1000000:2: there are more than 2000000 values here; split the cue sheet"])
  }

  @Test func depth() {
    let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    #expect(problems(sheet("at: 1, event: x, k: \(deep)")) == ["4:56: there are more than 32 levels here; nest less deeply"])
    #expect(problems("{\"game\": \"g\", \"cues\": \(deep)}") == ["1:54: there are more than 32 levels here; nest less deeply"])
    let deepest = String(repeating: "[", count: 100_000)
    #expect(problems(deepest).count == 1)
    #expect(problems("{\"game\":" + deepest).count == 1)
  }

  private static func nestedAliases(_ use: String) -> String {
    let levels = (1...40).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1)]\n" }.joined()
    return "game: g\na0: &a0 [1]\n\(levels)\(use)\n"
  }

  @Test func aliasesOfAliases() {
    #expect(problems(Self.nestedAliases("cues: []")).count == 1)
    #expect(
      problems(Self.nestedAliases("cues: {? *a40 : 1}")) == [
        "43:8: a list, a mapping or an alias cannot be a key; write key: value with a plain key"
      ])
    #expect(
      problems(Self.nestedAliases("? *a40\n: 1")) == [
        "43:1: a list, a mapping or an alias cannot be a key; write key: value with a plain key"
      ])
    #expect(problems(Self.nestedAliases("*a40 : 1")).count == 1)
    #expect(problems(Self.nestedAliases("[*a40, 1]: 1")).count == 1)
    #expect(problems(Self.nestedAliases("{*a40: 1}: 1")).count == 1)
  }

  @Test func manyRepeatedKeys() {
    let text = "game: g\n" + String(repeating: "game: g\n", count: 200)
    #expect(problems(text) == (1...51).map { "\($0):1: the key \"game\" is here more than once; remove all but one" })
  }

  /// Each costs another reading, so that of a long text fewer are listed.
  @Test func repeatedKeysOfALongText() {
    let text = "#\(String(repeating: " ", count: 1 << 20))\n" + String(repeating: "game: g\n", count: 200)
    #expect(problems(text) == (2...5).map { "\($0):1: the key \"game\" is here more than once; remove all but one" })
  }

  @Test func keysThatCannotBeMarked() {
    #expect(
      problems("&a game: g\ngame: h\ncues: [{at: 1, event: x}]") == ["1:1: the key \"game\" is here more than once; remove all but one"])
  }

  @Test(arguments: ["quick-round.yaml", "friday-night-trivia.yaml"])
  func damagedSheetsAreReadOrRefused(name: String) throws {
    var random = Xorshift(state: 0x9E37_79B9_7F4A_7C15)
    let original = try sample(name)
    let ink = Array("{}[]:,-?*&!|>'\"#%@ \n\t0aé\\".utf8) + [0x00, 0xFF, 0xE2, 0x80, 0xA8]
    for _ in 0..<400 {
      var bytes = original
      for _ in 0...Int(random.next() % 4) {
        let place = Int(random.next() % UInt64(bytes.count))
        let byte = ink[Int(random.next() % UInt64(ink.count))]
        switch random.next() % 4 {
        case 0: bytes[place] = byte
        case 1: bytes.insert(byte, at: place)
        case 2: bytes.remove(at: place)
        default: bytes.replaceSubrange(place..<min(place + 40, bytes.count), with: bytes.suffix(Int(random.next() % 60)))
        }
      }
      let found = problems(bytes)
      #expect(found == problems(bytes))
      #expect(found.allSatisfy { !$0.contains("\n") && !$0.hasSuffix(".") })
    }
  }

  @Test func everyPrefixIsReadOrRefused() throws {
    let bytes = try sample("quick-round.yaml")
    for length in 0..<bytes.count { _ = problems(Array(bytes.prefix(length))) }
  }
}

/// A small deterministic generator.
private struct Xorshift: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

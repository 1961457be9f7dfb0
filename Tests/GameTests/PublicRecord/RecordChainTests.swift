import Basics
import GameEvents
import Testing

@testable import PublicRecord

@Suite struct RecordChainTests {
  /// Stands in for a signature: 64 bytes that follow from the message.
  private static func sign(_ message: [UInt8]) -> [UInt8] { SHA256.hash([1] + message) + SHA256.hash([2] + message) }
  private static func isSigned(_ signature: [UInt8], _ message: [UInt8]) -> Bool { signature == sign(message) }

  /// A record of four lines.
  private static func sample() -> RecordChain {
    var chain = RecordChain()
    let entries: [(RecordChain.Kind, JSONObject)] = [
      (.begin, JSONObject(fields: ["game": "a"])), (.ask, JSONObject(fields: ["question": 1, "text": "\"Où?\"\n"])),
      (.close, JSONObject(fields: ["question": 1])), (.end, JSONObject()),
    ]
    for (kind, members) in entries { chain.append(chain.line(kind, members, sign: sign)) }
    return chain
  }

  /// The place and the reason of the first line that does not continue the record.
  private static func mistake(_ lines: [String]) -> String? {
    var chain = RecordChain()
    for (place, line) in lines.enumerated() {
      do throws(RecordChain.Mistake) {
        _ = try chain.check(line, isSigned: isSigned)
        chain.append(line)
      } catch {
        return "\(place + 1): \(error)"
      }
    }
    return nil
  }

  @Test func linesAreWhatThePageSays() {
    let lines = Self.sample().lines
    let first = "{\"number\":1,\"previous\":\"\(String(repeating: "0", count: 64))\",\"type\":\"begin\",\"game\":\"a\""
    #expect(lines[0] == "\(first),\"signature\":\"\(Base64.encode(Self.sign(Array("\(first)}".utf8))))\"}")
    let second = "{\"number\":2,\"previous\":\"\(SHA256.hash(Array(lines[0].utf8)).hexadecimal)\",\"type\":\"ask\",\"question\":1"
    #expect(lines[1].hasPrefix("\(second),\"text\":\"\\\"Où?\\\"\\n\",\"signature\":\""))
    #expect(Self.sample().last == SHA256.hash(Array(lines[3].utf8)))
    #expect(RecordChain.subject(of: lines[1])?.kind == .ask && RecordChain.subject(of: lines[1])?.question == 1)
    #expect(RecordChain.subject(of: lines[3])?.kind == .end && RecordChain.subject(of: lines[3])?.question == nil)
    #expect(RecordChain.subject(of: "{}") == nil && RecordChain.subject(of: "") == nil)
  }

  @Test func wholeRecordIsRight() { #expect(Self.mistake(Self.sample().lines) == nil) }

  /// A record that was restored line by line goes on as if it had never stopped.
  @Test(arguments: 0...4) func everySplitGoesOn(split: Int) {
    var restored = RecordChain()
    for line in Self.sample().lines.prefix(split) { restored.append(line) }
    var whole = RecordChain()
    for (place, line) in Self.sample().lines.enumerated() {
      if place == split {
        #expect(restored == whole)
        #expect(restored.line(.void, JSONObject(), sign: Self.sign) == whole.line(.void, JSONObject(), sign: Self.sign))
      }
      whole.append(line)
    }
  }

  @Test func everyFlippedBitIsFound() {
    let lines = Self.sample().lines
    for (number, line) in lines.enumerated() {
      for place in line.utf8.indices {
        var bytes = Array(line.utf8)
        bytes[line.utf8.distance(from: line.utf8.startIndex, to: place)] ^= 1
        guard let changed = String(validating: bytes, as: UTF8.self) else { continue }
        var all = lines
        all[number] = changed
        // The last bits of the base64 of 64 bytes carry nothing, and then the next line misses the hash.
        #expect(Self.mistake(all) != nil || number == lines.count - 1 && Base64.decode(Array(changed.utf8)) == nil)
      }
    }
  }

  @Test func droppedSwappedAndRepeatedLinesAreFound() {
    let lines = Self.sample().lines
    #expect(Self.mistake(Array(lines.dropFirst())) == "1: number(2)")
    #expect(Self.mistake([lines[0], lines[2], lines[1], lines[3]]) == "2: number(3)")
    #expect(Self.mistake([lines[0], lines[0]]) == "2: number(1)")
    var other = RecordChain()
    other.append(other.line(.begin, JSONObject(fields: ["game": "b"]), sign: Self.sign))
    #expect(Self.mistake([other.lines[0], lines[1]]) == "2: previous")
    #expect(Self.mistake(["{}"]) == "1: unreadable")
    for cut in lines[0].utf8.indices { #expect(Self.mistake([String(lines[0][..<cut])]) == "1: unreadable") }
  }
}

@Suite struct RecordSecretsTests {
  private let secrets = RecordSecrets(secret: Array(0..<32), game: "show")

  @Test func leafHasTheAnswerAndTheTime() {
    let player = secrets.player(3, key: "client")
    #expect(
      player.leaf(.several([0, 2]), to: 1, at: MediaTime(ticks: 90_000))
        == "[\"\(player.salt(of: 1))\",\"\(player.pseudonym)\",[0,2],90000]")
    #expect(player.pseudonym.utf8.count == 16 && player.salt(of: 1).utf8.count == 32)
  }

  /// Another player, client, game or secret has other names and salts.
  @Test func nothingIsShared() {
    let players = [
      secrets.player(3, key: "client"), secrets.player(4, key: "client"), secrets.player(3, key: "-"),
      RecordSecrets(secret: Array(0..<32), game: "other").player(3, key: "client"),
      RecordSecrets(secret: Array(1..<33), game: "show").player(3, key: "client"),
    ]
    #expect(Set(players.map(\.pseudonym)).count == players.count)
    #expect(Set(players.flatMap { [$0.salt(of: 1), $0.salt(of: 2)] }).count == 2 * players.count)
  }

  @Test func receiptSignsTheLeaf() throws {
    let guid = try #require(GUID("8549f608-7788-56d8-92fb-c4b8e21c0b5c"))
    let receipt = AnswerReceipt.object(game: "show", question: guid, leaf: "[1]") { $0 }
    #expect(receipt["leaf"]?.string == "[1]" && receipt["question"]?.string == guid.text)
    #expect(receipt["signature"]?.string == Base64.encode(Array("show\n\(guid.text)\n[1]".utf8)))
  }
}

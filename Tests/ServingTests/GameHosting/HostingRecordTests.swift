import Basics
import GameEvents
import GameHosting
import Questions
import TestSupport
import Testing

/// What has happened in a game, as the store keeps it.
@Suite struct HostingRecordTests {
  private static let guid = SampleGame.guid("a \"\u{E9}\" \\")
  private static let cue = JSONObject([
    .init(key: "event", value: .string("showResults")), .init(key: "counts", value: .array([.number(JSONNumber(1)), .null, .bool(true)])),
    .init(key: "\u{1F600}", value: .object(JSONObject())),
  ])

  /// Every case, and how it is written: what a folder of an earlier version has is read for ever.
  private static let texts: [(HostingRecord, String)] = [
    (.started(guid), #"{"type":"started","guid":"a \"é\" \\"}"#),
    (.asked(guid, question: 0), #"{"type":"asked","guid":"a \"é\" \\","question":0}"#),
    (.placed(guid, at: MediaTime(ticks: 135_000)), #"{"type":"placed","guid":"a \"é\" \\","at":1.5}"#),
    (.closed(question: 7, at: MediaTime(ticks: 1)), #"{"type":"closed","question":7,"at":0.00001}"#),
    (.closed(question: 7, at: MediaTime(ticks: -90_000)), #"{"type":"closed","question":7,"at":-1}"#),
    (
      .adjusting(guid, question: 1, allottedTime: MediaTime(seconds: 20)),
      #"{"type":"adjusting","guid":"a \"é\" \\","question":1,"allottedTime":20}"#
    ), (.withdrawn(guid), #"{"type":"withdrawn","guid":"a \"é\" \\"}"#),
    (.voided(question: 499), #"{"type":"voided","question":499}"#),
    (
      .decided(guid, question: 2, cue: cue),
      #"{"type":"decided","guid":"a \"é\" \\","question":2,"cue":{"event":"showResults","counts":[1,null,true],"😀":{}}}"#
    ),
    (.decided(guid, question: 2, cue: JSONObject()), #"{"type":"decided","guid":"a \"é\" \\","question":2,"cue":{}}"#),
    (
      .ended(guid, cue: cue),
      #"{"type":"ended","guid":"a \"é\" \\","cue":{"event":"showResults","counts":[1,null,true],"😀":{}}}"#
    ),
    (.ending, #"{"type":"ending"}"#), (.finished(at: 1_800_000_000_000), #"{"type":"finished","at":1800000000000}"#),
    (.kicked(player: 999_999), #"{"type":"kicked","player":999999}"#), (.removed(player: 3), #"{"type":"removed","player":3}"#),
    (.delayed(MediaTime(ticks: 3_330_000)), #"{"type":"delayed","delay":37}"#), (.automatic(true), #"{"type":"automatic","on":true}"#),
    (.automatic(false), #"{"type":"automatic","on":false}"#),
    (
      .planned(startsAt: 1_800_000_000_000, entryOpensAt: nil), #"{"type":"planned","startsAt":1800000000000,"entryOpensAt":null}"#
    ), (.planned(startsAt: nil, entryOpensAt: -5), #"{"type":"planned","startsAt":null,"entryOpensAt":-5}"#),
    (.planned(startsAt: nil, entryOpensAt: nil), #"{"type":"planned","startsAt":null,"entryOpensAt":null}"#),
    (
      .written(question: 3, Question(text: "Which is red?", answers: ["Earth", "Mars"], correctAnswer: 1, explanation: "Rust.")),
      #"{"type":"written","question":3,"content":{"question":"Which is red?","answers":["Earth","Mars"],"correct":"Mars","explanation":"Rust."}}"#
    ), (.arranged([2, 0, 3]), #"{"type":"arranged","questions":[2,0,3]}"#), (.arranged([]), #"{"type":"arranged","questions":[]}"#),
    (.recorded("{\"a\":1}"), #"{"type":"recorded","line":"{\"a\":1}"}"#),
    (
      .erased(question: 2, leaves: [7: [0, 255], 3: [16]]),
      #"{"type":"erased","question":2,"leaves":[{"place":3,"hash":"10"},{"place":7,"hash":"00ff"}]}"#
    ), (.erased(question: 0, leaves: [:]), #"{"type":"erased","question":0,"leaves":[]}"#),
    (.command(id: ""), #"{"type":"command","id":""}"#), (.command(id: "x\n"), #"{"type":"command","id":"x\n"}"#),
  ]

  private func read(_ text: String) throws -> HostingRecord? { try HostingRecord(try #require(try JSONValue(parsing: text).object)) }

  @Test func everythingComesBack() throws {
    for (record, text) in Self.texts {
      #expect(JSONValue.object(record.object).text == text)
      #expect(try HostingRecord(record.object) == record, "\(text)")
      #expect(try read(text) == record, "\(text)")
    }
  }

  /// Every tick comes back, though times are written as seconds.
  @Test func everyTime() throws {
    var numbers = SeededNumbers(seed: 90_000)
    for index in 0..<2_000 {
      let ticks = index < 1_000 ? Int64(index) : Int64(bitPattern: numbers.next()) >> 18
      for record in [
        HostingRecord.placed(Self.guid, at: MediaTime(ticks: ticks)),
        .adjusting(Self.guid, question: 0, allottedTime: MediaTime(ticks: ticks)),
      ] {
        #expect(try HostingRecord(record.object) == record, "\(ticks) ticks")
      }
    }
  }

  /// A record lacks nothing. Of a plan the times may be missing, as they may be `null`.
  @Test func withoutAKey() {
    for (record, text) in Self.texts {
      let members = record.object.members
      for missing in members where !["startsAt", "entryOpensAt"].contains(missing.key) {
        #expect((try? HostingRecord(JSONObject(members.filter { $0.key != missing.key }))) == nil, "\(text) without \(missing.key)")
      }
    }
    #expect((try? HostingRecord(JSONObject())) == nil)
  }

  /// A value of another kind, or one that nothing can have, is no record.
  @Test func wrongValues() throws {
    let wrong: [String: [String]] = [
      "type": ["\"\"", "\"Started\"", "\"other\"", "5", "null"],
      "guid": ["\"\"", "5", "null", "{}", "\"\(String(repeating: "x", count: 129))\""],
      "question": ["-1", "1.5", "\"1\"", "null", "2147483647", "1e30", "[0]"], "at": ["\"1\"", "null", "1e300", "{}", "true"],
      "by": ["\"1\"", "null", "-1e300", "[]"], "cue": ["[]", "\"x\"", "null", "5"], "player": ["\"1\"", "1.5", "null", "-1", "1e30"],
      "on": ["0", "1", "\"true\"", "null"], "id": ["5", "null", "[]", "true"],
    ]
    for (record, text) in Self.texts {
      for member in record.object.members {
        for value in wrong[member.key] ?? [] {
          var object = record.object
          object.append(member.key, try JSONValue(parsing: value))
          #expect((try? HostingRecord(object)) == nil, "\(member.key) of \(text) is \(value)")
        }
      }
    }
  }

  /// Keys of a later version are passed over.
  @Test func furtherKeys() throws {
    for (record, text) in Self.texts {
      var object = record.object
      object.append("later", "x")
      #expect(try HostingRecord(object) == record, "\(text)")
    }
  }

  /// Texts that are cut off and changed are other records, or none; what is read is written as it is read.
  @Test(arguments: 0..<UInt64(6)) func damaged(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed, purpose: 2)
    let letters = Array("{}[]:,\"\\0123456789.-eE tnf".utf8)
    var read = 0
    for (_, text) in Self.texts {
      let bytes = Array(text.utf8)
      for count in bytes.indices {
        let cut = try? JSONValue(parsing: Array(bytes[..<count]))
        #expect(cut == nil, "\(count) bytes of \(text)")
      }
      for _ in 0..<150 {
        var changed = bytes
        for _ in 0...numbers.below(2) {
          let place = numbers.below(changed.count)
          switch numbers.below(3) {
          case 0: changed[place] = letters[numbers.below(letters.count)]
          case 1: changed.insert(letters[numbers.below(letters.count)], at: place)
          default: changed.remove(at: place)
          }
        }
        guard let object = (try? JSONValue(parsing: changed))?.object, let record = try? HostingRecord(object) else { continue }
        read += 1
        #expect(try HostingRecord(record.object) == record, "\(String(decoding: changed, as: UTF8.self))")
      }
    }
    #expect(read > 50)
  }
}

import Basics
import GameEvents
import TestSupport
import Testing

@testable import Scoring

/// Lines of records, both ways.
@Suite struct AudienceRecordTests {
  static let records: [(String, AudienceRecord)] = [
    (#"{"player":"ann"}"#, .join(nickname: "ann", at: nil)),
    (#"{"player":"ben \"b\"","joinedAt":12.5}"#, .join(nickname: "ben \"b\"", at: MediaTime(ticks: 1_125_000))),
    (
      #"{"player":"ann","question":2,"answer":1,"time":14.25}"#,
      .answer(nickname: "ann", question: .number(2), answer: .one(1), time: MediaTime(ticks: 1_282_500))
    ),
    (
      #"{"player":"Émile","question":"8549f608","answer":0,"time":-0.00001}"#,
      .answer(nickname: "Émile", question: .guid(Sample.guid("8549f608")), answer: .one(0), time: MediaTime(ticks: -1))
    ),
  ]

  private func parse(_ text: String) throws(AudienceRecordError) -> AudienceRecord {
    let bytes = Array(text.utf8)
    return try AudienceRecord(parsing: bytes.span)
  }

  @Test(arguments: records) func bothWays(text: String, record: AudienceRecord) throws {
    #expect(try parse(text) == record)
    #expect(record.line == text)
  }

  @Test func otherKeysAreIgnored() throws {
    #expect(
      try parse(#" {"time":1e0,"device":{"x":[1]},"answer":1.0,"question":1,"player":"a"} "#)
        == .answer(nickname: "a", question: .number(1), answer: .one(1), time: MediaTime(seconds: 1)))
  }

  @Test(arguments: [
    (#"[]"#, AudienceRecordError.notAnObject), (#"{"player":1}"#, .invalid(key: "player", expected: "a nickname in quotation marks")),
    (#"{"player":"a","question":0,"answer":1,"time":1}"#, .invalid(key: "question", expected: Self.question)),
    (#"{"player":"a","answer":1,"time":1}"#, .invalid(key: "question", expected: Self.question)),
    (#"{"player":"a","question":1,"time":1}"#, .invalid(key: "answer", expected: Self.answer)),
    (#"{"player":"a","question":1,"answer":[],"time":1}"#, .invalid(key: "answer", expected: Self.answer)),
    (#"{"player":"a","question":1,"answer":[0.5],"time":1}"#, .invalid(key: "answer", expected: Self.answer)),
    (#"{"player":"a","question":1,"answer":1}"#, .invalid(key: "time", expected: "seconds of the programme")),
    (#"{"player":"a","joinedAt":"1"}"#, .invalid(key: "joinedAt", expected: "seconds of the programme")),
    (#"{"player":"a","question":1,"answer":1,"time":1e99}"#, .invalid(key: "time", expected: "seconds of the programme")),
  ])
  func refusals(text: String, error: AudienceRecordError) { #expect(throws: error) { try parse(text) } }

  static let answer = "the index of an answer, from 0, a list of indices, a number, or a text of 1 to 64 characters"
  static let question = "the number of a question, from 1, or its GUID in quotation marks"

  @Test func linesHaveALimit() throws {
    let room = AudienceRecord.largestLength - #"{"player":""}"#.utf8.count
    #expect(try parse(#"{"player":"\#(String(repeating: "x", count: room))"}"#) != nil as AudienceRecord?)
    #expect(throws: AudienceRecordError.tooLong) { try parse(#"{"player":"\#(String(repeating: "x", count: room + 1))"}"#) }
  }

  @Test(arguments: records) func cutLinesAreRefused(text: String, record: AudienceRecord) {
    let bytes = Array(text.utf8)
    for length in 0..<bytes.count {
      let part = Array(bytes[..<length])
      #expect(throws: AudienceRecordError.self) { try AudienceRecord(parsing: part.span) }
    }
  }

  /// Whatever is read, writing and reading it again gives the same.
  @Test func damagedLinesAreReadOrRefused() throws {
    var generator = SeededNumbers(seed: 3)
    var readCount = 0
    for _ in 0..<4_000 {
      var bytes = Array(Self.records.randomElement(using: &generator)?.0.utf8 ?? "".utf8)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0x20..<0x80, using: &generator)
      }
      guard let record = try? AudienceRecord(parsing: bytes.span) else { continue }
      readCount += 1
      #expect(try parse(record.line) == record)
    }
    #expect(readCount > 100)
  }
}

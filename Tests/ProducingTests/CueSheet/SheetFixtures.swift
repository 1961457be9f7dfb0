import Basics
import CueSheet
import EventSchedule
import Foundation
import GameEvents
import Seals
import Sheets
import TestSupport
import Testing

/// One of the sample cue sheets.
func sample(_ name: String) throws -> [UInt8] {
  let samples = URL(filePath: #filePath).appending(path: "../../../../samples")
  return Array(try Data(contentsOf: samples.appending(path: name).standardizedFileURL))
}

func parse(_ text: String, policy: CopyPolicy = CopyPolicy(), answers: CueSheet.AnswerMode = .sealed(testKey)) throws -> CueSheet {
  try CueSheet.parse(text, policy: policy, answers: answers)
}

/// The mistakes in a text, each as `line:column: message`.
func problems(_ text: String, policy: CopyPolicy = CopyPolicy()) -> [String] {
  problems(Array(text.utf8), policy: policy)
}

func problems(_ bytes: [UInt8], policy: CopyPolicy = CopyPolicy()) -> [String] {
  do throws(CueSheetError) {
    _ = try CueSheet.parse(bytes, policy: policy, answers: .sealed(testKey))
    return []
  } catch {
    return error.problems.map(\.description)
  }
}

/// A sheet of these cues, each in a line of its own from line 4 on, beginning in column 5.
func sheet(_ cues: String...) -> String {
  "game: g\ntitle: T\ncues:\n" + cues.map { "  - { \($0) }\n" }.joined()
}

/// A question with the answers A, B and C.
func question(at time: String, _ more: String = "correct: A") -> String {
  "at: \(time), event: askQuestion, question: Q, answers: [A, B, C], \(more)"
}

extension GameEvent {
  init(_ guid: String, _ game: String, _ sequence: Int, at ticks: Int64, _ content: EventContent) throws {
    let guid = try #require(GUID(guid))
    self.init(guid: guid, game: game, sequence: sequence, at: MediaTime(ticks: ticks), content: content)
  }
}

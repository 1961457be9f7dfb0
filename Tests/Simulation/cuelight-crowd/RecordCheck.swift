import Basics
import NIOCore
import Synchronization

/// Compares the record of a game with what the players have sent, line by line as it comes: it may have a hundred megabytes.
final class RecordCheck: Sendable {
  /// What was found.
  struct Finding: Equatable, Sendable {
    /// Answers of this crowd's players in the record.
    var lines = 0
    /// Answers that were acknowledged and are not in the record.
    var missing = 0
    /// Answers in the record that the player never sent.
    var unknown = 0
    /// Lines that cannot be read.
    var unreadable = 0
    /// The first of them, to look into.
    var examples: [String] = []

    fileprivate mutating func add(_ example: String) {
      if examples.count < 10 { examples.append(example) }
    }
  }

  private struct State {
    /// By squads, and the questions that they were asked.
    var sheets: [[AnswerSheet]]
    var finding = Finding()
    /// The beginning of a line.
    var rest = ByteBuffer()
    /// Whether a line is so long that the rest of it is left out.
    var isSkipping = false
  }

  private let script: CrowdScript
  /// The players of each squad.
  private let squads: [Range<Int>]
  /// The places of questions.
  private let places: [String: Int]
  private let state: Mutex<State>

  private static let longestLine = 64 << 10

  /// - Parameters:
  ///   - squads: The players of each squad.
  ///   - sheets: What each squad has sent; each was asked the same questions.
  init(_ script: CrowdScript, squads: [Range<Int>], sheets: [[AnswerSheet]]) {
    (self.script, self.squads) = (script, squads)
    let guids = (sheets.first ?? []).map(\.question.guid)
    places = Dictionary(zip(guids, guids.indices)) { first, _ in first }
    state = Mutex(State(sheets: sheets))
  }

  /// Begins again, with the first line of the record.
  func restart() {
    state.withLock { state in
      (state.finding, state.rest, state.isSkipping) = (Finding(), ByteBuffer(), false)
    }
  }

  /// Takes a piece of the record.
  func take(_ bytes: ByteBuffer) {
    state.withLock { state in
      state.rest.writeImmutableBuffer(bytes)
      while let end = state.rest.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
        let line = state.rest.readSlice(length: end - state.rest.readerIndex)
        state.rest.moveReaderIndex(forwardBy: 1)
        if let line, !state.isSkipping { read(line, &state) }
        state.isSkipping = false
      }
      state.rest.discardReadBytes()
      if state.rest.readableBytes > Self.longestLine {
        if !state.isSkipping { state.finding.unreadable += 1 }
        state.isSkipping = true
        state.rest.clear()
      }
    }
  }

  /// What was found, once the record is at its end.
  func finish() -> Finding {
    state.withLock { state in
      if state.rest.readableBytes > 0 {
        // The last line has an end as well, unless something is cut off.
        state.finding.unreadable += 1
      }
      var finding = state.finding
      for (squad, sheets) in state.sheets.enumerated() {
        for sheet in sheets {
          sheet.forEachMissing { player, entry in
            finding.missing += 1
            let nickname = script.nickname(of: squads[squad].lowerBound + Int(player))
            let time = sheet.question.opensAt + MediaTime(ticks: Int64(entry.offset))
            finding.add(
              "missing: \(nickname), question \(sheet.question.guid), answer \(sheet.question.answers.texts[Int(entry.answer)]), \(time.decimalSeconds)"
            )
          }
        }
      }
      return finding
    }
  }

  private func read(_ line: ByteBuffer, _ state: inout State) {
    guard let object = (try? JSONValue(parsing: line.readableBytesUInt8Span))?.object, let nickname = object["player"]?.string else {
      state.finding.unreadable += 1
      return state.finding.add("unreadable: \(String(buffer: line).prefix(200))")
    }
    // Lines without a question say who joins; others are of players who are not of this crowd.
    guard let question = object["question"], let player = script.player(of: nickname) else { return }
    guard let squad = squads.firstIndex(where: { $0.contains(player) }) else { return }
    state.finding.lines += 1
    guard let place = question.string.flatMap({ places[$0] }), let value = object["answer"],
      let time = object["time"]?.number.flatMap({ MediaTime(decimalSeconds: $0.text) }), place < state.sheets[squad].count,
      let answer = state.sheets[squad][place].question.answers.index(of: value)
    else { return addUnknown(line, &state) }
    let offset = (time - state.sheets[squad][place].question.opensAt).ticks
    guard state.sheets[squad][place].find(UInt32(player - squads[squad].lowerBound), answer: answer, offset: offset) else {
      return addUnknown(line, &state)
    }
  }

  private func addUnknown(_ line: ByteBuffer, _ state: inout State) {
    state.finding.unknown += 1
    state.finding.add("never sent: \(String(buffer: line).prefix(200))")
  }
}

import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Testing

@testable import GameServer

/// What the requests of a connection with answers are doing.
@Suite struct AnswerStateTests {
  private struct Failure: Error {}

  private func text(_ parts: [HTTPRequestPart]) -> [String] {
    parts.map { part in
      switch part {
      case .head(let request): request.path ?? ""
      case .body(let bytes): String(buffer: bytes)
      case .end: "end"
      }
    }
  }

  /// The router may work on several requests; answers begin when it has none.
  @Test func passing() {
    var state = AnswerState.passing(requests: 0)
    #expect(state.isIdle && state.endReading() == nil && !state.makeLast())
    state.pass()
    state.pass()
    #expect(!state.isIdle)
    state.noteReply()
    #expect(!state.isIdle)
    state.noteReply()
    #expect(state.isIdle)
    // Nothing is held: it passes.
    #expect(!state.hold(.end(nil)) && !state.holdRead() && !state.holdEnd() && !state.hold(Failure()) && !state.holdAgain(.init(), from: 0))
  }

  /// What comes while an answer waits comes after the reply, in order, and nothing of it is lost if the next answer waits, too.
  @Test func holding() {
    var state = AnswerState.passing(requests: 0)
    state.beginStoring(isLast: false)
    #expect(!state.isIdle && state.endReading() == nil)
    for name in ["a", "b", "c"] { #expect(state.hold(.body(ByteBuffer(string: name)))) }
    #expect(state.holdRead() && state.holdEnd() && state.hold(Failure()))
    let held = state.endStoring()
    #expect(text(held.parts) == ["a", "b", "c"] && held.wantsRead && held.hasEnded && held.error is Failure && !held.isLast)
    #expect(state.isIdle && !state.holdAgain(held, from: 0))
    // The first part was an answer, which waits by now.
    state.beginStoring(isLast: false)
    #expect(state.hold(.body(ByteBuffer(string: "d"))) && state.holdAgain(held, from: 1))
    let again = state.endStoring()
    #expect(text(again.parts) == ["b", "c", "d"] && again.wantsRead && again.hasEnded && again.error is Failure)
  }

  /// A connection ends with the reply to the answer that waits when the server ends.
  @Test func last() {
    var state = AnswerState.passing(requests: 0)
    state.beginStoring(isLast: false)
    #expect(state.makeLast() && state.endStoring().isLast)
    state.beginStoring(isLast: true)
    #expect(state.endStoring().isLast)
  }
}

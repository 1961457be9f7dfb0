import Basics
import HTTPTypes
import Testing
import WebShell
import WebSupport

@testable import GameServer

/// What is known of a call besides its path.
@Suite struct GameCallTests {
  // MARK: Bodies

  private func call(_ body: [UInt8], _ name: String = "join", query: [String: String] = [:]) throws -> GameCall {
    let entry = try #require(GameAPI.calls.first { $0.name == name })
    return GameCall(call: entry, parts: [:], query: query, body: body, caller: Caller(address: "", isLocal: false))
  }

  private func problem(_ body: [UInt8]) -> String? {
    do {
      _ = try call(body).object()
      return nil
    } catch let error as Problem {
      return "\(error.status.code) \(error.kind)"
    } catch {
      return "\(error)"
    }
  }

  @Test func bodies() throws {
    #expect(try call(Array("{\"a\":1}".utf8)).object().text == "{\"a\":1}")
    #expect(problem([]) == "400 invalid" && problem(Array("{".utf8)) == "400 invalid" && problem([0xFF]) == "422 invalid")
    for text in ["[]", "5", "null", "\"x\""] { #expect(problem(Array(text.utf8)) == "422 invalid") }
    // No call reads more than it takes.
    let long = Array("{\"a\":\"\(String(repeating: "x", count: 4 << 10))\"}".utf8)
    #expect(problem(long) == "400 invalid")
    #expect(try call(long, "makeGame").object().count == 1)
  }

  /// A number of the query is one of its range, or the call is refused.
  @Test func numbers() throws {
    func number(_ text: String?) throws -> Int? {
      try call([], query: text.map { ["from": $0] } ?? [:]).number("from", in: 1...100)
    }
    #expect(try number(nil) == nil && number("1") == 1 && number("100") == 100)
    for text in ["", "0", "101", "-1", "1.5", "1e2", "9223372036854775808", "-9223372036854775808", "\u{661}", "0x10", "1_0"] {
      #expect(throws: Problem.self, "\(text)") { try number(text) }
    }
  }

  // MARK: Names of players

  @Test func playerKeys() {
    let hashes = Set((0..<200).map { PlayerKey.hash("client \($0)") } + [PlayerKey.hash(""), PlayerKey.hash("Client 0")])
    #expect(hashes.count == 202)
    #expect(PlayerKey.hash("client 0") == PlayerKey.hash("client 0"))
    #expect(PlayerKey.text(0) == "0" && PlayerKey.text(35) == "z" && PlayerKey.text(.max) == "3w5e11264sgsf")
  }

  @Test func steadyClock() {
    var last = SteadyClock.now
    for _ in 0..<1_000 {
      let now = SteadyClock.now
      #expect(now >= last)
      last = now
    }
  }
}

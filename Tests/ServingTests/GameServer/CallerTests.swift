import Basics
import HTTPTypes
import Testing
import WebSupport

@testable import GameServer

/// What is known of a call besides its path.
@Suite struct CallerTests {
  // MARK: Bodies

  private func call(_ body: [UInt8], _ endpoint: GameEndpoint = .join) -> GameCall {
    GameCall(endpoint: endpoint, parts: [:], query: [:], headers: HTTPFields(), body: body, address: "", isLocal: false)
  }

  private func problem(_ body: [UInt8]) -> String? {
    do throws(Problem) {
      _ = try call(body).object()
      return nil
    } catch {
      return "\(error.status.code) \(error.kind)"
    }
  }

  @Test func bodies() throws {
    #expect(try call(Array("{\"a\":1}".utf8)).object().text == "{\"a\":1}")
    #expect(problem([]) == "400 invalid" && problem(Array("{".utf8)) == "400 invalid" && problem([0xFF]) == "422 invalid")
    for text in ["[]", "5", "null", "\"x\""] { #expect(problem(Array(text.utf8)) == "422 invalid") }
    // No call reads more than it takes.
    let long = Array("{\"a\":\"\(String(repeating: "x", count: GameEndpoint.join.largestBody))\"}".utf8)
    #expect(problem(long) == "400 invalid")
    #expect(try call(long, .makeGame).object().count == 1)
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

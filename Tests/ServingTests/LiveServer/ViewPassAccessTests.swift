import Foundation
import HTTPTypes
import LiveInterface
import Testing
import WebShell
import WebSupport

@testable import AccessTokens
@testable import LiveServer

/// Players with view tokens: how they come in, and what they carry on.
@Suite struct ViewPassAccessTests {
  private static let viewer = "view-0123456789abcdef"
  private static let reader = "read-0123456789ABCDEF"
  private static let caller = Caller(address: "192.0.2.1", isLocal: false)

  private let tokens: CurrentTokens
  private let access: Access

  init() throws {
    tokens = CurrentTokens(try Tokens(fileContents: Array("view \(Self.viewer)\nread \(Self.reader)".utf8)))
    access = Access(stream: "a b", tokens: tokens, origins: [])
  }

  private func request(_ path: String, _ query: [String: String] = [:]) -> APIRequest {
    var request = APIRequest(method: "GET", path: path, isLocal: false)
    (request.query, request.token) = (query, query["token"])
    return request
  }

  private func status(_ path: String, _ query: [String: String] = [:]) -> Int {
    do throws(Problem) {
      _ = try access.authorize(request(path, query), of: Self.caller)
      return 200
    } catch {
      return Int(error.status.code)
    }
  }

  /// Where a player is led.
  private func entry(_ path: String, _ query: [String: String]) throws -> String? {
    guard let answer = access.entry(try access.authorize(request(path, query), of: Self.caller)) else { return nil }
    #expect(answer.status == .temporaryRedirect && answer.headers.contains { $0.0 == .cacheControl && $0.1 == "no-store" })
    return answer.headers.first { $0.0 == .location }?.1
  }

  @Test func entering() throws {
    let location = try #require(try entry("/live/a%20b/index.m3u8", ["token": Self.viewer]))
    // Relative, so that it is right behind a proxy, too.
    let parts = location.split(separator: "/")
    #expect(parts.count == 2 && parts[0].hasPrefix("~") && parts[1] == "index.m3u8" && !location.contains(Self.viewer))
    for file in ["index.m3u8", "media.m3u8", "manifest.mpd", "a1b2-7.ts"] { #expect(status("/live/a%20b/\(parts[0])/\(file)") == 200) }
    // What players ask for besides is carried on.
    let reload = try entry("/live/a%20b/media.m3u8", ["token": Self.viewer, "_HLS_msn": "7", "_HLS_part": "1"])
    #expect(reload == "\(parts[0])/media.m3u8?_HLS_msn=7&_HLS_part=1")
  }

  /// A token with more rights makes no pass, and who has a pass does not get another one.
  @Test func others() throws {
    #expect(try entry("/live/a%20b/index.m3u8", ["token": Self.reader]) == nil)
    let pass = ViewPass.text(stream: "a b", token: Self.viewer, now: now)
    #expect(try entry("/live/a%20b/\(pass)/index.m3u8", ["token": Self.viewer]) == nil)
    #expect(status("/live/a%20b/index.m3u8") == 401 && status("/live/a%20b/index.m3u8", ["token": "view-fedcba9876543210"]) == 401)
  }

  private var now: Int64 { Int64(Date().timeIntervalSince1970) }

  @Test func refused() throws {
    let pass = ViewPass.text(stream: "a b", token: Self.viewer, now: now)
    #expect(status("/live/a%20b/\(pass)x/index.m3u8") == 403 && status("/live/a%20b/~/index.m3u8") == 403)
    #expect(status("/live/a%20b/folder/index.m3u8") == 404 && status("/live/other/\(pass)/index.m3u8") == 403)
    let old = ViewPass.text(stream: "a b", token: Self.viewer, now: now - 3 * ViewPass.life)
    #expect(status("/live/a%20b/\(old)/index.m3u8") == 403)
    let other = ViewPass.text(stream: "other", token: Self.viewer, now: now)
    #expect(status("/live/other/\(other)/index.m3u8") == 404)
    // A pass allows to watch, and nothing else.
    #expect(status("/v1/streams/a%20b/now", ["token": pass]) == 401)
  }

  /// The pass ends with its token. If no view tokens are left, everybody may watch, and so may those who came with a pass.
  @Test func withdrawn() throws {
    let path = "/live/a%20b/\(ViewPass.text(stream: "a b", token: Self.viewer, now: now))/index.m3u8"
    #expect(status(path) == 200)
    tokens.replace(by: try Tokens(fileContents: Array("view view-fedcba9876543210".utf8)))
    #expect(status(path) == 403)
    tokens.replace(by: try Tokens(fileContents: Array("read \(Self.reader)".utf8)))
    #expect(status(path) == 200 && status("/live/a%20b/index.m3u8") == 200)
  }

  /// No log has a pass.
  @Test func logs() {
    #expect(LiveServer.shownPath("/live/a%20b/~1.AbC/index.m3u8") == "/live/a%20b/~/index.m3u8")
    #expect(LiveServer.shownPath("/live/live/index.m3u8") == "/live/live/index.m3u8" && LiveServer.shownPath("/metrics") == "/metrics")
  }
}

import Basics
import Foundation
import HTTPTypes
import TestSupport
import Testing
import WebSupport

@testable import WebPages

/// The pages of the game server: what there is, and what browsers are told of it.
@Suite struct WebPagesTests {
  /// Each page, with the site that has it.
  static let pages: [(WebPages.Site, String)] = [(.games, "/play"), (.games, "/host"), (.games, "/make"), (.preview, "/")]
  private static let digest = "sha384-" + String(repeating: "a", count: 64)

  private func header(_ answer: Answer?, _ name: String) -> String? { answer?.headers.first { $0.0.rawName == name }?.1 }

  private func text(_ answer: Answer?) -> String { String(decoding: answer?.body ?? [], as: UTF8.self) }

  /// The addresses that a text names in quotes, from this beginning on.
  private func addresses(in text: String, from start: String) -> [String] {
    text.split(separator: "\"").map { String($0) }.filter { $0.hasPrefix(start) }
  }

  @Test(
    arguments: [
      ("/", "text/html; charset=utf-8"), ("/play", "text/html; charset=utf-8"), ("/host", "text/html; charset=utf-8"),
      ("/screen", "text/html; charset=utf-8"), ("/overlay", "text/html; charset=utf-8"), ("/web/screen.css", "text/css; charset=utf-8"),
      ("/web/style.css", "text/css; charset=utf-8"), ("/web/game.mjs", "text/javascript; charset=utf-8"),
      ("/web/messages.en.mjs", "text/javascript; charset=utf-8"), ("/web/icon.svg", "image/svg+xml"),
      ("/web/cuelight-client/cuelight-client.js", "text/javascript; charset=utf-8"),
      ("/web/cuelight-client/cuelight-client.wasm", "application/wasm"),
    ]) func files(path: String, contentType: String) throws
  {
    let pages = WebPages(reader: ["cuelight-client.js": [1], "cuelight-client.wasm": [2]])
    let answer = try #require(pages.answer("GET", path))
    #expect(answer.status == .ok && answer.contentType == contentType && !answer.body.isEmpty)
    #expect(header(answer, "X-Content-Type-Options") == "nosniff" && header(answer, "Referrer-Policy") == "no-referrer")
    #expect(header(answer, "Cache-Control") == "no-cache")
    #expect(pages.answer("HEAD", path)?.status == .ok)
    let refused = try #require(pages.answer("POST", path))
    #expect(refused.status == .methodNotAllowed && header(refused, "Allow") == "GET, HEAD")
  }

  @Test(arguments: ["", "/web", "/web/", "/web/other.mjs", "/web/../play", "/play/", "/v1", "/web/cuelight-client/cuelight-client.js"])
  func pathsWithoutAFile(path: String) {
    #expect(WebPages().answer("GET", path) == nil)
  }

  /// What a client has is not sent again, also where a proxy has made the tag weak or the client knows several.
  @Test func validators() throws {
    let pages = WebPages()
    let tag = try #require(header(pages.answer("GET", "/play"), "ETag"))
    for known in [tag, "W/\(tag)", "\"other\", \(tag)"] {
      let answer = try #require(pages.answer("GET", "/play", known: known))
      #expect(answer.status == .notModified && answer.body.isEmpty && header(answer, "ETag") == tag)
    }
    #expect(pages.answer("GET", "/play", known: "\"other\"")?.status == .ok)
    #expect(header(pages.answer("GET", "/host"), "ETag") != tag)
  }

  /// What a browser takes compressed comes compressed, with a validator of its own, and others get the file as it is.
  @Test func compressed() throws {
    let pages = WebPages(
      reader: ["cuelight-client.js": [1], "cuelight-client.js.br": [2], "cuelight-client.js.gz": [3], "cuelight-client.wasm": [4]],
      library: PlayerLibrary(.file([5]), integrity: Self.digest, compressed: [.gzip: [6]]))
    let reader = "/web/cuelight-client/cuelight-client.js"
    for (path, accepted, body, coding) in [
      (reader, nil, [1], nil), (reader, "gzip, deflate, br", [2], "br"), (reader, "GZIP;q=0.5", [3], "gzip"),
      (reader, "br;q=0, x-br", [1], nil), (reader, "br ; q=0.0,gzip; q=1", [3], "gzip"),
      ("/web/cuelight-client/cuelight-client.wasm", "br", [4], nil),
      ("/web/player-library.mjs", "br", [5], nil), ("/web/player-library.mjs", "br, gzip", [6], "gzip"),
    ] as [(String, String?, [UInt8], String?)] {
      let answer = try #require(pages.answer("GET", path, accepted: accepted))
      #expect(answer.body == body && header(answer, "Content-Encoding") == coding, "\(path) \(accepted ?? "")")
      let hasForms = !path.hasSuffix(".wasm")
      #expect(header(answer, "Vary") == (hasForms ? "Accept-Encoding" : nil))
      let tag = try #require(header(answer, "ETag"))
      let known = pages.answer("GET", path, known: tag, accepted: accepted)
      #expect(known?.status == .notModified && header(known, "Content-Encoding") == nil)
    }
    #expect(pages.answer("GET", "\(reader).br") == nil)
  }

  /// Each of the pages' own files comes as gzip where a browser takes it, as `gzip` reads it.
  @Test func ownFilesAreCompressed() throws {
    let pages = WebPages()
    let folder = Programs.makeFolder("pages")
    for path in ["/play", "/host", "/screen", "/web/style.css", "/web/game.mjs", "/web/messages.ar.mjs", "/web/icon.svg"] {
      let plain = try #require(pages.answer("GET", path))
      let answer = try #require(pages.answer("GET", path, accepted: "gzip, deflate, br"))
      #expect(
        header(answer, "Content-Encoding") == "gzip" && header(answer, "Vary") == "Accept-Encoding" && answer.body.count < plain.body.count)
      let file = "\(folder)/file.gz"
      try Data(answer.body).write(to: URL(filePath: file))
      #expect(Programs.run("gzip", ["-dc", file]) == text(plain))
    }
  }

  /// What a viewer's page loads before anything is shown: the page, its styles, and modules, of which none is found only after another one has come.
  @Test func firstLoad() throws {
    let pages = WebPages()
    let page = text(pages.answer("GET", "/play"))
    let preloaded = Set(addresses(in: page, from: "/web/").filter { $0.hasSuffix(".mjs") })
    var modules = ["/web/game.mjs"]
    var place = 0
    while place < modules.count {
      let source = text(pages.answer("GET", modules[place]))
      let imported = source.split(separator: "\n").filter { $0.hasPrefix("import ") }.flatMap { addresses(in: String($0), from: "./") }
      modules += imported.map { "/web/\($0.dropFirst(2))" }.filter { !modules.contains($0) }
      place += 1
    }
    #expect(Set(modules) == preloaded)
    let styles = addresses(in: page, from: "/web/").filter { $0.hasSuffix(".css") || $0.hasSuffix(".svg") }
    let files = ["/play", "/web/messages.en.mjs"] + modules + styles
    let sizes = try files.map { path in try #require(pages.answer("GET", path, accepted: "gzip")).body.count }
    // With Brotli that a proxy may use it is 39 kB; the game's reader and the player library come beside it.
    #expect(sizes.reduce(0, +) < 51_000, "\(Array(zip(files, sizes)))")
  }

  /// A preview has a page of its own, and none for players and hosts.
  @Test func preview() {
    let pages = WebPages(.preview)
    #expect(text(pages.answer("GET", "/")).contains("/web/preview.mjs"))
    for path in ["/play", "/host"] { #expect(pages.answer("GET", path) == nil) }
    #expect(pages.answer("GET", "/web/style.css") != nil && WebPages().answer("GET", "/web/preview.mjs") != nil)
    let policy = header(
      WebPages(.preview, streamOrigins: ["https://b.example", "https://a.example"]).answer("GET", "/"), "Content-Security-Policy")
    #expect(policy?.contains("connect-src 'self' https://a.example https://b.example;") == true)
  }

  @Test func policy() {
    let usual = header(WebPages().answer("GET", "/play"), "Content-Security-Policy")
    #expect(
      usual == "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; frame-ancestors 'self'; base-uri 'none'; "
        + "form-action 'self'; img-src 'self' https:; media-src 'self' blob: https:; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    let library = PlayerLibrary(.address("https://cdn.example/hls@1.6.15/hls.mjs"), integrity: Self.digest)
    let policy = header(
      WebPages(library: library, streamOrigins: ["https://live.example:8443"]).answer("GET", "/host"), "Content-Security-Policy")
    #expect(policy?.contains("script-src 'self' 'wasm-unsafe-eval' https://cdn.example/hls@1.6.15/hls.mjs;") == true)
    #expect(
      policy?.contains("media-src 'self' blob: https: https://live.example:8443; connect-src 'self' https://live.example:8443;") == true)
    // What would be read as another rule is left out.
    let odd = header(WebPages(streamOrigins: ["https://a; script-src *"]).answer("GET", "/"), "Content-Security-Policy")
    #expect(odd == usual)
  }

  /// A page says what it can load, and nothing of what is not there.
  @Test func heads() {
    let bare = text(WebPages().answer("GET", "/play"))
    #expect(bare.contains(#"<meta name="cuelight-languages" content="en ar de es fr hi it ja nl pl pt tr zh">"#))
    #expect(!bare.contains("cuelight-reader") && !bare.contains("cuelight-player-library") && !bare.contains("<!--cuelight-->"))
    let file = WebPages(reader: ["cuelight-client.js": [1]], library: PlayerLibrary(.file([3]), integrity: Self.digest))
    for path in ["/", "/play", "/host"] {
      let page = text(file.answer("GET", path))
      #expect(page.contains(#"<meta name="cuelight-reader" content="/web/cuelight-client/cuelight-client.js">"#))
      #expect(page.contains(#"<meta name="cuelight-player-library" content="/web/player-library.mjs">"#))
      #expect(page.contains("src=\"/web/player-library.mjs\" integrity=\"\(Self.digest)\""))
    }
    #expect(file.answer("GET", "/web/player-library.mjs")?.body == [3])
    let address = WebPages(library: PlayerLibrary(.address("https://cdn.example/hls.mjs"), integrity: Self.digest))
    #expect(text(address.answer("GET", "/play")).contains("src=\"https://cdn.example/hls.mjs\" integrity=\"\(Self.digest)\""))
    #expect(address.answer("GET", "/web/player-library.mjs") == nil)
  }

  /// What pages and their modules load is there, and no page has a script or a style of its own.
  @Test func references() {
    for (site, path) in Self.pages {
      let pages = WebPages(site)
      let page = text(pages.answer("GET", path))
      let loaded = addresses(in: page, from: "/web/")
      // The viewers' page can be installed, and its modules come all at once; pages of hosts and producers have styles of their own.
      #expect(loaded.count == (path == "/play" ? 13 : 5))
      for address in loaded { #expect(pages.answer("GET", address) != nil, "\(address)") }
      #expect(!page.contains("<style") && !page.contains("style=") && !page.contains("onclick") && !page.contains("<script>"))
    }
    let pages = WebPages()
    for module in [
      "game", "host", "questions", "room", "files", "make", "drafts", "editor", "preview", "timeline", "player", "api", "view", "messages",
      "numbers", "orders", "listen",
    ] {
      let script = text(pages.answer("GET", "/web/\(module).mjs"))
      for address in addresses(in: script, from: "./") { #expect(pages.answer("GET", "/web/\(address.dropFirst(2))") != nil, "\(address)") }
      for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
        #expect(!script.contains(sink), "\(module).mjs has \(sink)")
      }
      // A player's seat outlives the tab until the game is over, and so do the chosen language and a quiz that is being made; tokens of hosts do not.
      #expect(["game", "messages", "make"].contains(module) || !script.contains("localStorage"), "\(module).mjs")
    }
  }

  @Test func addresses() {
    for text in ["https://cdn.example/hls.mjs", "http://127.0.0.1:8000/a%20b.js", "https://[::1]/hls@1.6.js"] {
      #expect(PlayerLibrary.isAddress(text), "\(text)")
    }
    let others = ["b c", "\"b", "b;c", "b,c", "<b", "\u{E9}"].map { "https://a/\($0)" }
    for text in ["", "hls.js", "/hls.js", "ftp://a/b"] + others {
      #expect(!PlayerLibrary.isAddress(text), "\(text)")
    }
  }

  @Test func digests() {
    let good = [Self.digest, "sha256-" + String(repeating: "A", count: 43) + "=", "sha512-" + String(repeating: "9", count: 86) + "=="]
    for text in good { #expect(PlayerLibrary.isIntegrity(text), "\(text)") }
    let quotes = "sha384-" + String(repeating: "\"", count: 64)
    for text in ["", "sha384-", "sha384", "md5-aaaa", Self.digest + "a", quotes, "sha512" + Self.digest] {
      #expect(!PlayerLibrary.isIntegrity(text), "\(text)")
    }
  }
}

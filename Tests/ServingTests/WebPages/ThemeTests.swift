import Basics
import HTTPTypes
import Testing
import WebSupport

@testable import WebPages

/// How operators let the pages look, and who may show them.
@Suite struct ThemeTests {
  private static func theme(_ colors: [Theme.Part: String]) throws -> Theme {
    var theme = Theme()
    for (part, text) in colors {
      let color: Theme.Color = try #require(Theme.Color(text))
      theme.colors[part] = color
    }
    return theme
  }

  private func header(_ answer: Answer?, _ name: String) -> String? { answer?.headers.first { $0.0.rawName == name }?.1 }

  private func text(_ answer: Answer?) -> String { String(decoding: answer?.body ?? [], as: UTF8.self) }

  @Test func colors() {
    #expect(
      ["#fff", "#FFFFFF", "#0a0420", "#12345g", "fff", "#ffff", "#", "", "#é1"].map { Theme.Color($0)?.text } == [
        "#ffffff", "#ffffff", "#0a0420", nil, nil, nil, nil, nil, nil,
      ])
  }

  /// The figures are those of other calculators.
  @Test(arguments: [("#000", "#fff", 21.0), ("#777777", "#ffffff", 4.48), ("#0000ff", "#ffffff", 8.59), ("#abc", "#abc", 1)])
  func contrast(left: String, right: String, contrast: Double) throws {
    let (left, right) = (try #require(Theme.Color(left)), try #require(Theme.Color(right)))
    #expect(abs(left.contrast(with: right) - contrast) < 0.01 && abs(right.contrast(with: left) - contrast) < 0.01)
  }

  /// The page's own colours can be read, dark and light.
  @Test func ownColors() throws {
    for isDark in [true, false] {
      let palette = Theme.palette(isDark: isDark)
      var theme = Theme()
      for part in Theme.Part.allCases {
        let color: Theme.Color = try #require(part.variables.first.flatMap { palette[$0] }.flatMap { Theme.Color($0) })
        theme.colors[part] = color
      }
      #expect(theme.unreadable.isEmpty)
      #expect(theme.styleSheet.contains("color-scheme: \(isDark ? "dark" : "light");"))
    }
  }

  @Test func unreadable() throws {
    #expect(try Self.theme([.text: "#333333"]).unreadable.map { "\($0.text) \($0.on)" }.contains("text background"))
    #expect(try Self.theme([.background: "#ffffff"]).unreadable.isEmpty)
    #expect(
      try Self.theme([.accent: "#202020", .accentText: "#303030"]).unreadable.first.map { "\($0.text) \($0.on)" } == "accentText accent")
    #expect(Theme().unreadable.isEmpty)
  }

  /// A theme with a background has one appearance; the others keep both.
  @Test func styleSheet() throws {
    let sheet = try Self.theme([.accent: "#fe0"]).styleSheet
    #expect(sheet == ":root {\n  --hot: #ffee00;\n  --hot-deep: #ffee00;\n}\n")
    let dark = try Self.theme([.background: "#001122"]).styleSheet
    #expect(dark.contains("color-scheme: dark;") && dark.contains("--ink: #fff8ea;") && dark.hasSuffix("  --house: #001122;\n}\n"))
  }

  @Test func pages() throws {
    var theme = try Self.theme([.background: "#001122"])
    theme.name = "Quiz & <Co>"
    theme.logo = .init(kind: "png", bytes: [1, 2])
    theme.font = .init(kind: "woff2", bytes: [3])
    let pages = WebPages(theme: theme)
    let page = text(pages.answer("GET", "/play"))
    #expect(page.contains("<title>Quiz &amp; &lt;Co&gt;</title>"))
    #expect(page.contains("<link rel=\"stylesheet\" href=\"/web/theme.css\">"))
    #expect(page.contains("<img class=\"logo\" src=\"/web/theme/logo.png\" alt=\"Quiz &amp; &lt;Co&gt;\">"))
    #expect(page.contains("<meta property=\"og:image\" content=\"/web/theme/logo.png\">"))
    #expect(page.contains("<meta property=\"og:title\" content=\"Quiz &amp; &lt;Co&gt;\">"))
    #expect(pages.answer("GET", "/web/theme/logo.png")?.body == [1, 2])
    #expect(pages.answer("GET", "/web/theme/logo.png")?.contentType == "image/png")
    #expect(pages.answer("GET", "/web/theme/font.woff2")?.body == [3])
    #expect(text(pages.answer("GET", "/web/theme.css")).contains("url(\"/web/theme/font.woff2\")"))
    let manifest = try #require(pages.answer("GET", "/web/manifest.webmanifest"))
    #expect(manifest.contentType == "application/manifest+json")
    let object = try #require(try JSONValue(parsing: text(manifest)).object)
    #expect(
      object["name"]?.string == "Quiz & <Co>" && object["background_color"]?.string == "#001122" && object["start_url"]?.string == "/play")
  }

  /// Without a theme there are no files of one, and the pages have the usual name.
  @Test func withoutATheme() throws {
    let pages = WebPages()
    #expect(pages.answer("GET", "/web/theme.css") == nil && pages.answer("GET", "/web/theme/logo.png") == nil)
    let page = text(pages.answer("GET", "/play"))
    #expect(page.contains("<title>Cuelight</title>") && !page.contains("theme.css") && !page.contains("<!--"))
    #expect(page.contains("<link rel=\"manifest\" href=\"/web/manifest.webmanifest\">"))
  }

  /// Pages of others show the viewers' page, and never the host's, whose buttons have consequences.
  @Test func embedding() {
    let pages = WebPages(embedders: ["https://club.example", "https://*.tv.example:8443"])
    #expect(
      header(pages.answer("GET", "/play"), "Content-Security-Policy")?.contains(
        "frame-ancestors 'self' https://club.example https://*.tv.example:8443;") == true)
    #expect(header(pages.answer("GET", "/host"), "Content-Security-Policy")?.contains("frame-ancestors 'self';") == true)
    #expect(header(WebPages().answer("GET", "/play"), "Content-Security-Policy")?.contains("frame-ancestors 'self';") == true)
  }

  @Test(arguments: [
    ("https://club.example", true), ("http://127.0.0.1:8080", true), ("https://*.club.example", true), ("https://[::1]:8443", true),
    ("https://club.example/", false), ("https://club.example/a", false), ("club.example", false), ("*", false),
    ("https://a.example; x", false),
    ("https://", false), ("javascript:1", false), ("https://a.example:123456", false),
  ]) func origins(text: String, isOrigin: Bool) { #expect(PlayerLibrary.isOrigin(text) == isOrigin) }
}

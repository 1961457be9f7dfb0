import Basics
import EmbeddedFiles
import HTTPTypes
package import WebSupport

/// The files for browsers besides calls and the stream: the pages of viewers and hosts, or that of a producer, and the files that they load.
package struct WebPages: Sendable {
  /// The set of pages.
  package enum Site: Sendable {
    /// Viewers play at `/play`, hosts lead at `/host` and make quizzes at `/make`; `/screen` is for projectors, and `/overlay` for a source of OBS.
    case games
    /// A producer previews a stream.
    case preview
  }

  private struct File: Sendable {
    var contentType: String
    /// Whether pages of others may show it in a frame.
    var isEmbeddable = false
    var bytes: [UInt8]
    var tag: String
    /// The file in codings that make it smaller.
    var compressed: [ContentCoding: (bytes: [UInt8], tag: String)]

    /// - Parameter compressed: The file in other codings, if it is not to be compressed here.
    init(_ name: String, _ bytes: [UInt8], compressed: [ContentCoding: [UInt8]]? = nil, isEmbeddable: Bool = false) {
      let compressed = compressed ?? Gzip.compressed(bytes).map { [.gzip: $0] } ?? [:]
      self.isEmbeddable = isEmbeddable
      (contentType, self.bytes, tag) = (WebPages.contentType(of: name), bytes, Answer.tag(bytes))
      self.compressed = compressed.mapValues { ($0, Answer.tag($0)) }
    }

    /// The smallest form that a client accepts.
    func form(for accepted: String) -> (bytes: [UInt8], tag: String, coding: ContentCoding?) {
      for coding in ContentCoding.allCases where coding.isAccepted(accepted) {
        if let form = compressed[coding] { return (form.bytes, form.tag, coding) }
      }
      return (bytes, tag, nil)
    }
  }

  /// The files by their paths.
  private let files: [String: File]
  /// What the pages may load and run, and who may show them.
  private let policy, embeddablePolicy: String

  /// - Parameters:
  ///   - site: The set of pages.
  ///   - reader: The files of the package `cuelight-client` by their names, with their compressed forms; without them the pages say that the package
  ///     is missing.
  ///   - library: Plays HLS if the browser does not.
  ///   - streamOrigins: The origins of the stream, such as `https://live.example`, if that is not this server.
  ///   - embedders: The origins whose pages may show those of viewers in a frame.
  ///   - theme: How the pages look.
  package init(
    _ site: Site = .games, reader: [String: [UInt8]] = [:], library: PlayerLibrary? = nil, streamOrigins: [String] = [],
    embedders: [String] = [], theme: Theme? = nil
  ) {
    let head = Self.head(reader, library, theme)
    var files: [String: File] = [:]
    switch site {
    case .games:
      let page = Self.page("index.html", head + Self.card(theme), theme)
      for path in ["/", "/play"] { files[path] = File("index.html", page, isEmbeddable: true) }
      files["/screen"] = File("screen.html", Self.page("screen.html", head, theme), isEmbeddable: true)
      files["/overlay"] = File("overlay.html", Self.page("overlay.html", head, theme), isEmbeddable: true)
      files["/host"] = File("host.html", Self.page("host.html", head, theme))
      files["/make"] = File("make.html", Self.page("make.html", head, theme))
      files[Self.manifestPath] = File("manifest.webmanifest", Self.manifest(theme))
    case .preview: files["/"] = File("preview.html", Self.page("preview.html", head, theme))
    }
    if let theme {
      files[Self.themePath] = File("theme.css", Array(theme.styleSheet.utf8))
      if let logo = theme.logo, let path = theme.logoPath { files[path] = File(path, logo.bytes, compressed: [:]) }
      if let font = theme.font { files[Theme.fontPath(font)] = File(Theme.fontPath(font), font.bytes, compressed: [:]) }
    }
    for (name, file) in Self.ownFiles { files["\(Self.folder)\(name)"] = file }
    for (name, bytes) in reader where !ContentCoding.allCases.contains(where: { name.hasSuffix($0.ending) }) {
      let compressed = ContentCoding.allCases.compactMap { coding in reader[name + coding.ending].map { (coding, $0) } }
      files["\(Self.readerFolder)\(name)"] = File(name, bytes, compressed: Dictionary(uniqueKeysWithValues: compressed))
    }
    if let library, case .file(let bytes) = library.place {
      files[Self.libraryPath] = File(Self.libraryPath, bytes, compressed: library.compressed.isEmpty ? nil : library.compressed)
    }
    self.files = files
    // Questions may have pictures and sounds of any site; those that hosts write during a show are not known before.
    let media = site == .games ? " https:" : ""
    policy = Self.policy(library, streamOrigins, embedders: [], media: media)
    embeddablePolicy = Self.policy(library, streamOrigins, embedders: embedders, media: media)
  }

  private static let folder = "/web/"
  private static let readerFolder = "/web/cuelight-client/"
  private static let libraryPath = "/web/player-library.mjs"
  private static let themePath = "/web/theme.css"
  private static let manifestPath = "/web/manifest.webmanifest"
  /// What the pages are called without a theme.
  private static let usualName = "Cuelight"
  /// The place in a page for the logo.
  private static let logoMark = "<!--logo-->"
  /// The possible names of the reader's module.
  package static let readerModules = ["cuelight-client.mjs", "cuelight-client.js"]
  /// The place in a page for the elements that load the reader and the player library.
  private static let mark = "<!--cuelight-->"

  /// The files that pages load, which are compressed once.
  private static let ownFiles = EmbeddedFiles.pages.filter { !$0.key.hasSuffix(".html") }.map { name, bytes in (name, File(name, bytes)) }

  /// The languages of the pages: those that have a file of messages. English is the first in the menu.
  private static let languages = EmbeddedFiles.pages.keys.compactMap { name in
    let parts = name.split(separator: ".")
    return parts.count == 3 && parts[0] == "messages" ? String(parts[1]) : nil
  }.sorted { $0 == "en" || $1 != "en" && $0 < $1 }

  /// The answer to a request for a page, or for a file that one loads; `nil` for other requests.
  ///
  /// - Parameters:
  ///   - known: The validators of the client's copy.
  ///   - accepted: The codings that the client accepts.
  package func answer(_ method: String, _ path: String, known: String? = nil, accepted: String? = nil) -> Answer? {
    guard let file = files[path] else { return nil }
    guard method == "GET" || method == "HEAD" else { return Problem.otherMethods(["GET", "HEAD"], path).answer }
    let form = file.form(for: accepted ?? "")
    var headers: [(HTTPField.Name, String)] = [
      (.eTag, form.tag), (.cacheControl, "no-cache"), (.contentSecurityPolicy, file.isEmbeddable ? embeddablePolicy : policy),
      (.xContentTypeOptions, "nosniff"),
    ]
    if let name = HTTPField.Name("Referrer-Policy") { headers.append((name, "no-referrer")) }
    if !file.compressed.isEmpty { headers.append((.vary, "Accept-Encoding")) }
    // A proxy that compresses turns a tag into a weak one, and clients may know several tags.
    guard known?.contains(form.tag) != true else { return Answer(.notModified, "", [], headers: headers) }
    if let coding = form.coding { headers.append((.contentEncoding, coding.rawValue)) }
    return Answer(.ok, file.contentType, form.bytes, headers: headers)
  }

  // MARK: Pages

  /// The elements of a page's head for the reader and the player library.
  private static func head(_ reader: [String: [UInt8]], _ library: PlayerLibrary?, _ theme: Theme?) -> String {
    var lines = ["<meta name=\"cuelight-languages\" content=\"\(languages.joined(separator: " "))\">"]
    if let module = readerModules.first(where: { reader[$0] != nil }) {
      lines.append("<meta name=\"cuelight-reader\" content=\"\(readerFolder)\(module)\">")
    }
    if let library {
      let address =
        switch library.place {
        case .file: libraryPath
        case .address(let address): address
        }
      lines.append("<meta name=\"cuelight-player-library\" content=\"\(address)\">")
      // A module that is imported later has no integrity attribute of its own: this element loads the same module first, after what the door needs.
      let integrity = library.integrity.map { " integrity=\"\($0)\"" } ?? ""
      lines.append("<script type=\"module\" src=\"\(address)\"\(integrity) crossorigin=\"anonymous\" fetchpriority=\"low\"></script>")
    }
    if theme != nil { lines.append("<link rel=\"stylesheet\" href=\"\(themePath)\">") }
    return lines.joined(separator: "\n")
  }

  /// A page of ours with its head and its theme.
  private static func page(_ name: String, _ head: String, _ theme: Theme?) -> [UInt8] {
    var text = String(decoding: EmbeddedFiles.pages[name] ?? [], as: UTF8.self)
    if let name = theme?.name { text = text.replacing("<title>\(usualName)</title>", with: "<title>\(name.escapedForXML)</title>") }
    let logo = theme?.logoPath.map { "<img class=\"logo\" src=\"\($0)\" alt=\"\((theme?.name ?? "").escapedForXML)\">" } ?? ""
    return Array(text.replacing(mark, with: head).replacing(logoMark, with: logo).utf8)
  }

  /// What other sites and telephones show of the viewers' page.
  private static func card(_ theme: Theme?) -> String {
    let name = (theme?.name ?? usualName).escapedForXML
    var lines = [
      "", "<meta property=\"og:title\" content=\"\(name)\">", "<meta property=\"og:type\" content=\"website\">",
      "<meta property=\"og:site_name\" content=\"\(name)\">",
      "<meta property=\"og:description\" content=\"Watch the show and play along.\">",
      "<meta name=\"description\" content=\"Watch the show and play along.\">",
      "<meta name=\"mobile-web-app-capable\" content=\"yes\">", "<link rel=\"manifest\" href=\"\(manifestPath)\">",
    ]
    // Other sites show no SVG.
    if let logo = theme?.logo, logo.kind != "svg", let path = theme?.logoPath {
      lines.append("<meta property=\"og:image\" content=\"\(path)\">")
    }
    return lines.joined(separator: "\n")
  }

  /// What a telephone needs to install the viewers' page (W3C Web Application Manifest).
  private static func manifest(_ theme: Theme?) -> [UInt8] {
    let background = theme?.colors[.background]?.text ?? Theme.palette(isDark: true)["--house"] ?? "#000000"
    let name = theme?.name ?? usualName
    let icon = JSONObject(fields: ["src": "\(folder)icon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"])
    let manifest = JSONObject(fields: [
      "id": "/play", "name": name, "short_name": String(name.prefix(12)), "start_url": "/play", "scope": "/", "display": "standalone",
      "background_color": background, "theme_color": background, "icons": [icon],
    ])
    return Array(JSONValue.object(manifest).text.utf8)
  }

  /// The policy: only files of this server and the player library may run, and no text becomes code.
  private static func policy(_ library: PlayerLibrary?, _ streamOrigins: [String], embedders: [String], media: String) -> String {
    let embedders = embedders.map { " \($0)" }.joined()
    var scripts = "script-src 'self' 'wasm-unsafe-eval'"
    if case .address(let address)? = library?.place { scripts += " \(address)" }
    let origins = streamOrigins.filter { PlayerLibrary.isAddress($0) }.sorted().map { " \($0)" }.joined()
    return [
      "default-src 'self'", scripts, "object-src 'none'", "frame-ancestors 'self'\(embedders)", "base-uri 'none'", "form-action 'self'",
      // Media Source plays a video from a blob's address.
      "img-src 'self'\(media)", "media-src 'self' blob:\(media)\(origins)", "connect-src 'self'\(origins)",
      "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")
  }

  private static func contentType(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js", "mjs": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "webp": "image/webp"
    case "jpg", "jpeg": "image/jpeg"
    case "woff2": "font/woff2"
    case "woff": "font/woff"
    case "ttf": "font/ttf"
    case "otf": "font/otf"
    case "webmanifest": "application/manifest+json"
    // Browsers compile it during the download only if it has this type.
    case "wasm": "application/wasm"
    case "json": "application/json"
    default: "application/octet-stream"
    }
  }
}

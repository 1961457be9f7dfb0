import HTTPTypes
package import WebSupport

/// The files for browsers besides calls and the stream: the pages of viewers and hosts, or that of a producer, and the files that they load.
package struct WebPages: Sendable {
  /// The set of pages.
  package enum Site: Sendable {
    /// Viewers play at `/play`, hosts lead at `/host`.
    case games
    /// A producer previews a stream.
    case preview
  }

  private struct File: Sendable {
    var contentType: String
    var bytes: [UInt8]
    var tag: String
    /// The file in codings that make it smaller.
    var compressed: [ContentCoding: (bytes: [UInt8], tag: String)]

    init(_ name: String, _ bytes: [UInt8], compressed: [ContentCoding: [UInt8]] = [:]) {
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
  /// What the pages may load and run.
  private let policy: String

  /// - Parameters:
  ///   - site: The set of pages.
  ///   - reader: The files of the package `cuelight-client` by their names, with their compressed forms; without them the pages say that the package
  ///     is missing.
  ///   - library: Plays HLS if the browser does not.
  ///   - streamOrigins: The origins of the stream, such as `https://live.example`, if that is not this server.
  package init(
    _ site: Site = .games, reader: [String: [UInt8]] = [:], library: PlayerLibrary? = nil, streamOrigins: [String] = []
  ) {
    let head = Self.head(reader, library)
    var files: [String: File] = [:]
    switch site {
    case .games:
      for path in ["/", "/play"] { files[path] = File("index.html", Self.page(PackageResources.index_html, head)) }
      files["/host"] = File("host.html", Self.page(PackageResources.host_html, head))
    case .preview: files["/"] = File("preview.html", Self.page(PackageResources.preview_html, head))
    }
    for (name, bytes) in Self.assets { files["\(Self.folder)\(name)"] = File(name, bytes) }
    for (name, bytes) in reader where !ContentCoding.allCases.contains(where: { name.hasSuffix($0.ending) }) {
      let compressed = ContentCoding.allCases.compactMap { coding in reader[name + coding.ending].map { (coding, $0) } }
      files["\(Self.readerFolder)\(name)"] = File(name, bytes, compressed: Dictionary(uniqueKeysWithValues: compressed))
    }
    if let library, case .file(let bytes) = library.place {
      files[Self.libraryPath] = File(Self.libraryPath, bytes, compressed: library.compressed)
    }
    self.files = files
    policy = Self.policy(library, streamOrigins)
  }

  private static let folder = "/web/"
  private static let readerFolder = "/web/cuelight-client/"
  private static let libraryPath = "/web/player-library.mjs"
  /// The possible names of the reader's module.
  package static let readerModules = ["cuelight-client.mjs", "cuelight-client.js"]
  /// The place in a page for the elements that load the reader and the player library.
  private static let mark = "<!--cuelight-->"

  private static let assets: [(name: String, bytes: [UInt8])] = [
    ("style.css", PackageResources.style_css), ("icon.svg", PackageResources.icon_svg), ("game.mjs", PackageResources.game_mjs),
    ("host.mjs", PackageResources.host_mjs), ("preview.mjs", PackageResources.preview_mjs),
    ("timeline.mjs", PackageResources.timeline_mjs), ("player.mjs", PackageResources.player_mjs), ("api.mjs", PackageResources.api_mjs),
    ("view.mjs", PackageResources.view_mjs), ("messages.mjs", PackageResources.messages_mjs),
    ("messages.en.mjs", PackageResources.messages_en_mjs), ("messages.ar.mjs", PackageResources.messages_ar_mjs),
    ("messages.de.mjs", PackageResources.messages_de_mjs), ("messages.es.mjs", PackageResources.messages_es_mjs),
    ("messages.fr.mjs", PackageResources.messages_fr_mjs), ("messages.hi.mjs", PackageResources.messages_hi_mjs),
    ("messages.it.mjs", PackageResources.messages_it_mjs), ("messages.ja.mjs", PackageResources.messages_ja_mjs),
    ("messages.nl.mjs", PackageResources.messages_nl_mjs), ("messages.pl.mjs", PackageResources.messages_pl_mjs),
    ("messages.pt.mjs", PackageResources.messages_pt_mjs), ("messages.tr.mjs", PackageResources.messages_tr_mjs),
    ("messages.zh.mjs", PackageResources.messages_zh_mjs),
  ]

  /// The languages of the pages: those that have a file of messages.
  private static let languages = assets.compactMap { name, _ in
    let parts = name.split(separator: ".")
    return parts.count == 3 && parts[0] == "messages" ? String(parts[1]) : nil
  }

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
      (.eTag, form.tag), (.cacheControl, "no-cache"), (.contentSecurityPolicy, policy), (.xContentTypeOptions, "nosniff"),
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
  private static func head(_ reader: [String: [UInt8]], _ library: PlayerLibrary?) -> String {
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
      // A module that is imported later has no integrity attribute of its own: this element loads the same module first.
      let integrity = library.integrity.map { " integrity=\"\($0)\"" } ?? ""
      lines.append("<script type=\"module\" src=\"\(address)\"\(integrity) crossorigin=\"anonymous\"></script>")
    }
    return lines.joined(separator: "\n")
  }

  private static func page(_ page: [UInt8], _ head: String) -> [UInt8] {
    let text = String(decoding: page, as: UTF8.self)
    guard let place = text.firstRange(of: mark) else { return page }
    return Array("\(text[..<place.lowerBound])\(head)\(text[place.upperBound...])".utf8)
  }

  /// The policy: only files of this server and the player library may run, and no text becomes code.
  private static func policy(_ library: PlayerLibrary?, _ streamOrigins: [String]) -> String {
    var scripts = "script-src 'self' 'wasm-unsafe-eval'"
    if case .address(let address)? = library?.place { scripts += " \(address)" }
    let origins = streamOrigins.filter { PlayerLibrary.isAddress($0) }.sorted().map { " \($0)" }.joined()
    return [
      "default-src 'self'", scripts, "object-src 'none'", "frame-ancestors 'self'", "base-uri 'none'", "form-action 'self'",
      // Media Source plays a video from a blob's address.
      "media-src 'self' blob:\(origins)", "connect-src 'self'\(origins)", "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")
  }

  private static func contentType(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js", "mjs": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    // Browsers compile it during the download only if it has this type.
    case "wasm": "application/wasm"
    case "json": "application/json"
    default: "application/octet-stream"
    }
  }
}

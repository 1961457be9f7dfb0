import ArgumentParser
import CommandSupport
import Files
import Foundation
import HLSPlaylist
import WebPages

/// The options for the files that pages load.
struct PageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder cuelight-client of scripts/build-web, with which people play in browsers, instead of the package in this program.",
      valueName: "folder"))
  var web: String?

  @Option(
    help: ArgumentHelp(
      "hls.js, for browsers that do not play HLS: a file, or an address with --integrity, from where serve fetches it once.",
      valueName: "file|url"))
  var playerLibrary: String?

  @Option(help: ArgumentHelp("What the script must be, such as sha384-…; browsers check it.", valueName: "digest"))
  var integrity: String?

  func validate() throws {
    if let playerLibrary, playerLibrary.contains("://") {
      guard PlayerLibrary.isAddress(playerLibrary) else { throw ValidationError("--player-library: \(playerLibrary) is no address.") }
      guard integrity != nil else { throw ValidationError("--player-library with an address needs --integrity.") }
    }
    if let integrity {
      guard playerLibrary != nil else { throw ValidationError("--integrity is for --player-library.") }
      guard PlayerLibrary.isIntegrity(integrity) else { throw ValidationError("--integrity takes sha384-… in Base64, not \(integrity).") }
    }
  }

  /// The pages, with the reader and the player library that the options name.
  ///
  /// - Parameters:
  ///   - site: The set of pages.
  ///   - streams: Addresses of the stream, or of parts of it.
  ///   - look: How they look, and who may show them.
  ///   - folder: Where a player library from another server is kept; `nil` if browsers load it from there.
  ///   - say: Receives messages for the operator.
  func pages(
    _ site: WebPages.Site, streams: some Sequence<String>, keptIn folder: String? = nil, look: LookOptions? = nil,
    say: (String) -> Void = { _ in }
  ) throws(CommandFailure) -> WebPages {
    let (reader, library) = (try reader(), try library(keptIn: folder, say))
    if reader.isEmpty {
      say(
        "nobody can play in a browser: the package for the web is neither in this program nor given with --web; scripts/build-web makes it")
    }
    if library == nil {
      say("only Safari plays: for other browsers give hls.js with --player-library URL --integrity sha384-…, which is fetched once")
    }
    return WebPages(
      site, reader: reader, library: library, streamOrigins: streams.compactMap { URIReference($0).origin },
      embedders: look?.embedFrom ?? [], theme: try look?.read())
  }

  /// The folder of the package that is installed with this program, or was built beside it; `nil` if there is none.
  private static var installed: String? {
    guard let own = OtherProgram.ownFolder else { return nil }
    return ["\(own)/../share/cuelight/web", "\(own)/../../web/cuelight-client"].first { FileManager.default.fileExists(atPath: $0) }
  }

  /// The files of the package in this program; none if it was built from source.
  private static func inside() throws(CommandFailure) -> [String: [UInt8]] {
    let files = try orFail(PackagedFiles.inside()) { (error: DamagedFile) in
      CommandFailure("this program's own file is damaged: \(error.reason); install it again", status: CommandFailure.libraryMissing)
    }
    let web = files.filter { $0.key.hasPrefix(folder) }
    return Dictionary(uniqueKeysWithValues: web.map { (String($0.key.dropFirst(folder.count)), $0.value) })
  }

  /// The folder of the package in the archive of `scripts/package`.
  private static let folder = "web/"

  /// The files of the package for the web: of the folder that is named, of this program, or of the folder that lies beside it.
  private func reader() throws(CommandFailure) -> [String: [UInt8]] {
    let inside = web == nil ? try Self.inside() : [:]
    guard inside.isEmpty, let web = web ?? Self.installed else { return inside }
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: web) } catch {
      throw CommandFailure("\(web): the folder cannot be read: \(error.localizedDescription)", status: CommandFailure.missingInput)
    }
    guard names.contains(where: { WebPages.readerModules.contains($0) }) else {
      throw CommandFailure("\(web): this is not the folder cuelight-client of the package for the web", status: CommandFailure.missingInput)
    }
    var files: [String: [UInt8]] = [:]
    let endings = [".js", ".mjs", ".wasm"].flatMap { ending in [ending] + ContentCoding.allCases.map { ending + $0.ending } }
    for name in names where endings.contains(where: { name.hasSuffix($0) }) {
      files[name] = try SmallFile(path: "\(web)/\(name)").bytes()
    }
    return files
  }

  private func library(keptIn folder: String?, _ say: (String) -> Void) throws(CommandFailure) -> PlayerLibrary? {
    guard let playerLibrary else { return nil }
    guard !PlayerLibrary.isAddress(playerLibrary) else {
      guard let folder, let integrity else { return PlayerLibrary(.address(playerLibrary), integrity: integrity) }
      let kept = KeptLibrary(address: playerLibrary, integrity: integrity, folder: folder)
      return PlayerLibrary(.file(try kept.bytes(say: say)), integrity: integrity)
    }
    var library = PlayerLibrary(.file(try SmallFile(path: playerLibrary).bytes()), integrity: integrity)
    for coding in ContentCoding.allCases where FileManager.default.fileExists(atPath: playerLibrary + coding.ending) {
      library.compressed[coding] = try SmallFile(path: playerLibrary + coding.ending).bytes()
    }
    return library
  }
}

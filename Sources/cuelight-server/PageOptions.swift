import ArgumentParser
import CommandSupport
import Foundation
import HLSPlaylist
import WebPages

/// The options that say what pages load besides themselves.
struct PageOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp("The folder cuelight-client of scripts/build-web: with it people play in browsers.", valueName: "folder"))
  var web: String?

  @Option(
    name: .long,
    help: ArgumentHelp("hls.js, for browsers that do not play HLS: a file, or an address with --integrity.", valueName: "file|url"))
  var playerLibrary: String?

  @Option(name: .long, help: ArgumentHelp("What the script must be, such as sha384-…; browsers check it.", valueName: "digest"))
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
  ///   - site: Which pages there are.
  ///   - streams: Where the stream is, or parts of it: addresses.
  func pages(_ site: WebPages.Site, streams: some Sequence<String>) throws(CommandFailure) -> WebPages {
    WebPages(site, reader: try reader(), library: try library(), streamOrigins: streams.compactMap { URIReference($0).origin })
  }

  /// The files of the package for the web that pages load.
  private func reader() throws(CommandFailure) -> [String: [UInt8]] {
    guard let web else { return [:] }
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

  private func library() throws(CommandFailure) -> PlayerLibrary? {
    guard let playerLibrary else { return nil }
    guard !PlayerLibrary.isAddress(playerLibrary) else { return PlayerLibrary(.address(playerLibrary), integrity: integrity) }
    var library = PlayerLibrary(.file(try SmallFile(path: playerLibrary).bytes()), integrity: integrity)
    for coding in ContentCoding.allCases where FileManager.default.fileExists(atPath: playerLibrary + coding.ending) {
      library.compressed[coding] = try SmallFile(path: playerLibrary + coding.ending).bytes()
    }
    return library
  }
}

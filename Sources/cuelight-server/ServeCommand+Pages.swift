import CommandSupport
import Foundation
import HLSPlaylist
import WebPages

extension ServeCommand {
  /// The pages, with the reader and the player library that the options name.
  ///
  /// - Parameter stream: The stream's address.
  func pages(stream: String?) throws(CommandFailure) -> WebPages {
    WebPages(reader: try reader(), library: try library(), streamOrigin: stream.flatMap { Self.origin($0) })
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
    for name in names where [".js", ".mjs", ".wasm"].contains(where: { name.hasSuffix($0) }) {
      files[name] = try SmallFile(path: "\(web)/\(name)").bytes()
    }
    return files
  }

  private func library() throws(CommandFailure) -> PlayerLibrary? {
    guard let playerLibrary else { return nil }
    guard !PlayerLibrary.isAddress(playerLibrary) else { return PlayerLibrary(.address(playerLibrary), integrity: integrity) }
    return PlayerLibrary(.file(try SmallFile(path: playerLibrary).bytes()), integrity: integrity)
  }

  /// Where a stream is that another server has.
  private static func origin(_ stream: String) -> String? {
    let reference = URIReference(stream)
    guard let scheme = reference.scheme, let authority = reference.authority else { return nil }
    return "\(scheme)://\(authority)"
  }
}

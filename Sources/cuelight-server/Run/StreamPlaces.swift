import Foundation
import LiveSession
import ServerConfiguration
import Sheets

/// The places that only one stream of a server can have: where packets arrive, and where files are written.
enum StreamPlaces {
  /// The places that two streams have.
  ///
  /// - Parameter data: The folder with the journals of streams that name none; `nil` for no journals.
  static func problems(_ streams: [ConfigurationEntry], data: String?) -> [SheetProblem] {
    var problems: [SheetProblem] = []
    var owners: [String: String] = [:]
    for stream in streams {
      var places = stream.arguments.compactMap { argument in key(argument.option, argument.value ?? "").map { ($0, argument) } }
      if let data, !stream.has("journal") {
        let journal = LoadedConfiguration.journal(of: stream.name, in: data)
        places.append((file(journal), .init(option: "journal", key: "journal", value: journal, place: stream.place)))
      }
      for (key, argument) in places {
        if let owner = owners[key], owner != stream.name {
          let value = LoadedConfiguration.shownAddress(argument.value ?? "")
          problems.report(at: argument.place, "the stream \(owner.quoted) has \(value.quoted) already; each stream has its own")
        }
        owners[key] = stream.name
      }
    }
    return problems
  }

  /// What tells a place from others; `nil` for one that several streams can have.
  private static func key(_ option: String, _ value: String) -> String? {
    switch option {
    case "journal": return file(value)
    case "output":
      switch LiveOutputAddress(value) {
      case .recording(let path), .presentation(let path): return file(path)
      case .standardOutput: return "output -"
      case .origin(let address): return "output \(address.url)"
      case .network, nil: return nil
      }
    case "input", "variant", "backup":
      switch LiveInput(value) {
      case .standardInput, .publisher: return "input \(value)"
      case .network(let address):
        return address.hasPrefix("udp://") || address.hasPrefix("rtp://") || address.contains("mode=listener") ? "input \(value)" : nil
      case .file, .playlist, nil: return nil
      }
    default: return nil
    }
  }

  /// A file by its folder, whatever links lead there.
  private static func file(_ path: String) -> String {
    let url = URL(fileURLWithPath: path).standardizedFileURL
    return "file \(url.deletingLastPathComponent().resolvingSymlinksInPath().path)/\(url.lastPathComponent)"
  }
}

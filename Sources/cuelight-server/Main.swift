import ArgumentParser
import Basics
import Files
import Foundation
import HLSPlaylist
import LibAV
import LibC
import LiveServer
import LiveSession
import Seals
import StreamInput
import Terminal

/// Why the program ends without having done its work.
struct ServerFailure: Error {
  var message: String
  var status: Int32

  static let wrongUsage: Int32 = 64
  static let invalidInput: Int32 = 65
  static let missingInput: Int32 = 66
  static let libraryMissing: Int32 = 69
  static let cannotCreate: Int32 = 73
  static let ioError: Int32 = 74
  static let interrupted: Int32 = 130

  init(_ message: String, status: Int32) { (self.message, self.status) = (message, status) }

  init(_ error: LiveSessionError) {
    switch error {
    case .input(.missing(let path)): self.init("\(path): no such file", status: Self.missingInput)
    case .input(let error): self.init("\(error)", status: Self.ioError)
    case .media(.notOpened(let cause)) where cause.missingLibrary != nil: self.init("\(cause)", status: Self.libraryMissing)
    case .media(let error): self.init("\(error)", status: Self.invalidInput)
    case .output(let error):
      let advice = error.reason == .exists ? "exists already; add --force to replace it" : nil
      self.init(
        advice.map { "\(error.path): \($0)" } ?? "\(error)", status: error.operation == .create ? Self.cannotCreate : Self.ioError)
    case .notATransportStream(let name): self.init("\(name): no MPEG transport stream", status: Self.invalidInput)
    case .presentation(let error):
      let status = error.isLibraryMissing ? Self.libraryMissing : error.isMissing ? Self.missingInput : Self.invalidInput
      self.init("\(error)", status: status)
    case .journal(let path, let reason): self.init("\(path): \(reason)", status: Self.invalidInput)
    }
  }
}

@main
enum Main {
  static func main() async {
    Interruption.install()
    Memory.returnLargeBlocks()
    do throws(ServerFailure) {
      try await run()
    } catch {
      Console.say("cuelight-server: \(error.message)")
      exit(error.status)
    }
  }

  private static func run() async throws(ServerFailure) {
    let command: LiveCommand
    do {
      var arguments = Array(CommandLine.arguments.dropFirst())
      // `cuelight live …` passes its own arguments on.
      if arguments.first == "live" { arguments.removeFirst() }
      command = try LiveCommand.parse(arguments)
    } catch {
      let (message, status) = (LiveCommand.fullMessage(for: error), LiveCommand.exitCode(for: error))
      let output = status == .success ? FileHandle.standardOutput : FileHandle.standardError
      output.write(Data("\(message)\n".utf8))
      exit(status.rawValue)
    }
    let tokens = try tokens(command.tokenFile)
    let game = command.game ?? "live-\(PlaylistDate(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))?.text ?? "")"
    guard let settings = command.settings(game: game, sealKey: try sealKey(command.sealKey)), let place = command.place else { return }
    let console = Console(isJSON: command.json)
    let session: LiveSession
    do throws(LiveSessionError) {
      session = try LiveSession(settings) { console.report($0) }
    } catch {
      throw ServerFailure(error)
    }
    let server = LiveServer(session, host: place.host, port: place.port, tokens: tokens, origins: command.cors)
    do {
      try await server.run { port in
        let address = "http://\(place.host.contains(":") ? "[\(place.host)]" : place.host):\(port)"
        console.begin(address: address, name: settings.name, session)
      }
    } catch {
      throw ServerFailure("cannot listen on \(command.listen): \(error)", status: ServerFailure.cannotCreate)
    }
    console.end()
    if let failure = session.failure { throw ServerFailure(failure) }
  }

  private static func sealKey(_ path: String?) throws(ServerFailure) -> SealKey? {
    guard let path else { return nil }
    let bytes = try secret(path, mustBePrivate: false)
    do throws(SealKeyError) { return try SealKey(fileContents: bytes) } catch {
      throw ServerFailure("\(path): \(error)", status: ServerFailure.invalidInput)
    }
  }

  private static func tokens(_ path: String?) throws(ServerFailure) -> Tokens {
    guard let path else { return Tokens() }
    let bytes = try secret(path, mustBePrivate: true)
    do throws(Tokens.Mistake) {
      return try Tokens(fileContents: bytes)
    } catch {
      throw ServerFailure("\(path): \(error)", status: ServerFailure.invalidInput)
    }
  }

  /// A small file with secrets.
  private static func secret(_ path: String, mustBePrivate: Bool) throws(ServerFailure) -> [UInt8] {
    do throws(FileInputError) {
      var file = try FileInput(path: path)
      guard !mustBePrivate || !file.isReadableByOthers else {
        throw FileInputError.special(path: path)
      }
      var bytes: [UInt8] = []
      while bytes.count < 1 << 20, try file.fill() { bytes.append(copying: file.bytes) }
      return bytes
    } catch {
      switch error {
      case .missing: throw ServerFailure("\(error)", status: ServerFailure.missingInput)
      case .special:
        throw ServerFailure(
          "\(path): others may read these tokens; keep them to yourself with chmod 600", status: ServerFailure.invalidInput)
      default: throw ServerFailure("\(error)", status: ServerFailure.ioError)
      }
    }
  }
}

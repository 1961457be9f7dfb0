import CommandSupport
import Files
import NIOCore

extension CommandFailure {
  /// The server cannot listen at an address: another program does, it is not an address of this machine, or the port is reserved.
  static func cannotListen(on address: String, _ error: any Error) -> CommandFailure {
    let reason = (error as? IOError).map { SystemError.text(code: $0.errnoCode) } ?? "\(error)"
    return CommandFailure("cannot listen on \(address): \(reason)", status: cannotCreate)
  }
}

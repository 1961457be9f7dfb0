import Basics
package import EventSchedule
package import GameEvents

/// Signatures that anybody could forge, for tests of what becomes of right and wrong ones: two hashes of the message.
package enum TestSignature {
  /// The signature of a message.
  package static let sign: EventSigner = { EventSignature(bytes: bytes(of: $0)) }
  /// Whether a signature is that of a message.
  package static let check: SignatureCheck = { message, signature in bytes(of: message) == signature }

  /// A planned event with its signature.
  package static func signed(_ planned: PlannedEvent) -> PlannedEvent {
    PlannedEvent(planned.event, currentFor: planned.currentFor, signature: sign(planned.event.signedBytes))
  }

  private static func bytes(of message: [UInt8]) -> [UInt8] { SHA256.hash(message) + SHA256.hash(message + [0]) }
}

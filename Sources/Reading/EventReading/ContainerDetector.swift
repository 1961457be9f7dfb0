import Basics

/// Detects the container of an input by its first bytes.
///
/// Any other input counts as a transport stream, until `PacketFramer.isTransportStream` says otherwise.
package struct ContainerDetector: Sendable {
  /// The container; `nil` while more bytes are needed.
  package private(set) var container: Container?
  private var beginning: [UInt8] = []

  /// Starts at the beginning of an input.
  package init() {}

  /// The number of bytes that are kept until the container is known.
  package var byteCount: Int { beginning.count }

  /// Receives the next bytes of an input whose container is not known.
  ///
  /// - Returns: All bytes so far, once the container is known.
  package mutating func push(_ bytes: Span<UInt8>) -> [UInt8]? {
    beginning.append(copying: bytes)
    container = Container(startingWith: beginning.view)
    return container == nil ? nil : releaseBeginning()
  }

  /// Ends an input whose container is not known.
  ///
  /// - Returns: All bytes of it.
  package mutating func finish() -> [UInt8] {
    container = .transportStream
    return releaseBeginning()
  }

  private mutating func releaseBeginning() -> [UInt8] {
    defer { beginning = [] }
    return beginning
  }
}

import HLSPlaylist
import HTTPClient
import TestSupport

/// The servers of these tests. Every test uses targets of its own, so that none notices another.
enum Servers {
  static let plain = try? HostileServer()
  static let secure = HostileCertificate.path.flatMap { try? HostileServer("--certificate", $0, isSecure: true) }
}

extension HostileServer {
  /// The requests so far whose target is this one: what part each asked for, or `-`.
  func parts(askedOf target: String) throws -> [String] {
    let lines = String(decoding: try load(url("/-/requests")).get().bytes, as: UTF8.self).split(separator: "\n")
    return lines.compactMap { $0.hasPrefix(target + " ") ? String($0.dropFirst(target.utf8.count + 1)) : nil }
  }
}

/// What came of a resource.
struct Loaded: Equatable {
  var bytes: [UInt8]
  var size: Int?
  var finalURL: String
}

/// Loads a resource whole.
///
/// - Parameter delivered: How many bytes came, also where loading fails in the end.
func load(
  _ url: String, _ byteRange: ByteRange? = nil, _ limits: NetworkLimits = NetworkLimits(), authorities: String? = nil,
  delivered: inout Int, isInterrupted: @escaping @Sendable () -> Bool = { false }
) -> Result<Loaded, NetworkInputError> {
  do throws(NetworkInputError) {
    var input = try NetworkInput(
      url: url, byteRange: byteRange, limits: limits, authorities: authorities, isInterrupted: isInterrupted)
    var bytes: [UInt8] = []
    while try input.fill() {
      for index in input.bytes.indices { bytes.append(input.bytes[index]) }
      delivered = bytes.count
    }
    return .success(Loaded(bytes: bytes, size: input.size, finalURL: input.finalURL))
  } catch {
    return .failure(error)
  }
}

/// Loads a resource whole.
func load(
  _ url: String, _ byteRange: ByteRange? = nil, _ limits: NetworkLimits = NetworkLimits(), authorities: String? = nil,
  isInterrupted: @escaping @Sendable () -> Bool = { false }
) -> Result<Loaded, NetworkInputError> {
  var delivered = 0
  return load(url, byteRange, limits, authorities: authorities, delivered: &delivered, isInterrupted: isInterrupted)
}

/// The first bytes of the server's pattern.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 251) } }

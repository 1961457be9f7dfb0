package import HLSPlaylist

/// Requests of resources that are read later, one after another. Their responses arrive while the caller waits for one of them.
///
/// Everything happens in the caller's thread. Of each response at most about a mebibyte is kept before it is read. A class, because libcurl's handle
/// is shared by the transfers.
package final class RequestsAhead {
  /// A request whose response nobody has waited for. A class, because an array has to hold its transfer.
  private final class Request {
    let url: String
    let byteRange: ByteRange?
    let limits: NetworkLimits
    var transfer: CurlTransfer?

    init(_ url: String, _ byteRange: ByteRange?, _ limits: NetworkLimits, _ transfer: consuming CurlTransfer) {
      (self.url, self.byteRange, self.limits) = (url, byteRange, limits)
      self.transfer = consume transfer
    }

    func isFor(_ url: String, _ byteRange: ByteRange?) -> Bool { self.url == url && self.byteRange == byteRange }
  }

  private let access: WebAccess
  private let fields: [WebRequest.Field]
  private let isInterrupted: @Sendable () -> Bool
  private var multi: MultiHandle?
  private var requests: [Request] = []

  /// No requests yet.
  ///
  /// - Parameters:
  ///   - access: Header fields for one origin.
  ///   - fields: Further header fields, which are sent wherever redirections lead.
  ///   - isInterrupted: Asked ten times a second and more; once it returns `true`, reading ends with `interrupted`.
  package init(
    access: WebAccess = WebAccess(), fields: [WebRequest.Field] = [], isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) {
    (self.access, self.fields, self.isInterrupted) = (access, fields, isInterrupted)
  }

  /// Requests a resource, unless that was done. A resource that cannot be requested is left to ``input(url:byteRange:limits:)``, which says why.
  package func request(url: String, byteRange: ByteRange?, limits: NetworkLimits) {
    guard !requests.contains(where: { $0.isFor(url, byteRange) }) else { return }
    guard let transfer = try? start(url, byteRange, limits) else { return }
    requests.append(Request(url, byteRange, limits, transfer))
  }

  /// Gives up all requests but those for which `isWanted` returns `true`.
  package func keep(_ isWanted: (_ url: String, ByteRange?) -> Bool) { requests.removeAll { !isWanted($0.url, $0.byteRange) } }

  /// Opens a resource that was requested, or requests it now, and waits for the head of its response.
  ///
  /// - Throws: ``NetworkInputError``.
  package func input(url: String, byteRange: ByteRange?, limits: NetworkLimits) throws(NetworkInputError) -> NetworkInput {
    do throws(NetworkInputError.Reason) {
      guard let index = requests.firstIndex(where: { $0.isFor(url, byteRange) }) else {
        return try NetworkInput(try start(url, byteRange, limits), url, byteRange, limits)
      }
      let request = requests.remove(at: index)
      guard let transfer = request.transfer.take() else { throw .interrupted }
      return try NetworkInput(transfer, url, byteRange, limits)
    } catch {
      throw NetworkInputError(url: url, reason: error)
    }
  }

  private func start(_ url: String, _ byteRange: ByteRange?, _ limits: NetworkLimits) throws(NetworkInputError.Reason) -> CurlTransfer {
    try NetworkInput.start(WebRequest(url: url, fields: fields, access: access), byteRange, limits, on: try handle(), isInterrupted)
  }

  private func handle() throws(NetworkInputError.Reason) -> MultiHandle {
    if let multi { return multi }
    let multi = try MultiHandle()
    self.multi = multi
    return multi
  }
}

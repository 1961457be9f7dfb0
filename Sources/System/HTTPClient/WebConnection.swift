/// A connection to a web server that is kept from one request to the next, and used by nobody else. It is closed, or kept for others, with this
/// object.
///
/// A class, because libcurl's handle has an owner. One thread at a time may use it.
package final class WebConnection {
  private var handle: MultiHandle?

  /// A connection that is made with the first request.
  package init() {}

  func multiHandle() throws(NetworkInputError.Reason) -> MultiHandle {
    if let handle { return handle }
    let made = try MultiHandle()
    handle = made
    return made
  }
}

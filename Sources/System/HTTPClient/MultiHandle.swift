internal import CCurl
internal import Synchronization

/// Idle multi handles of libcurl's, with the connections that they keep.
///
/// With it, the many small resources of a presentation share connections. A handle that is in use belongs to its transfer alone: libcurl
/// allows any thread, but one at a time.
final class HandlePool: Sendable {
  /// The pool of all transfers without a pool of their own.
  static let shared = HandlePool()
  /// The maximum number of idle handles: few renditions of a presentation are read at the same time.
  private static let size = 4
  /// How many connections a handle keeps.
  private static let connections = 4

  private let idle = Mutex<[Idle]>([])

  /// An idle handle.
  @safe
  fileprivate struct Idle: @unchecked Sendable {
    // Unsafe, unchecked: libcurl's handles belong to no thread, and whoever holds this is the only one.
    var handle: UnsafeMutableRawPointer
  }

  /// An idle handle, or a new one.
  fileprivate func take(_ curl: CurlFunctions) throws(NetworkInputError.Reason) -> Idle {
    if let idle = idle.withLock({ $0.popLast() }) { return idle }
    guard let handle = unsafe curl.curl_multi_init() else { throw .connection("libcurl cannot be initialised") }
    // Otherwise libcurl keeps four connections for each transfer so far.
    _ = unsafe cuelight_set_kept_connections(curl, handle, Self.connections)
    return unsafe Idle(handle: handle)
  }

  fileprivate func giveBack(_ handle: Idle, _ curl: CurlFunctions) {
    let isKept = idle.withLock { idle in
      guard idle.count < Self.size else { return false }
      idle.append(handle)
      return true
    }
    if !isKept { _ = unsafe curl.curl_multi_cleanup(handle.handle) }
  }
}

/// The owner of a multi handle of libcurl's, which carries one transfer and keeps its connections for the next.
@safe
struct MultiHandle: ~Copyable {
  // Unsafe: made or removed from the pool in `init`, given back in `deinit`.
  private let handle: UnsafeMutableRawPointer
  private let pool: HandlePool
  /// The transfer.
  let easy: EasyHandle
  private var curl: CurlFunctions { easy.curl }

  /// Adds a transfer to an idle or new handle.
  init(carrying easy: EasyHandle, from pool: HandlePool) throws(NetworkInputError.Reason) {
    let curl = easy.curl
    let idle = try pool.take(curl)
    guard unsafe curl.curl_multi_add_handle(idle.handle, easy.handle) == CURLM_OK else {
      pool.giveBack(idle, curl)
      throw .connection("libcurl does not take the transfer")
    }
    unsafe handle = idle.handle
    self.pool = pool
    self.easy = easy
  }

  deinit {
    // A transfer that has not ended is aborted, and its connection closed.
    _ = unsafe curl.curl_multi_remove_handle(handle, easy.handle)
    pool.giveBack(unsafe HandlePool.Idle(handle: handle), curl)
  }

  /// Advances the transfer without waiting.
  ///
  /// - Returns: How the transfer has ended; `nil` if it has not.
  func perform() throws(NetworkInputError.Reason) -> CURLcode? {
    var running: Int32 = 0
    let code = unsafe curl.curl_multi_perform(handle, &running)
    guard code == CURLM_OK else { throw failure(code) }
    var result = CURLE_OK
    return unsafe cuelight_has_ended(curl, handle, &result) != 0 ? result : nil
  }

  /// Waits until there is something to do; returns whether something happened on a connection.
  func wait(atMost time: Duration) throws(NetworkInputError.Reason) -> Bool {
    var count: Int32 = 0
    let code = unsafe curl.curl_multi_poll(handle, nil, 0, Int32(clamping: time.milliseconds), &count)
    guard code == CURLM_OK else { throw failure(code) }
    return count > 0
  }

  private func failure(_ code: CURLMcode) -> NetworkInputError.Reason {
    // Unsafe: the text is a constant of libcurl's.
    .connection(unsafe curl.curl_multi_strerror(code).map { unsafe String(cString: $0) } ?? "libcurl failed")
  }
}

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
  /// How many connections a handle keeps: as many as resources of a presentation are requested at the same time.
  private static let connections = 12

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

/// The owner of a multi handle of libcurl's, which carries transfers and keeps their connections for the next ones.
///
/// A class, because several transfers share it. All of them advance whenever one of them waits, in the thread of that one's caller; only one thread
/// at a time may use it and them.
@safe
final class MultiHandle {
  // Unsafe: made or removed from the pool in `init`, given back in `deinit`.
  private let handle: UnsafeMutableRawPointer
  private let pool: HandlePool
  private let curl: CurlFunctions
  /// The transfers that it carries.
  private var transfers: [EasyHandle] = []

  /// An idle or new handle.
  init(from pool: HandlePool = .shared) throws(NetworkInputError.Reason) {
    curl = try CurlFunctions.found()
    unsafe handle = try pool.take(curl).handle
    self.pool = pool
  }

  deinit { pool.giveBack(unsafe HandlePool.Idle(handle: handle), curl) }

  /// Whether it carries one transfer.
  var isAlone: Bool { transfers.count == 1 }

  fileprivate func add(_ easy: EasyHandle) throws(NetworkInputError.Reason) {
    guard unsafe curl.curl_multi_add_handle(handle, easy.handle) == CURLM_OK else {
      throw .connection("libcurl does not take the transfer")
    }
    transfers.append(easy)
  }

  /// Removes a transfer. One that has not ended is aborted, and its connection closed.
  fileprivate func remove(_ easy: EasyHandle) {
    _ = unsafe curl.curl_multi_remove_handle(handle, easy.handle)
    transfers.removeAll { $0 === easy }
  }

  /// Advances the transfers without waiting.
  func perform() throws(NetworkInputError.Reason) {
    var running: Int32 = 0
    let code = unsafe curl.curl_multi_perform(handle, &running)
    guard code == CURLM_OK else { throw failure(code) }
    var result = CURLE_OK
    // Unsafe: libcurl returns the handle of one of the transfers, which is compared and not used.
    while let ended = unsafe cuelight_next_ended(curl, handle, &result) {
      for easy in transfers where unsafe easy.handle == ended { easy.result = result }
    }
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

/// The membership of a transfer in a multi handle, which ends with this value.
struct CarriedTransfer: ~Copyable {
  let multi: MultiHandle
  let easy: EasyHandle

  /// Adds a transfer to a multi handle.
  init(_ easy: EasyHandle, on multi: MultiHandle) throws(NetworkInputError.Reason) {
    try multi.add(easy)
    (self.multi, self.easy) = (multi, easy)
  }

  deinit { multi.remove(easy) }
}

internal import CCurl

/// The owner of libcurl's handle for one transfer, and what libcurl has delivered.
///
/// A class, because libcurl holds pointers to it for as long as the handle exists. They are not retained: the handle is cleaned up in
/// `deinit`, and after that nothing calls back. libcurl calls back only from within `MultiHandle.perform` and `resume`, on the thread that
/// calls these, and nothing else reads the properties meanwhile.
@safe
final class EasyHandle {
  // Unsafe: made in `init`, cleaned up in `deinit`. Only `MultiHandle` uses it too, and releases it before.
  let handle: UnsafeMutableRawPointer
  let curl: CurlFunctions
  // Unsafe: CURL_ERROR_SIZE bytes, freed after the handle, which writes to them.
  private let text: UnsafeMutablePointer<CChar>
  // Unsafe: the header fields of the request, which libcurl does not copy; freed after the handle.
  private var fields: UnsafeMutablePointer<curl_slist>?
  /// Content that has arrived and was not fetched yet.
  var content: [UInt8] = []
  /// The head of the response so far.
  private(set) var reader: HeadReader
  /// Whether a request was sent that was not redirected.
  private(set) var hasAsked = false
  /// How the transfer has ended, by libcurl; `nil` if it has not.
  var result: CURLcode?
  /// How often something has arrived.
  private(set) var signs = 0
  /// Why the lines of a head were refused.
  private(set) var refusal: NetworkInputError.Reason?
  private var isPaused = false
  private let redirects: Int

  /// The number of bytes that are kept before libcurl is told to pause. One more chunk may arrive.
  private static let contentLimit = 1 << 20

  /// A handle for a request.
  ///
  /// - Parameter request: The request; its URL is one that ``WebAddress`` has checked. libcurl follows redirections only if
  ///   ``WebRequest/isRedirectedByLibrary`` is true.
  init(
    _ request: WebRequest, range: ClosedRange<UInt64>?, limits: NetworkLimits, authorities: String?, _ curl: CurlFunctions
  ) throws(NetworkInputError.Reason) {
    guard let handle = unsafe curl.curl_easy_init() else { throw .connection("libcurl cannot be initialised") }
    unsafe self.handle = handle
    self.curl = curl
    unsafe text = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe text.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    reader = HeadReader(limit: limits.headSize, follows: request.isRedirectedByLibrary)
    redirects = limits.redirects
    try setCallbacks()
    try set(url: request.url, limits, follows: request.isRedirectedByLibrary)
    if !request.checksCertificate {
      for option in [CURLOPT_SSL_VERIFYPEER, CURLOPT_SSL_VERIFYHOST] { try check(unsafe cuelight_set_number(curl, handle, option, 0)) }
    }
    try send(request)
    if let range { try check(unsafe cuelight_set_text(curl, handle, CURLOPT_RANGE, "\(range.lowerBound)-\(range.upperBound)")) }
    if let authorities {
      try check(unsafe cuelight_set_text(curl, handle, CURLOPT_CAINFO, authorities))
      // Otherwise the system's folder of certificates would be trusted as well.
      try check(unsafe cuelight_set_text(curl, handle, CURLOPT_CAPATH, nil))
    }
  }

  deinit {
    unsafe curl.curl_easy_cleanup(handle)
    unsafe curl.curl_slist_free_all(fields)
    unsafe text.deallocate()
  }

  private func setCallbacks() throws(NetworkInputError.Reason) {
    // Unsafe: see above.
    let opaque = unsafe Unmanaged.passUnretained(self).toOpaque()
    try check(unsafe cuelight_set_error_text(curl, handle, text))
    try check(
      unsafe cuelight_set_content_callback(
        curl, handle,
        { bytes, _, count, opaque in
          guard let opaque = unsafe opaque else { return 0 }
          let owner = unsafe Unmanaged<EasyHandle>.fromOpaque(opaque).takeUnretainedValue()
          return unsafe owner.receive(content: UnsafeRawBufferPointer(start: bytes, count: count))
        }, opaque))
    try check(
      unsafe cuelight_set_line_callback(
        curl, handle,
        { bytes, _, count, opaque in
          guard let opaque = unsafe opaque else { return 0 }
          let owner = unsafe Unmanaged<EasyHandle>.fromOpaque(opaque).takeUnretainedValue()
          return unsafe owner.receive(line: UnsafeRawBufferPointer(start: bytes, count: count))
        }, opaque))
    try check(
      unsafe cuelight_set_request_callback(
        curl, handle,
        { opaque, _, _, _, _ in
          guard let opaque = unsafe opaque else { return cuelight_begin_request }
          unsafe Unmanaged<EasyHandle>.fromOpaque(opaque).takeUnretainedValue().hasAsked = true
          return cuelight_begin_request
        }, opaque))
  }

  private func set(url: String, _ limits: NetworkLimits, follows: Bool) throws(NetworkInputError.Reason) {
    try check(unsafe cuelight_allow_web_only(curl, handle))
    try check(unsafe cuelight_leave_names(curl, handle))
    // No cookies, no .netrc, no compression: libcurl uses none of them by default.
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_DISALLOW_USERNAME_IN_URL, 1), (CURLOPT_FOLLOWLOCATION, follows ? 1 : 0), (CURLOPT_MAXREDIRS, max(limits.redirects, 0)),
      (CURLOPT_CONNECTTIMEOUT_MS, limits.connecting.milliseconds), (CURLOPT_NOSIGNAL, 1), (CURLOPT_FAILONERROR, 0),
      (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_TCP_KEEPALIVE, 1),
      (CURLOPT_BUFFERSIZE, 256 << 10),
    ]
    for (option, value) in numbers { try check(unsafe cuelight_set_number(curl, handle, option, value)) }
    // libcurl copies texts.
    try check(unsafe cuelight_set_text(curl, handle, CURLOPT_URL, url))
    try check(unsafe cuelight_set_text(curl, handle, CURLOPT_USERAGENT, "cuelight/0.1"))
  }

  /// Sets the method, the header fields and the content of a request.
  private func send(_ request: WebRequest) throws(NetworkInputError.Reason) {
    for field in request.fields + request.access.fields(for: request.url) {
      // A line break would start another field.
      guard "\(field.name)\(field.value)".utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .invalidField(field.name) }
      // For libcurl, a name with only a colon removes a field, and one with a semicolon is a field without a value.
      try add(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    guard request.method != .get else { return try setFields() }
    // Unsafe: libcurl copies the text and the bytes.
    try check(unsafe cuelight_set_text(curl, handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue))
    if request.method != .delete {
      try check(
        unsafe request.body.withUnsafeBytes { unsafe cuelight_set_body(curl, handle, $0.baseAddress ?? UnsafeRawPointer(text), $0.count) })
      // libcurl would call the content a form, and ask whether it may send a large one.
      if !request.fields.contains(where: { $0.name.lowercased() == "content-type" }) { try add("Content-Type:") }
      try add("Expect:")
    }
    try setFields()
  }

  private func add(_ line: String) throws(NetworkInputError.Reason) {
    // Unsafe: libcurl copies the text. If there is no memory, the list stays as it was.
    guard let longer = unsafe curl.curl_slist_append(fields, line) else { throw .connection("libcurl has no memory") }
    unsafe fields = longer
  }

  private func setFields() throws(NetworkInputError.Reason) {
    if unsafe fields != nil { try check(unsafe cuelight_set_fields(curl, handle, fields)) }
  }

  private func check(_ code: CURLcode) throws(NetworkInputError.Reason) {
    guard code != CURLE_OK else { return }
    throw .connection(words(for: code))
  }

  private func receive(content bytes: UnsafeRawBufferPointer) -> Int {
    signs &+= 1
    guard content.count < Self.contentLimit else {
      isPaused = true
      return cuelight_pause
    }
    // Unsafe: the bytes are copied at once.
    unsafe content.append(contentsOf: bytes)
    return bytes.count
  }

  private func receive(line bytes: UnsafeRawBufferPointer) -> Int {
    signs &+= 1
    do throws(NetworkInputError.Reason) {
      // Unsafe: the bytes are copied at once.
      if try reader.read(unsafe Array(bytes), status: status) == .redirected { hasAsked = false }
      return bytes.count
    } catch {
      refusal = error
      // libcurl aborts if fewer bytes are accepted than it has.
      return 0
    }
  }

  /// Resumes delivery if there is room again.
  func resume() {
    guard isPaused else { return }
    isPaused = false
    _ = unsafe curl.curl_easy_pause(handle, cuelight_continue)
  }

  /// Why the transfer ended early, if it did.
  func failure(_ code: CURLcode) -> NetworkInputError.Reason? {
    if let refusal { return refusal }
    return NetworkInputError.Reason(
      code, text: words(for: code), destination: hasAsked ? nil : reader.destination, isAnswered: reader.isComplete, redirects: redirects)
  }

  /// libcurl's text for an error: the specific one, or else that of the code.
  private func words(for code: CURLcode) -> String {
    // Unsafe: both texts end with a NUL, and are copied at once.
    let words = unsafe String(cString: text)
    guard words.isEmpty, let usual = unsafe curl.curl_easy_strerror(code) else { return words }
    return unsafe String(cString: usual)
  }

  /// The status of the last response.
  private var status: Int { unsafe cuelight_status(curl, handle) }

  /// The length of the content, if the server states it.
  var contentLength: Int? {
    let length = unsafe cuelight_content_length(curl, handle)
    return length < 0 ? nil : Int(exactly: length)
  }

  /// The URL of the last request.
  var finalURL: String {
    // The text belongs to the handle and is copied at once.
    guard let url = unsafe cuelight_final_url(curl, handle) else { return "" }
    return unsafe String(cString: url)
  }
}

extension Duration {
  /// Whole milliseconds, at least one; as many as a C int holds at most.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds < 2_000_000 else { return 2_000_000_000 }
    guard seconds >= 0 else { return 1 }
    return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}

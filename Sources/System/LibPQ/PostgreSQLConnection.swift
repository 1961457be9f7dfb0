// Unsafe: libpq's functions are called by their C names; each call states what C reads and writes.

import LibC

/// A connection to a PostgreSQL server, by libpq. Its calls wait for the network: none is made from the threads that run Swift's tasks.
@safe package struct PostgreSQLConnection: ~Copyable {
  // Unsafe: a PGconn of this value alone, freed with it.
  private let handle: LibPQ.Handle
  private let library: LibPQ
  /// Why the connection is of no use any more; `nil` while it works.
  package private(set) var failure: PostgreSQLError?
  private var notices = 0

  /// Where a server is, as `postgresql://` or with keywords; there may be several hosts.
  package struct Address: Equatable, Sendable {
    package let text: String
    /// The password, if neither `PGPASSWORD` nor a file that libpq knows has it.
    package var password: String?
    /// The hosts with their ports, if there are several. libpq does not try the next one if one accepts a connection and closes it.
    let hosts: [Place]

    /// One of several hosts.
    struct Place: Equatable, Sendable {
      var host: String
      var port: String
    }

    /// - Throws: `PostgreSQLError` if libpq does not understand the address, or if it has a password in it, which anybody on the machine could see.
    package init(_ text: String, password: String? = nil) throws(PostgreSQLError) {
      guard let library = LibPQ.opened else { throw .libraryMissing }
      // C reads the text up to its NUL; what it returns is freed here. Its message may repeat a password, so that nobody sees it.
      guard let options = unsafe library.parse(text, nil) else {
        throw .address("this is no address of PostgreSQL; write postgresql://USER@HOST:PORT/DATABASE")
      }
      defer { unsafe library.freeOptions(options) }
      var lists: [String: [String]] = [:]
      var next = unsafe options.assumingMemoryBound(to: LibPQ.Option.self)
      while let keyword = unsafe next.pointee.keyword {
        let (name, value) = unsafe (LibPQ.text(keyword), next.pointee.value.map { unsafe LibPQ.text($0) })
        guard name != "password" || value == nil else {
          throw .address("a password in the address can be seen by others; put it into PGPASSWORD or a file")
        }
        lists[name] = value?.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        unsafe next += 1
      }
      let (names, ports) = (lists["host"] ?? [], lists["port"] ?? [])
      // One port is that of all hosts. What else there may be is libpq's affair.
      let isPlain = names.count > 1 && lists["hostaddr"] == nil && (ports.count <= 1 || ports.count == names.count)
      hosts = isPlain ? names.indices.map { Place(host: names[$0], port: ports.count > 1 ? ports[$0] : ports.first ?? "") } : []
      (self.text, self.password) = (text, password)
    }
  }

  /// Connects to the first of the hosts that can be written to.
  ///
  /// - Parameters:
  ///   - name: What the server's lists of connections show.
  ///   - seconds: How long each host may take.
  /// - Throws: `PostgreSQLError`.
  package init(_ address: Address, name: String, seconds: Int = 2) throws(PostgreSQLError) {
    guard let library = LibPQ.opened else { throw .libraryMissing }
    // Options after the address override it, and it overrides options before it.
    var options = [
      ("application_name", name), ("connect_timeout", "\(seconds)"), ("target_session_attrs", "read-write"), ("keepalives_idle", "2"),
      ("keepalives_interval", "1"), ("keepalives_count", "3"), ("tcp_user_timeout", "5000"), ("dbname", address.text),
      ("client_encoding", "UTF8"),
    ]
    if let password = address.password { options.append(("password", password)) }
    var reasons: [String] = []
    for place in address.hosts.isEmpty ? [nil] : address.hosts.map({ Optional($0) }) {
      let own = place.map { [("host", $0.host), ("port", $0.port)] } ?? []
      guard let handle = unsafe Self.open(library, options + own, &reasons) else { continue }
      unsafe self.handle = handle
      self.library = library
      return
    }
    throw .connection(reasons.joined(separator: "; "))
  }

  /// Connects to one server; records the reason if that fails. The caller frees the connection.
  private static func open(_ library: LibPQ, _ options: [(String, String)], _ reasons: inout [String]) -> LibPQ.Handle? {
    let handle = unsafe Self.withTexts(options.map(\.0)) { keys in
      // C reads both lists up to their null.
      unsafe Self.withTexts(options.map(\.1)) { values in unsafe library.connect(keys, values, 1) }
    }
    guard let handle = unsafe handle else {
      reasons.append("there is no memory for a connection")
      return nil
    }
    // Notices of the server are discarded.
    _ = unsafe library.setNoticeReceiver(handle, { _, _ in }, nil)
    // The connection is there, and in pipeline mode; or it goes again.
    guard unsafe library.status(handle) == Self.isConnected, unsafe library.setNonblocking(handle, 1) == 0,
      unsafe library.enterPipelineMode(handle) == 1
    else {
      reasons.append(Self.line(unsafe LibPQ.text(library.errorMessage(handle))))
      unsafe library.finish(handle)
      return nil
    }
    return unsafe handle
  }

  deinit { unsafe library.finish(handle) }

  /// Sends statements together, and returns the rows of each.
  ///
  /// - Parameter time: The time limit for all of it, after which the connection is closed.
  /// - Throws: `PostgreSQLError`: if one is refused, the server has skipped the later ones.
  package mutating func run(_ statements: [PostgreSQLStatement], within time: Duration) throws(PostgreSQLError) -> [[PostgreSQLRow]] {
    if let failure { throw failure }
    let deadline = ContinuousClock.now + time
    for statement in statements { try send(statement) }
    guard unsafe library.pipelineSync(handle) == 1 else { throw lost() }
    var (results, refusal): ([[PostgreSQLRow]], PostgreSQLError?) = ([], nil)
    while true {
      guard let result = unsafe try next(until: deadline) else { continue }
      defer { unsafe library.clear(result) }
      switch unsafe library.resultStatus(result) {
      case Self.pipelineEnd:
        if let refusal { throw refusal }
        return results
      case Self.commandDone, Self.hasRows: results.append(unsafe rows(result))
      case Self.isAborted: break
      default:
        if refusal == nil {
          refusal = unsafe .statement(code: field(result, Self.codeField), message: Self.line(field(result, Self.messageField)))
        }
      }
    }
  }

  /// Waits for a notification; returns whether one has arrived since the last call.
  package mutating func wait(for time: Duration) throws(PostgreSQLError) -> Bool {
    if let failure { throw failure }
    collectNotices()
    let deadline = ContinuousClock.now + time
    while notices == 0, ContinuousClock.now < deadline {
      if try wait(until: deadline, alsoWriting: false) {
        guard unsafe library.consumeInput(handle) == 1 else { throw lost() }
        collectNotices()
      }
    }
    defer { notices = 0 }
    return notices > 0
  }

  private mutating func collectNotices() {
    // libpq allocates each notification, and it is freed here.
    while let notice = unsafe library.notifies(handle) {
      unsafe library.freeMemory(notice)
      notices += 1
    }
  }

  // MARK: One after the other

  private mutating func send(_ statement: PostgreSQLStatement) throws(PostgreSQLError) {
    let values = statement.values.map(\.encoded)
    var bytes: [UInt8] = []
    for value in values { bytes += value ?? [] }
    let (types, formats) = (statement.values.map(\.type), [Int32](repeating: 1, count: values.count))
    let lengths = values.map { Int32(truncatingIfNeeded: $0?.count ?? 0) }
    let isSent = unsafe bytes.withUnsafeBufferPointer { buffer in
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      // No value of an empty buffer is read, but a null pointer would be a null.
      let start = unsafe UnsafeRawPointer(buffer.baseAddress) ?? UnsafeRawPointer(bitPattern: 8)
      var offset = 0
      for value in values {
        unsafe pointers.append(value == nil ? nil : start.map { unsafe ($0 + offset).assumingMemoryBound(to: CChar.self) })
        offset += value?.count ?? 0
      }
      // C reads the text up to its NUL, the lists as long as they are, and each value in its length.
      return unsafe library.send(handle, statement.text, Int32(truncatingIfNeeded: values.count), types, pointers, lengths, formats, 1)
    }
    guard isSent == 1 else { throw lost() }
  }

  /// The next result, which the caller frees; `nil` after the last one of a statement.
  private mutating func next(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> LibPQ.Handle? {
    while true {
      let unsent = unsafe library.flush(handle)
      guard unsent >= 0 else { throw lost() }
      if unsafe library.isBusy(handle) == 0 { break }
      guard try wait(until: deadline, alsoWriting: unsent > 0) else { throw lost("the server does not answer in time") }
      guard unsafe library.consumeInput(handle) == 1 else { throw lost() }
    }
    let result = unsafe library.getResult(handle)
    if unsafe result == nil, unsafe library.status(handle) != Self.isConnected { throw lost() }
    return unsafe result
  }

  /// Waits for the socket; returns whether it is ready.
  private mutating func wait(until deadline: ContinuousClock.Instant, alsoWriting: Bool) throws(PostgreSQLError) -> Bool {
    let left = (deadline - .now).components
    guard left.seconds >= 0, left.attoseconds >= 0 else { return false }
    let milliseconds = min(left.seconds, 3_600) * 1_000 + left.attoseconds / 1_000_000_000_000_000 + 1
    var entry = unsafe pollfd(fd: library.socket(handle), events: Int16(POLLIN) | (alsoWriting ? Int16(POLLOUT) : 0), revents: 0)
    // The system reads and writes one entry.
    let count = unsafe poll(&entry, 1, Int32(milliseconds))
    guard count >= 0 || errno == EINTR else { throw lost() }
    return count > 0
  }

  private mutating func lost(_ reason: String? = nil) -> PostgreSQLError {
    let text = unsafe reason ?? LibPQ.text(library.errorMessage(handle))
    let error = PostgreSQLError.connection(text.isEmpty ? "the connection is lost" : Self.line(text))
    failure = error
    return error
  }

  // MARK: Results

  private func rows(_ result: LibPQ.Handle) -> [PostgreSQLRow] {
    let columns = unsafe library.columnCount(result)
    return unsafe (0..<library.rowCount(result)).map { row in
      PostgreSQLRow(
        columns: (0..<columns).map { column in
          guard unsafe library.isNull(result, row, column) == 0, let value = unsafe library.value(result, row, column) else { return nil }
          // The value lives as long as the result, and is copied.
          return unsafe Array(UnsafeRawBufferPointer(start: value, count: Int(library.length(result, row, column))))
        })
    }
  }

  private func field(_ result: LibPQ.Handle, _ code: Int32) -> String { unsafe LibPQ.text(library.resultField(result, code)) }

  /// The first line of a message: the others contain values of rows, which may be secret.
  private static func line(_ text: String) -> String { String(text.prefix { $0 != "\n" }) }

  /// Lends texts to C, as a list that ends with null.
  private static func withTexts<Result>(_ texts: [String], _ body: (LibPQ.Texts) -> Result) -> Result {
    // Unsafe: copies for the call, freed after it.
    var pointers = unsafe texts.map { unsafe UnsafePointer<CChar>(strdup($0)) }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
    return unsafe pointers.withUnsafeBufferPointer { buffer in
      // There is at least the null.
      unsafe body(buffer.baseAddress.unsafelyUnwrapped)
    }
  }

  // Numbers of libpq-fe.h and postgres_ext.h.
  private static let isConnected: Int32 = 0
  private static let commandDone: Int32 = 1
  private static let hasRows: Int32 = 2
  private static let pipelineEnd: Int32 = 10
  private static let isAborted: Int32 = 11
  private static let codeField = Int32(UInt8(ascii: "C"))
  private static let messageField = Int32(UInt8(ascii: "M"))
}

// Unsafe: libpq's functions are found by their C names; the types are those of libpq-fe.h.

import LibC

/// PostgreSQL's client library. It is opened when it is needed first, and never closed.
@safe struct LibPQ: @unchecked Sendable {
  /// A `PGconn` or a `PGresult`.
  typealias Handle = OpaquePointer
  typealias NoticeReceiver = @convention(c) (UnsafeMutableRawPointer?, Handle?) -> Void
  typealias Text = UnsafePointer<CChar>
  typealias Texts = UnsafePointer<UnsafePointer<CChar>?>

  // Unsafe: pointers to functions of a library that is never closed.
  let parse: @convention(c) (Text, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> UnsafeMutableRawPointer?
  let freeOptions: @convention(c) (UnsafeMutableRawPointer?) -> Void
  let freeMemory: @convention(c) (UnsafeMutableRawPointer?) -> Void
  let connect: @convention(c) (Texts, Texts, Int32) -> Handle?
  let finish: @convention(c) (Handle?) -> Void
  let status: @convention(c) (Handle?) -> Int32
  let errorMessage: @convention(c) (Handle?) -> Text?
  let socket: @convention(c) (Handle?) -> Int32
  let setNonblocking: @convention(c) (Handle?, Int32) -> Int32
  let enterPipelineMode: @convention(c) (Handle?) -> Int32
  let pipelineSync: @convention(c) (Handle?) -> Int32
  let send:
    @convention(c) (
      Handle?, Text, Int32, UnsafePointer<UInt32>?, Texts?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
    ) -> Int32
  let flush: @convention(c) (Handle?) -> Int32
  let consumeInput: @convention(c) (Handle?) -> Int32
  let isBusy: @convention(c) (Handle?) -> Int32
  let getResult: @convention(c) (Handle?) -> Handle?
  let resultStatus: @convention(c) (Handle?) -> Int32
  let resultField: @convention(c) (Handle?, Int32) -> Text?
  let rowCount: @convention(c) (Handle?) -> Int32
  let columnCount: @convention(c) (Handle?) -> Int32
  let isNull: @convention(c) (Handle?, Int32, Int32) -> Int32
  let length: @convention(c) (Handle?, Int32, Int32) -> Int32
  let value: @convention(c) (Handle?, Int32, Int32) -> UnsafeMutablePointer<CChar>?
  let clear: @convention(c) (Handle?) -> Void
  let notifies: @convention(c) (Handle?) -> UnsafeMutableRawPointer?
  let setNoticeReceiver: @convention(c) (Handle?, NoticeReceiver?, UnsafeMutableRawPointer?) -> NoticeReceiver?

  /// `PQconninfoOption` of libpq-fe.h.
  @unsafe struct Option {
    var keyword: UnsafePointer<CChar>?
    var variable: UnsafePointer<CChar>?
    var compiled: UnsafePointer<CChar>?
    var value: UnsafePointer<CChar>?
    var label: UnsafePointer<CChar>?
    var display: UnsafePointer<CChar>?
    var size: Int32
  }

  static let opened = LibPQ(["libpq.so.5", "libpq.5.dylib"])

  /// Opens the library; the first of the names that is there counts. `nil` if none is, or if it has no pipelines (before version 14).
  init?(_ names: [String]) {
    // Unsafe: the names are lent to C for the calls; each function's type is that of the header.
    guard let library = unsafe names.lazy.compactMap({ unsafe dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else { return nil }
    func find<Function>(_ name: String) -> Function? { unsafe dlsym(library, name).map { unsafe unsafeBitCast($0, to: Function.self) } }
    guard
      let parse: @convention(c) (Text, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> UnsafeMutableRawPointer? =
        unsafe find("PQconninfoParse"),
      let freeOptions: @convention(c) (UnsafeMutableRawPointer?) -> Void = unsafe find("PQconninfoFree"),
      let freeMemory: @convention(c) (UnsafeMutableRawPointer?) -> Void = unsafe find("PQfreemem"),
      let connect: @convention(c) (Texts, Texts, Int32) -> Handle? = unsafe find("PQconnectdbParams"),
      let finish: @convention(c) (Handle?) -> Void = unsafe find("PQfinish"),
      let status: @convention(c) (Handle?) -> Int32 = unsafe find("PQstatus"),
      let errorMessage: @convention(c) (Handle?) -> Text? = unsafe find("PQerrorMessage"),
      let socket: @convention(c) (Handle?) -> Int32 = unsafe find("PQsocket"),
      let setNonblocking: @convention(c) (Handle?, Int32) -> Int32 = unsafe find("PQsetnonblocking"),
      let enterPipelineMode: @convention(c) (Handle?) -> Int32 = unsafe find("PQenterPipelineMode"),
      let pipelineSync: @convention(c) (Handle?) -> Int32 = unsafe find("PQpipelineSync"),
      let send:
        @convention(c) (
          Handle?, Text, Int32, UnsafePointer<UInt32>?, Texts?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
        ) -> Int32 = unsafe find("PQsendQueryParams")
    else { return nil }
    guard let flush: @convention(c) (Handle?) -> Int32 = unsafe find("PQflush"),
      let consumeInput: @convention(c) (Handle?) -> Int32 = unsafe find("PQconsumeInput"),
      let isBusy: @convention(c) (Handle?) -> Int32 = unsafe find("PQisBusy"),
      let getResult: @convention(c) (Handle?) -> Handle? = unsafe find("PQgetResult"),
      let resultStatus: @convention(c) (Handle?) -> Int32 = unsafe find("PQresultStatus"),
      let resultField: @convention(c) (Handle?, Int32) -> Text? = unsafe find("PQresultErrorField"),
      let rowCount: @convention(c) (Handle?) -> Int32 = unsafe find("PQntuples"),
      let columnCount: @convention(c) (Handle?) -> Int32 = unsafe find("PQnfields"),
      let isNull: @convention(c) (Handle?, Int32, Int32) -> Int32 = unsafe find("PQgetisnull"),
      let length: @convention(c) (Handle?, Int32, Int32) -> Int32 = unsafe find("PQgetlength"),
      let value: @convention(c) (Handle?, Int32, Int32) -> UnsafeMutablePointer<CChar>? = unsafe find("PQgetvalue"),
      let clear: @convention(c) (Handle?) -> Void = unsafe find("PQclear"),
      let notifies: @convention(c) (Handle?) -> UnsafeMutableRawPointer? = unsafe find("PQnotifies"),
      let setNoticeReceiver: @convention(c) (Handle?, NoticeReceiver?, UnsafeMutableRawPointer?) -> NoticeReceiver? =
        unsafe find("PQsetNoticeReceiver")
    else { return nil }
    unsafe (self.parse, self.freeOptions, self.freeMemory) = (parse, freeOptions, freeMemory)
    unsafe (self.connect, self.finish, self.status, self.errorMessage) = (connect, finish, status, errorMessage)
    unsafe (self.socket, self.setNonblocking) = (socket, setNonblocking)
    unsafe (self.enterPipelineMode, self.pipelineSync, self.send, self.flush) = (enterPipelineMode, pipelineSync, send, flush)
    unsafe (self.consumeInput, self.isBusy, self.getResult) = (consumeInput, isBusy, getResult)
    unsafe (self.resultStatus, self.resultField, self.rowCount) = (resultStatus, resultField, rowCount)
    unsafe (self.columnCount, self.isNull, self.length, self.value) = (columnCount, isNull, length, value)
    unsafe (self.clear, self.notifies, self.setNoticeReceiver) = (clear, notifies, setNoticeReceiver)
  }

  /// The text of a C string.
  static func text(_ pointer: Text?) -> String {
    // Unsafe: libpq's strings end with NUL, and are copied.
    unsafe pointer.map { unsafe String(cString: $0) } ?? ""
  }
}

/// Why PostgreSQL has not carried out a request.
package enum PostgreSQLError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is no libpq.
  case libraryMissing
  /// The address is not valid.
  case address(String)
  /// There is no server, or the connection to it is lost: statements that were being executed may have had an effect.
  case connection(String)
  /// The server refuses a statement. Its transaction has no effect.
  case statement(code: String, message: String)

  package var description: String {
    switch self {
    case .libraryMissing: "PostgreSQL needs libpq of version 14 or later (Debian: libpq5)"
    case .address(let reason): reason
    case .connection(let reason): reason
    case .statement(let code, let message): "\(message) (\(code))"
    }
  }

  /// Whether two rows would have the same key.
  package var isUniqueViolation: Bool { if case .statement("23505", _) = self { true } else { false } }
}

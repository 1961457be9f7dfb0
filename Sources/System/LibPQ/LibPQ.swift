// Unsafe: libpq's functions are found by their C names; the types are those of libpq-fe.h.

import LibC

/// PostgreSQL's client library.
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

  static let opened = SharedLibrary(["libpq.so.5", "libpq.5.dylib"]).flatMap { try? LibPQ($0) }

  /// - Throws: if the library has no pipelines (before version 14).
  init(_ library: SharedLibrary) throws(SharedLibrary.FunctionMissing) {
    unsafe parse = try library.function("PQconninfoParse")
    unsafe freeOptions = try library.function("PQconninfoFree")
    unsafe freeMemory = try library.function("PQfreemem")
    unsafe connect = try library.function("PQconnectdbParams")
    unsafe finish = try library.function("PQfinish")
    unsafe status = try library.function("PQstatus")
    unsafe errorMessage = try library.function("PQerrorMessage")
    unsafe socket = try library.function("PQsocket")
    unsafe setNonblocking = try library.function("PQsetnonblocking")
    unsafe enterPipelineMode = try library.function("PQenterPipelineMode")
    unsafe pipelineSync = try library.function("PQpipelineSync")
    unsafe send = try library.function("PQsendQueryParams")
    unsafe flush = try library.function("PQflush")
    unsafe consumeInput = try library.function("PQconsumeInput")
    unsafe isBusy = try library.function("PQisBusy")
    unsafe getResult = try library.function("PQgetResult")
    unsafe resultStatus = try library.function("PQresultStatus")
    unsafe resultField = try library.function("PQresultErrorField")
    unsafe rowCount = try library.function("PQntuples")
    unsafe columnCount = try library.function("PQnfields")
    unsafe isNull = try library.function("PQgetisnull")
    unsafe length = try library.function("PQgetlength")
    unsafe value = try library.function("PQgetvalue")
    unsafe clear = try library.function("PQclear")
    unsafe notifies = try library.function("PQnotifies")
    unsafe setNoticeReceiver = try library.function("PQsetNoticeReceiver")
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

internal import CLibAV

/// A failure inside libavformat or libavcodec: the operation and libav's error code, or the libraries that are missing.
public struct AVError: Error, Equatable, Sendable {
  /// libav's error code, a negative number.
  public var code: Int32
  /// What was being done, and to which file if there is one, for example `opening show.mp4`.
  public var operation: String
  /// Why FFmpeg's libraries cannot be loaded, and what to install; `nil` if they are loaded. The code is then `ENOSYS`.
  public private(set) var missingLibrary: String?

  /// The error `code` of libav during `operation`.
  public init(code: Int32, operation: String) { (self.code, self.operation) = (code, operation) }

  /// An operation that failed because the libraries are missing.
  init(_ missing: MissingLibrary, operation: String) {
    self.init(code: cuelight_error_of_errno(ENOSYS), operation: operation)
    missingLibrary = missing.reason
  }

  /// Whether libav did not understand the data.
  public var isInvalidData: Bool { code == cuelight_error_invalid_data }
}

extension AVError: CustomStringConvertible {
  /// The operation and libav's words for the code, for example `opening show.mp4: Invalid data found when processing input`.
  public var description: String { "\(operation): \(missingLibrary ?? errorText(libavCode: code))" }
}

/// libav's words for one of its codes. It also knows those of errno.
private func errorText(libavCode code: Int32) -> String {
  guard let libav = LibAVFunctions.found else { return "error \(code)" }
  var text = [CChar](repeating: 0, count: Int(AV_ERROR_MAX_STRING_SIZE))
  // Unsafe: C writes into the array, whose size it is told, and ends with a NUL whatever the code is.
  _ = unsafe libav.av_strerror(code, &text, text.count)
  return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

extension RemuxError {
  /// The error of a libav function; an interruption if the caller's interrupt check asked for it.
  init(code: Int32, _ operation: String) {
    self = code == cuelight_error_exit ? .interrupted : .library(AVError(code: code, operation: operation))
  }

  static func outOfMemory(_ operation: String) -> RemuxError { RemuxError(code: cuelight_error_of_errno(ENOMEM), operation) }

  static func invalidArgument(_ operation: String) -> RemuxError { RemuxError(code: cuelight_error_of_errno(EINVAL), operation) }
}

/// Throws if libav returned an error code.
@discardableResult
func check(_ code: Int32, _ operation: @autoclosure () -> String) throws(RemuxError) -> Int32 {
  guard code >= 0 else { throw RemuxError(code: code, operation()) }
  return code
}

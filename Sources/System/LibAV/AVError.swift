internal import CLibAV

/// A failure inside libavformat or libavcodec: what was being done and libav's error code, or that the libraries are not there.
public struct AVError: Error, Equatable, Sendable {
  /// libav's error code, a negative number.
  public var code: Int32
  /// What was being done, and to which file where there is one, for example `opening show.mp4`.
  public var operation: String
  /// Why FFmpeg's libraries cannot be used, where they cannot, and what to do; the code then says that a function is missing (`ENOSYS`).
  public private(set) var missingLibrary: String?

  /// An error of libav's code `code` while doing `operation`.
  public init(code: Int32, operation: String) {
    self.code = code
    self.operation = operation
  }

  /// An operation that would need the libraries.
  init(_ missing: MissingLibrary, operation: String) {
    self.init(code: cuelight_error_of_errno(ENOSYS), operation: operation)
    missingLibrary = missing.reason
  }

  /// Whether the work stopped because the caller's interrupt check asked for it.
  public var isInterruption: Bool { code == cuelight_error_exit }

  /// Whether libav did not understand the data.
  public var isInvalidData: Bool { code == cuelight_error_invalid_data }

  static func outOfMemory(_ operation: String) -> AVError {
    AVError(code: cuelight_error_of_errno(ENOMEM), operation: operation)
  }
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

/// Throws where libav returned an error code.
@discardableResult
func check(_ code: Int32, _ operation: @autoclosure () -> String) throws(AVError) -> Int32 {
  guard code >= 0 else { throw AVError(code: code, operation: operation()) }
  return code
}

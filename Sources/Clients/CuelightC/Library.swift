// What a program asks of the library itself: its version, and what its errors are called.
//
// Unsafe: the texts are constants with a zero at their end.

import EventReading

/// The version of the library, which is that of the programs and of the header.
private let libraryVersion: StaticString = "1.1.0"

/// Why a call of a reader failed. The numbers are those of the header, and stay.
enum Failure: Int, CaseIterable {
  case empty = -1
  case notAStream = -2
  case plainMP4 = -3
  case noFragments = -4
  case ended = -5
  case badCount = -6

  init(_ error: ReadingError) {
    self =
      switch error {
      case .empty: .empty
      case .notATransportStream: .notAStream
      case .plainMP4: .plainMP4
      case .noFragments: .noFragments
      }
  }

  /// Its name in the header.
  var name: StaticString {
    switch self {
    case .empty: "CUELIGHT_ERROR_EMPTY"
    case .notAStream: "CUELIGHT_ERROR_NOT_A_STREAM"
    case .plainMP4: "CUELIGHT_ERROR_PLAIN_MP4"
    case .noFragments: "CUELIGHT_ERROR_NO_FRAGMENTS"
    case .ended: "CUELIGHT_ERROR_ENDED"
    case .badCount: "CUELIGHT_ERROR_BAD_COUNT"
    }
  }

  /// The reason in words.
  var text: StaticString {
    switch self {
    case .empty: "the input is empty"
    case .notAStream: "the input is no transport stream, fragmented MP4 or packed audio"
    case .plainMP4: "the input is a plain MP4 or MOV file, which carries no timed ID3"
    case .noFragments: "the input starts as fragmented MP4 does, and has neither a movie header nor a fragment"
    case .ended: "the reader has ended: after an error or the end of the stream, make another one"
    case .badCount: "the number of bytes is negative, or more than room was made for"
    }
  }
}

private func constant(_ text: StaticString) -> UnsafePointer<CChar> {
  unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// The version of the library, such as `1.2.3`.
@_cdecl("cuelight_version") public func version() -> UnsafePointer<CChar> { unsafe constant(libraryVersion) }

/// The name of an error, as the header has it; `CUELIGHT_OK` for everything that is no error.
@_cdecl("cuelight_error_name") public func errorName(_ code: Int) -> UnsafePointer<CChar> {
  unsafe constant(code >= 0 ? "CUELIGHT_OK" : Failure(rawValue: code)?.name ?? "CUELIGHT_ERROR_UNKNOWN")
}

/// What an error means, in words.
@_cdecl("cuelight_error_text") public func errorText(_ code: Int) -> UnsafePointer<CChar> {
  unsafe constant(code >= 0 ? "no error" : Failure(rawValue: code)?.text ?? "an error that this version does not know")
}

// Unsafe: libqrencode's functions are found and called by their C names; each call states what C reads and writes.

import LibC

/// A QR code (ISO/IEC 18004), by libqrencode.
package struct QRCode: Equatable, Sendable {
  /// The number of modules of a side.
  package let width: Int
  /// Whether each module is dark, row by row.
  package let modules: [Bool]

  /// A code of modules, row by row; `nil` if their number is not that of a square.
  package init?(width: Int, modules: [Bool]) {
    guard width > 0, modules.count == width * width else { return nil }
    (self.width, self.modules) = (width, modules)
  }

  /// The code of a text; `nil` if libqrencode is missing, or the text is too long.
  package init?(_ text: String) {
    guard let library = QREncode.opened, let code = library.code(of: text) else { return nil }
    self = code
  }

  /// The code in lines of blocks for a dark screen: each character is two modules, with a margin around them.
  package var lines: [String] {
    func isLight(_ row: Int, _ column: Int) -> Bool {
      guard (0..<width).contains(row), (0..<width).contains(column) else { return true }
      return !modules[row * width + column]
    }
    return stride(from: -Self.margin, to: width + Self.margin, by: 2).map { row in
      (-Self.margin..<width + Self.margin).map { column in
        switch (isLight(row, column), isLight(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }.joined()
    }
  }

  private static let margin = 2
}

@safe private struct QREncode: @unchecked Sendable {
  /// `QRcode` of qrencode.h.
  @unsafe private struct Symbol {
    var version: Int32
    var width: Int32
    var data: UnsafeMutablePointer<UInt8>?
  }

  // Unsafe: pointers to functions of a library that is never closed, with the types of qrencode.h.
  private let encode: @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> UnsafeMutableRawPointer?
  private let free: @convention(c) (UnsafeMutableRawPointer?) -> Void

  static let opened = SharedLibrary(["libqrencode.so.4"]).flatMap { try? QREncode($0) }

  private init(_ library: SharedLibrary) throws(SharedLibrary.FunctionMissing) {
    unsafe encode = try library.function("QRcode_encodeString8bit")
    unsafe free = try library.function("QRcode_free")
  }

  func code(of text: String) -> QRCode? {
    // The smallest version, with medium correction. C reads the text up to its NUL.
    guard let symbol = unsafe encode(text, 0, 1) else { return nil }
    defer { unsafe free(symbol) }
    let code = unsafe symbol.assumingMemoryBound(to: Symbol.self).pointee
    let width = Int(unsafe code.width)
    guard let data = unsafe code.data, width > 0 else { return nil }
    // There are `width * width` bytes; the lowest bit says whether a module is dark.
    return QRCode(width: width, modules: (0..<width * width).map { unsafe data[$0] & 1 == 1 })
  }
}

// Unsafe: libxml2's functions are found and called by their C names; each call states what C reads and writes.

import LibC

/// libxml2's reader.
@safe struct LibXML: @unchecked Sendable {
  typealias Call = @convention(c) (OpaquePointer?) -> Int32
  typealias Text = @convention(c) (OpaquePointer?) -> UnsafePointer<UInt8>?

  // Unsafe: pointers to functions of a library that is never closed, with the types of xmlreader.h.
  let open: @convention(c) (UnsafePointer<CChar>?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int32) -> OpaquePointer?
  let read: Call
  let type: Call
  let depth: Call
  let isEmpty: Call
  let nextAttribute: Call
  let name: Text
  let value: Text
  let free: @convention(c) (OpaquePointer?) -> Void

  static let opened = SharedLibrary(["libxml2.so.2", "libxml2.so.16", "libxml2.2.dylib"]).flatMap { try? Self($0) }

  init(_ library: SharedLibrary) throws(SharedLibrary.FunctionMissing) {
    unsafe open = try library.function("xmlReaderForMemory")
    unsafe read = try library.function("xmlTextReaderRead")
    unsafe type = try library.function("xmlTextReaderNodeType")
    unsafe depth = try library.function("xmlTextReaderDepth")
    unsafe isEmpty = try library.function("xmlTextReaderIsEmptyElement")
    unsafe nextAttribute = try library.function("xmlTextReaderMoveToNextAttribute")
    unsafe name = try library.function("xmlTextReaderConstLocalName")
    unsafe value = try library.function("xmlTextReaderConstValue")
    unsafe free = try library.function("xmlFreeTextReader")
  }
}

/// A node of an XML document.
enum XMLNode {
  /// An element begins; its name and those of its attributes are without prefixes.
  case start(String, [(name: String, value: String)])
  case text(String)
  /// An element ends.
  case end(String)
}

/// Reads XML from memory, without network, documents elsewhere, or entities of its own.
enum XMLText {
  /// XML_PARSE_NOERROR, XML_PARSE_NOWARNING, XML_PARSE_NONET: nothing is printed, and nothing loaded.
  private static let options: Int32 = 1 << 5 | 1 << 6 | 1 << 11

  /// Calls `take` for each node.
  ///
  /// - Throws: if the text is no XML, is nested too deeply, or declares entities; and what `take` throws.
  static func read(_ bytes: [UInt8], _ take: (XMLNode) throws(SpreadsheetError) -> Void) throws(SpreadsheetError) {
    guard let library = LibXML.opened, let count = Int32(exactly: bytes.count) else { return try Spreadsheet.requireLibraries() }
    try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(SpreadsheetError) in
      // Unsafe: C reads `count` bytes of the buffer, which lives as long as the reader, and keeps the reader, which is freed at the end.
      guard
        let reader = unsafe buffer.withMemoryRebound(to: CChar.self, { unsafe library.open($0.baseAddress, count, nil, nil, options) })
      else { throw .unreadable("no memory for XML") }
      defer { unsafe library.free(reader) }
      while unsafe try step(reader, library, take) {}
    }
  }

  /// Whether there was a node. Unsafe: the reader is open.
  @unsafe private static func step(
    _ reader: OpaquePointer, _ library: LibXML, _ take: (XMLNode) throws(SpreadsheetError) -> Void
  ) throws(SpreadsheetError) -> Bool {
    let status = unsafe library.read(reader)
    guard status >= 0 else { throw .unreadable("the XML in this spreadsheet is damaged") }
    guard status > 0 else { return false }
    guard unsafe library.depth(reader) <= SpreadsheetLimits.depth else {
      throw .unreadable("the XML in this spreadsheet is nested too deeply")
    }
    switch unsafe library.type(reader) {
    case 1:
      let name = unsafe text(library.name(reader))
      // Asked before the reader moves to the attributes.
      let isEmpty = unsafe library.isEmpty(reader) == 1
      var attributes: [(name: String, value: String)] = []
      while unsafe library.nextAttribute(reader) == 1 {
        guard attributes.count < SpreadsheetLimits.attributes else {
          throw .unreadable("the XML in this spreadsheet has too many attributes")
        }
        attributes.append(unsafe (text(library.name(reader)), text(library.value(reader))))
      }
      try take(.start(name, attributes))
      if isEmpty { try take(.end(name)) }
    case 15: try take(.end(unsafe text(library.name(reader))))
    // Text, CDATA, and white space of both kinds.
    case 3, 4, 13, 14: try take(.text(unsafe text(library.value(reader))))
    // A reference to an entity, an entity, a document type.
    case 5, 6, 10: throw .unreadable("the XML in this spreadsheet declares a document type, which no spreadsheet has")
    default: break
    }
    return true
  }

  /// Unsafe: the pointer is that of a NUL-terminated text, which lives until the reader advances.
  @unsafe private static func text(_ pointer: UnsafePointer<UInt8>?) -> String { unsafe pointer.map { unsafe String(cString: $0) } ?? "" }
}

extension [(name: String, value: String)] {
  /// The value of an attribute.
  subscript(_ name: String) -> String? { first { $0.name == name }?.value }
}

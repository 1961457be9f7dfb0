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
package enum XMLNode {
  /// An element begins; its name and those of its attributes are without prefixes.
  case start(String, [(name: String, value: String)])
  case text(String)
  /// An element ends.
  case end(String)
}

/// Why a document is not read.
package enum XMLFault: Error, Equatable {
  /// libxml2 is not installed.
  case libraryMissing
  /// There is not enough memory, or the text is larger than libxml2 takes.
  case tooLarge
  /// It is not well-formed.
  case damaged
  /// Elements are inside each other more deeply than the limit.
  case tooDeep
  /// An element has more attributes than the limit.
  case tooManyAttributes
  /// It declares a document type or entities, which are not read.
  case documentType
}

/// Reads XML from memory, without network, documents elsewhere, or entities of its own.
package enum XMLText {
  /// XML_PARSE_NOERROR, XML_PARSE_NOWARNING, XML_PARSE_NONET: nothing is printed, and nothing loaded.
  private static let options: Int32 = 1 << 5 | 1 << 6 | 1 << 11

  /// Whether libxml2 is there.
  package static var isAvailable: Bool { LibXML.opened != nil }

  /// How many elements may be inside each other, and how many attributes an element may have.
  package static let (mostDepth, mostAttributes) = (64, 64)

  /// Calls `take` for each node.
  ///
  /// - Throws: what `failure` makes of an ``XMLFault``; and what `take` throws.
  package static func read<Failure: Error>(
    _ bytes: [UInt8], failing failure: (XMLFault) -> Failure, _ take: (XMLNode) throws(Failure) -> Void
  ) throws(Failure) {
    guard let library = LibXML.opened else { throw failure(.libraryMissing) }
    guard let count = Int32(exactly: bytes.count) else { throw failure(.tooLarge) }
    try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
      // Unsafe: C reads `count` bytes of the buffer, which lives as long as the reader, and keeps the reader, which is freed at the end.
      guard
        let reader = unsafe buffer.withMemoryRebound(to: CChar.self, { unsafe library.open($0.baseAddress, count, nil, nil, options) })
      else { throw failure(.tooLarge) }
      defer { unsafe library.free(reader) }
      while unsafe try step(reader, library, failure, take) {}
    }
  }

  /// Whether there was a node. Unsafe: the reader is open.
  @unsafe private static func step<Failure: Error>(
    _ reader: OpaquePointer, _ library: LibXML, _ failure: (XMLFault) -> Failure, _ take: (XMLNode) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    let status = unsafe library.read(reader)
    guard status >= 0 else { throw failure(.damaged) }
    guard status > 0 else { return false }
    guard unsafe library.depth(reader) <= mostDepth else { throw failure(.tooDeep) }
    switch unsafe library.type(reader) {
    case 1:
      let name = unsafe text(library.name(reader))
      // Asked before the reader moves to the attributes.
      let isEmpty = unsafe library.isEmpty(reader) == 1
      var attributes: [(name: String, value: String)] = []
      while unsafe library.nextAttribute(reader) == 1 {
        guard attributes.count < mostAttributes else { throw failure(.tooManyAttributes) }
        attributes.append(unsafe (text(library.name(reader)), text(library.value(reader))))
      }
      try take(.start(name, attributes))
      if isEmpty { try take(.end(name)) }
    case 15: try take(.end(unsafe text(library.name(reader))))
    // Text, CDATA, and white space of both kinds.
    case 3, 4, 13, 14: try take(.text(unsafe text(library.value(reader))))
    // A reference to an entity, an entity, a document type.
    case 5, 6, 10: throw failure(.documentType)
    default: break
    }
    return true
  }

  /// Unsafe: the pointer is that of a NUL-terminated text, which lives until the reader advances.
  @unsafe private static func text(_ pointer: UnsafePointer<UInt8>?) -> String { unsafe pointer.map { unsafe String(cString: $0) } ?? "" }
}

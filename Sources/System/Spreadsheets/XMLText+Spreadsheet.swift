import XML

extension XMLText {
  /// Calls `take` for each node of a file within a spreadsheet.
  ///
  /// - Throws: if the text is no XML, is nested too deeply, or declares entities; and what `take` throws.
  static func read(_ bytes: [UInt8], _ take: (XMLNode) throws(SpreadsheetError) -> Void) throws(SpreadsheetError) {
    try read(bytes, failing: SpreadsheetError.init, take)
  }
}

extension SpreadsheetError {
  fileprivate init(_ fault: XMLFault) {
    switch fault {
    case .libraryMissing: self = .libraryMissing("reading spreadsheets needs libxml2 (Debian: libxml2)")
    case .tooLarge: self = .unreadable("no memory for XML")
    case .damaged: self = .unreadable("the XML in this spreadsheet is damaged")
    case .tooDeep: self = .unreadable("the XML in this spreadsheet is nested too deeply")
    case .tooManyAttributes: self = .unreadable("the XML in this spreadsheet has too many attributes")
    case .documentType: self = .unreadable("the XML in this spreadsheet declares a document type, which no spreadsheet has")
    }
  }
}

extension [(name: String, value: String)] {
  /// The value of an attribute.
  subscript(_ name: String) -> String? { first { $0.name == name }?.value }
}

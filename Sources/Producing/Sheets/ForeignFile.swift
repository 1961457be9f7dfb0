/// A file that people take for one that is read: what it is, and what to do with it.
package struct ForeignFile: Equatable, Sendable {
  /// Where it is to be seen what the file is.
  package let place: SheetPlace
  /// What it is, after the words "this is".
  package let name: String
  /// What to do to have its questions read.
  package let way: String

  /// A file of a kind.
  package init(at place: SheetPlace = .start, _ name: String, way: String) { (self.place, self.name, self.way) = (place, name, way) }

  /// The mistake in a file of questions.
  package var problem: SheetProblem { SheetProblem(at: place, "this is \(name); \(way)") }

  /// The mistake in a cue sheet.
  package var sheetProblem: SheetProblem {
    SheetProblem(at: place, "this is \(name), and no cue sheet; write one in YAML or JSON, or make one of questions with cuelight plan")
  }

  /// What a file is whose first bytes are no text; `nil` for a text, and for files of offices, whose content says what they are.
  package init?(_ bytes: [UInt8]) {
    guard let (name, way) = Self.known(bytes) ?? Self.controls(in: bytes) else { return nil }
    self.init(name, way: way)
  }

  private static let export = "open it in the program that made it, and save it as .xlsx, .csv or plain text"
  private static let table = "type its questions into a table, and save that as .xlsx or .csv"
  private static let other = "name a file with questions: a table (.xlsx, .csv), a quiz file, GIFT or Aiken"

  /// What a file is that begins like one of an office: a zip file, or a compound file of Office before 2007.
  package static func office(_ bytes: [UInt8]) -> ForeignFile? {
    if bytes.starts(with: [0x50, 0x4B, 3, 4]) { return ForeignFile("a spreadsheet, a document or another zip file", way: export) }
    guard bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) else { return nil }
    return ForeignFile("a file of Office before 2007, or one with a password", way: export)
  }

  /// What a file is by a signature at its start.
  private static func known(_ bytes: [UInt8]) -> (String, String)? {
    func begins(_ signature: String, at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: signature.utf8) }
    if begins("%PDF") { return ("a PDF", "copy its questions into a spreadsheet or a text, such as one in Aiken's format") }
    if begins("{\\rtf") { return ("a text with formats (RTF)", "save it as plain text in UTF-8") }
    if let picture = picture(bytes) { return ("a picture (\(picture))", table) }
    if isMedia(bytes) { return ("a video or a file of sound", other) }
    for (signature, name) in packed where bytes.starts(with: signature) {
      return ("a packed file (\(name))", "unpack it, and name what is in it")
    }
    if begins("SQLite format 3\u{0}") || begins("Standard ", at: 4) && bytes.first == 0 {
      return ("a database", "export its questions as .csv")
    }
    if begins("bplist00") { return ("a link or a list of properties by Apple", other) }
    return nil
  }

  private static let packed: [([UInt8], String)] = [
    ([0x1F, 0x8B], "gzip"), (Array("7z".utf8) + [0xBC, 0xAF], "7z"), (Array("Rar!".utf8), "RAR"), (Array("BZh".utf8), "bzip2"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"),
  ]

  private static func picture(_ bytes: [UInt8]) -> String? {
    let signatures: [([UInt8], String)] = [
      ([0x89, 0x50, 0x4E, 0x47], "PNG"), ([0xFF, 0xD8, 0xFF], "JPEG"), (Array("GIF8".utf8), "GIF"), ([0x49, 0x49, 0x2A, 0], "TIFF"),
      ([0x4D, 0x4D, 0, 0x2A], "TIFF"),
    ]
    if let found = signatures.first(where: { bytes.starts(with: $0.0) }) { return found.1 }
    let brand = bytes.dropFirst(8).prefix(4)
    if bytes.starts(with: "RIFF".utf8), brand.elementsEqual("WEBP".utf8) { return "WebP" }
    let isHEIF = ["heic", "heix", "mif1", "avif"].contains { brand.elementsEqual($0.utf8) }
    return isHEIF && bytes.dropFirst(4).starts(with: "ftyp".utf8) ? "HEIF" : nil
  }

  /// Whether a file begins like MP4, Matroska, FLV, Ogg, RIFF, FLAC, ID3 or a transport stream.
  private static func isMedia(_ bytes: [UInt8]) -> Bool {
    let signatures: [[UInt8]] = [
      [0x1A, 0x45, 0xDF, 0xA3], Array("FLV\u{1}".utf8), Array("OggS".utf8), Array("fLaC".utf8), Array("RIFF".utf8),
      Array("ID3\u{3}".utf8), Array("ID3\u{4}".utf8),
    ]
    if signatures.contains(where: { bytes.starts(with: $0) }) { return true }
    if ["ftyp", "moov", "styp"].contains(where: { bytes.dropFirst(4).starts(with: $0.utf8) }), bytes.first == 0 { return true }
    return bytes.count > 376 && bytes[0] == 0x47 && bytes[188] == 0x47 && bytes[376] == 0x47
  }

  /// Whether there are control characters among the first bytes. Tab, line ends, form feed and escape are those of texts.
  private static func controls(in bytes: [UInt8]) -> (String, String)? {
    let head = bytes.prefix(4_096)
    let controls = head.count { $0 < 0x20 && !(0x09...0x0D).contains($0) && $0 != 0x1A && $0 != 0x1B && $0 != 0 }
    let zeros = head.count { $0 == 0 }
    guard controls > 8 && controls > head.count / 50 || zeros > 0 && controls > 2 else { return nil }
    return ("no text: it has control characters", export)
  }
}

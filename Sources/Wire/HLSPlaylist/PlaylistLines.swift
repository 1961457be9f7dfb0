import Basics

/// The lines of a playlist without blank lines and comments (RFC 8216bis, 4.1).
///
/// A byte order mark before the first line is accepted, and so are CR LF, spaces at a line's end, lines before `#EXTM3U`, and text that is not
/// UTF-8, which counts as Latin-1.
struct PlaylistLines: ~Escapable, ~Copyable {
  private let bytes: Span<UInt8>
  private let limits: PlaylistLimits
  private var position = 0
  /// The number of the line that was read last; 0 before the first one.
  private(set) var number = 0
  /// The number of the line with `#EXTM3U`.
  private let header: Int

  /// The number of lines and of bytes before `#EXTM3U` that are accepted.
  private static let mostBefore = (lines: 64, bytes: 4_096)

  /// Starts before the first line.
  ///
  /// - Throws: `aboveLimit` for text that is too long, and `notAPlaylist` if there is no `#EXTM3U` at its start.
  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, limits: PlaylistLimits) throws(PlaylistError) {
    self.bytes = bytes
    self.limits = limits
    guard bytes.count <= limits.bytes else {
      throw PlaylistError(.aboveLimit(what: "length of the playlist in bytes", limit: limits.bytes), line: 1)
    }
    guard let header = Self.header(of: bytes) else { throw PlaylistError(.notAPlaylist, line: 1) }
    self.header = header
    position = Self.start(of: bytes)
  }

  /// Whether a text is a playlist: `#EXTM3U` is its first line, or follows blank lines, comments and other tags.
  static func isPlaylist(_ bytes: Span<UInt8>) -> Bool { header(of: bytes) != nil }

  /// The number of the line with `#EXTM3U`; `nil` if something else than tags, comments and blank lines precedes it.
  private static func header(of bytes: Span<UInt8>) -> Int? {
    var position = start(of: bytes)
    for number in 1...mostBefore.lines where position < min(bytes.count, mostBefore.bytes) {
      let end = lineEnd(in: bytes, from: position)
      let line = PlaylistLine(number: number, bytes: trimmed(bytes, position..<min(end, position + mostBefore.bytes)))
      if line.withoutBlanks.tag == .header { return number }
      guard line.bytes.isEmpty || line.bytes.first == UInt8(ascii: "#") else { return nil }
      position = end + 1
    }
    return nil
  }

  private static func start(of bytes: Span<UInt8>) -> Int {
    bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
  }

  /// The slip for lines before `#EXTM3U`; `nil` if it is the first one.
  var lateHeader: PlaylistError? {
    header == 1 ? nil : PlaylistError(.invalid("#EXTM3U has to be the first line"), line: header)
  }

  /// The next line, or `nil` at the end.
  ///
  /// - Throws: `aboveLimit` for a line that is too long.
  @_lifetime(self: copy self)
  mutating func next() throws(PlaylistError) -> PlaylistLine? {
    while position < bytes.count {
      let range = position..<lineEnd()
      position = range.upperBound + 1
      number += 1
      guard number != header else { continue }
      guard range.count <= limits.line else {
        throw PlaylistError(.aboveLimit(what: "length of the line in bytes", limit: limits.line), line: number)
      }
      var line = PlaylistLine(number: number, bytes: Self.trimmed(bytes, range))
      if bytes.extracting(range).firstIllFormedOffset != nil { line.readAsLatin1() }
      if !line.bytes.isEmpty && !line.isComment { return line }
    }
    return nil
  }

  private func lineEnd() -> Int { Self.lineEnd(in: bytes, from: position) }

  private static func lineEnd(in bytes: Span<UInt8>, from start: Int) -> Int {
    var end = start
    while end < bytes.count && bytes[end] != 0x0A { end += 1 }
    return end
  }

  /// The bytes of a range without the spaces, tabs and returns at its end.
  private static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
    var end = range.upperBound
    while end > range.lowerBound, PlaylistLine.isBlank(bytes[end - 1]) { end -= 1 }
    return [UInt8](copying: bytes.extracting(range.lowerBound..<end))
  }
}

/// A line and its number, from 1. Its bytes are UTF-8.
struct PlaylistLine {
  var number: Int
  var bytes: [UInt8]
  /// Whether the text is not UTF-8.
  private(set) var isLatin1 = false

  init(number: Int, bytes: [UInt8]) { (self.number, self.bytes) = (number, bytes) }

  private static let tagStart = Array("#EXT".utf8)

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

  /// The line without blanks at its start.
  var withoutBlanks: PlaylistLine { PlaylistLine(number: number, bytes: Array(bytes.drop(while: Self.isBlank))) }

  /// Converts bytes that are not UTF-8: each becomes the character of Latin-1 in a tag, and is percent-encoded in a URI.
  mutating func readAsLatin1() {
    isLatin1 = true
    let isURI = !bytes.starts(with: [UInt8(ascii: "#")])
    bytes = isURI ? PercentEncoding.encodeNonASCII(bytes) : bytes.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
  }

  /// Whether the line starts with `#` and is not a tag.
  var isComment: Bool { bytes.first == UInt8(ascii: "#") && !isTag }

  var isTag: Bool { bytes.starts(with: Self.tagStart) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The tag, if it is known.
  var tag: PlaylistTag? { PlaylistTag(bytes.prefix { $0 != UInt8(ascii: ":") }) }

  /// Where the tag's value starts: after the colon and blanks, although there should be no blanks.
  var valueStart: Int {
    let start = colonEnd
    return start + bytes[start...].prefix(while: Self.isBlank).count
  }

  /// The slip for blanks in front of the tag's value; `nil` if there are none.
  var blankBeforeValue: PlaylistError? {
    colonEnd == valueStart ? nil : error(.invalid("a blank in front of the value"), at: colonEnd)
  }

  private var colonEnd: Int { (bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count - 1) + 1 }

  /// The tag's value: the text after the colon, without blanks in front.
  var value: ArraySlice<UInt8> { bytes[valueStart...] }

  /// An error at the byte of this index, or in the whole line.
  func error(_ reason: PlaylistError.Reason, at index: Int? = nil) -> PlaylistError {
    PlaylistError(reason, line: number, column: index.map { $0 + 1 })
  }

  /// The decimal-integer that is the tag's value.
  func integer() throws(PlaylistError) -> UInt64 {
    guard let value = decimalInteger(value) else { throw error(.invalid("a decimal integer is expected here"), at: valueStart) }
    return value
  }

  /// Whether the tag may occur in a playlist of this kind. Otherwise it is left out.
  ///
  /// - Throws: `mixed` if it stands in front of a URI that would be of the other kind.
  func mayOccur(_ tag: PlaylistTag, in kind: Playlist.Kind, slips: inout SlipLog) throws(PlaylistError) -> Bool {
    if let blankBeforeValue { slips.add(self, blankBeforeValue, .read) }
    if tag.kind == nil || tag.kind == kind { return true }
    guard tag.deciding == nil else { throw error(.mixed(tag.text)) }
    slips.add(self, error(.mixed(tag.text)), .tagIgnored)
    return false
  }
}

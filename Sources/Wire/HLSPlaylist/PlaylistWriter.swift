/// Writes a playlist line by line. Its errors name the line that was to be written.
struct PlaylistWriter {
  /// The text so far, each line ended by a line feed.
  private(set) var bytes: [UInt8] = []
  private var lines = 0

  /// Starts with `#EXTM3U`, the larger of the stated and the required version, and the variables. The version 1 need not be stated.
  init(version: Int?, required: Int, variables: [PlaylistVariable]) throws(PlaylistError) {
    write(PlaylistTag.header.text)
    if version != nil || required > 1 { tag(.version, String(max(version ?? 1, required))) }
    for variable in variables { try tag(.define, variable.attributeList) }
  }

  /// An error in the next line.
  func error(_ reason: PlaylistError.Reason) -> PlaylistError { PlaylistError(reason, line: lines + 1) }

  /// Writes a tag without a value if it is set.
  mutating func flag(_ tag: PlaylistTag, _ isSet: Bool) { if isSet { write(tag.text) } }

  /// Writes a tag with a value that is known to contain no line break.
  mutating func tag(_ tag: PlaylistTag, _ value: String) { write(tag.text + ":" + value) }

  /// Writes a tag with attributes.
  mutating func tag(_ tag: PlaylistTag, _ attributes: AttributeList) throws(PlaylistError) {
    for attribute in attributes.attributes { try requireNoReference(attribute.value.text) }
    self.tag(tag, try attributes.text(line: lines + 1))
  }

  /// Writes a segment's or variant's URI.
  ///
  /// - Throws: `invalid` for one that could not be read back: empty, with a line break, a space at either end, or `#` in front.
  mutating func uri(_ uri: String) throws(PlaylistError) {
    guard let first = uri.utf8.first, first != UInt8(ascii: "#"), !PlaylistLine.isBlank(first) else {
      throw error(.invalid("a URI is not empty and does not start with # or a space"))
    }
    try requireLine(uri)
    try requireNoReference(uri)
    write(uri)
  }

  /// Writes tags that were kept as they were.
  ///
  /// - Throws: `invalid` for a line that is not a tag, or a tag that has a property of its own.
  mutating func kept(_ tags: [String], except isElsewhere: (PlaylistTag) -> Bool) throws(PlaylistError) {
    for text in tags {
      let line = PlaylistLine(number: lines + 1, bytes: Array(text.utf8))
      guard line.isTag else { throw error(.invalid("a kept tag starts with #EXT")) }
      if let tag = line.tag, isElsewhere(tag) { throw error(.invalid("\(tag.text) is not kept as text")) }
      try requireLine(text)
      write(text)
    }
  }

  /// Throws unless the text is one line that would be read back unchanged.
  func requireLine(_ text: String) throws(PlaylistError) {
    guard !text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { throw error(.invalid("a line break within a line")) }
    guard text.utf8.last.map(PlaylistLine.isBlank) != true else { throw error(.invalid("a space at the line's end")) }
  }

  private func requireNoReference(_ text: String) throws(PlaylistError) {
    guard text.utf8.contains(UInt8(ascii: "{")), PlaylistVariable.firstReference(in: Array(text.utf8)[...]) != nil else { return }
    throw error(.invalid("text that would be read as a reference to a variable"))
  }

  private mutating func write(_ line: String) {
    bytes.append(contentsOf: line.utf8)
    bytes.append(0x0A)
    lines += 1
  }
}

import Basics
import CMAF

extension FuzzTarget {
  /// Boxes: all that lie in one another, the movie, fragments and indices, and a fragment reader whatever the pieces are, with bytes that it need
  /// not see left out or not. The first byte says in which pieces.
  static let boxes = FuzzTarget("boxes") { bytes in
    var input = FuzzInput(bytes)
    let seed = input.next()
    let content = Array(input.rest)
    do throws(ParseError) {
      try visit(BoxReader(content.span))
    } catch {
      try require(error, liesIn: content)
    }
    let whole = fragments(in: [content], skips: false)
    try require(fragments(in: content.pieces(seed: seed), skips: false), equals: whole, "items in pieces")
    try require(fragments(in: content.pieces(seed: seed), skips: true), equals: whole, "items with bytes left out")
    try requireSameItems(content, seed: seed)
  }

  /// Goes through boxes and those in them, and reads each as everything that it can be.
  private static func visit(_ reader: consuming BoxReader) throws(ParseError) {
    var reader = reader
    while let box = try reader.next() {
      // Sample descriptions and lists of edits have fields in front of what lies in them.
      if let children = try? box.children(after: box.payload.count % 2 * 8) { try? visit(children) }
    }
  }

  private static func fragments(in pieces: [[UInt8]], skips: Bool) -> [FragmentItem] {
    var reader = FragmentReader()
    var items: [FragmentItem] = []
    for piece in pieces {
      let skipped = skips ? min(reader.skippable, piece.count) : 0
      reader.skip(skipped)
      items += reader.push(piece.span.extracting(droppingFirst: skipped))
    }
    return items + reader.finish()
  }
}

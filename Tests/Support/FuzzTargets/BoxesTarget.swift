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
    let taken = takeApart([content])
    try require(taken.bytes, equals: content, "bytes of the boxes")
    try require(takeApart(content.pieces(seed: seed)) == taken, "boxes in pieces")
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
    var reader = FragmentReader(samples: .always)
    var items: [FragmentItem] = []
    for piece in pieces {
      let skipped = skips ? min(reader.skippable, piece.count) : 0
      reader.skip(skipped)
      items += reader.push(piece.span.extracting(droppingFirst: skipped))
    }
    return items + reader.finish()
  }

  /// What a box assembler takes apart: the steps without the bytes that pass by, what is left, and all bytes in their order.
  private struct Taken: Equatable {
    var steps: [BoxAssembler.Step] = []
    var rest = BoxAssembler.Rest.nothing
    var bytes: [UInt8] = []
  }

  private static func takeApart(_ pieces: [[UInt8]]) -> Taken {
    var boxes = BoxAssembler { $0 == .emsg || $0 == .sidx ? 256 : 0 }
    var taken = Taken()
    for piece in pieces {
      var position = 0
      while let step = boxes.next(piece.span, &position) {
        switch step {
        case .held(let held): taken.bytes += held
        case .passed(let range): taken.bytes += piece[range]
        case .box(_, _, let bytes): taken.bytes += bytes
        case .header, .oversized, .damaged: break
        }
        switch step {
        case .held, .passed: break
        case .header, .box, .oversized, .damaged: taken.steps.append(step)
        }
      }
    }
    taken.rest = boxes.finish()
    switch taken.rest {
    case .header(let bytes, _), .box(_, _, let bytes), .cut(_, _, let bytes, _): taken.bytes += bytes
    case .nothing, .missing: break
    }
    return taken
  }
}

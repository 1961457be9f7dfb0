import Basics
import CMAF
import EventReading
import ID3
import PacketStamping
import Stamping
import TestSupport
import TransportStream

extension FuzzTarget {
  /// Stripping and repairing any packets, and fragmented MP4: the same comes out in whatever pieces the bytes come, and nothing else than timed ID3 and
  /// its tables is touched. The first byte says in which pieces, and whether the rest is a stream as it is or the packets of one whose tables are
  /// right; the second one says what is asked for.
  static let editor = FuzzTarget("editor") { bytes in
    var input = FuzzInput(bytes)
    let seed = input.next()
    let choice = input.next()
    var options = PacketEditor.Options(choice & 1 == 0 ? .strip(nil) : .repair)
    options.keepsSize = choice & 2 != 0
    options.keepsTables = choice & 4 != 0
    guard choice & 8 == 0 else { return try requireSameBoxes(Array(input.rest), seed, options) }
    let stream = seed & 1 != 0 ? stream(of: &input, choice & 16 != 0 ? .broadcast : .tags) : Array(input.rest)
    let whole = edit([stream], options)
    let pieced = edit(stream.pieces(seed: seed), options)
    guard let report = whole.report, pieced.report != nil else {
      return try require((whole.report == nil) == (pieced.report == nil), "refused in one way only")
    }
    try require(pieced.bytes, equals: whole.bytes, "output in pieces")
    try require(report.removedPackets >= 0 && report.addedPackets >= 0 && report.nulledPackets >= 0, "\(report)")
    guard found(in: stream) == .plain else { return }
    let difference = (report.addedPackets - report.removedPackets) * TransportPacket.size
    try require(whole.bytes.count == stream.count + difference, "\(whole.bytes.count) bytes of \(stream.count), \(difference) more")
    try requireUntouched(stream, whole.bytes, .plain)
    guard options.edit != .repair else {
      let again = edit([whole.bytes], options)
      return try require(again.bytes, equals: whole.bytes, "repaired twice")
    }
    try require(!hasEvents(whole.bytes), "an event is left")
  }

  private static func edit(_ pieces: [[UInt8]], _ options: PacketEditor.Options) -> (bytes: [UInt8], report: PacketEditor.Report?) {
    var editor = PacketEditor(options)
    var output: [UInt8] = []
    do throws(PacketStampingError) {
      for piece in pieces { try editor.push(piece.span, into: &output) }
      let report = try editor.finish(into: &output)
      return (output, report)
    } catch {
      return ([], nil)
    }
  }

  private static func hasEvents(_ stream: [UInt8]) -> Bool {
    var reader = EventReader()
    var items = (try? reader.push(stream.span)) ?? []
    items += (try? reader.finish()) ?? []
    return items.contains { if case .copy = $0 { true } else { false } }
  }

  /// Boxes that keep their sizes keep their places; every other box is what it was, but for events in samples.
  private static func requireSameBoxes(_ bytes: [UInt8], _ seed: UInt8, _ options: PacketEditor.Options) throws {
    func edit(_ pieces: [[UInt8]]) -> (bytes: [UInt8], report: PacketEditor.Report) {
      var editor = FragmentEditor(options.edit, keepsSize: options.keepsSize)
      var output: [UInt8] = []
      for piece in pieces { editor.push(piece.span, into: &output) }
      editor.endSegment(into: &output)
      return (output, editor.report)
    }
    let whole = edit([bytes])
    try require(edit(bytes.pieces(seed: seed)).bytes, equals: whole.bytes, "boxes in pieces")
    let changed = whole.report.removedBoxes + whole.report.rewrittenBoxes + whole.report.messages + whole.report.unusable
    if changed == 0 { try require(whole.bytes, equals: bytes, "boxes in which nothing is changed") }
    let again = edit([whole.bytes])
    try require(again.bytes, equals: whole.bytes, "edited twice")
    guard options.edit != .repair else {
      // A message without an end gets its size.
      let added = whole.report.repaired * ID3Tag.cutLength
      return try require(whole.bytes.count == bytes.count + added, "\(whole.bytes.count) bytes instead of \(bytes.count) and \(added)")
    }
    try require(!options.keepsSize || whole.bytes.count == bytes.count, "\(whole.bytes.count) bytes instead of \(bytes.count)")
  }
}

import Basics
import CMAF
import GameEvents
import ID3

extension FuzzTarget {
  /// Event messages and file types: what is read is written back equal, and tags in messages are read.
  static let eventMessages = FuzzTarget("event-messages") { bytes in
    if let brands = try? FileTypeBox(bytes.span) {
      let written = try brands.encoded()
      try require(try FileTypeBox(written.span), equals: brands, "file type written and read again")
    }
    let message: EventMessageBox
    do throws(ParseError) {
      message = try EventMessageBox(bytes.span)
    } catch {
      try require(error, liesIn: bytes)
      return
    }
    let written = try message.encoded()
    try require(try EventMessageBox(written.span), equals: message, "message written and read again")
    _ = (message.presentationTime(segmentStart: .zero), message.presentationTime(segmentStart: MediaTime(ticks: .max)))
    if let tag = try? ID3Tag.decode(message.messageData.span) { _ = EventCopy.copies(in: tag) }
  }
}

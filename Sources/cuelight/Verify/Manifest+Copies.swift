import Basics
import CMAF
import DASHReading
import GameEvents
import ID3

extension Manifest.Event {
  /// The copies of events in the tag that an event of an MPD has, as its event message would have it; none if it has another scheme.
  var copies: [EventCopy] {
    guard [EventMessageBox.id3Scheme, EventMessageBox.appleID3Scheme].contains(where: { $0.text == stream.scheme }),
      let tag = try? ID3Tag.decode(content.span)
    else { return [] }
    return EventCopy.copies(in: tag).compactMap { try? $0.get() }
  }
}

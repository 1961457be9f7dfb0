import CMAF
import ID3
import TestSupport

extension BoxSample {
  /// A segment with tags in event messages.
  static func segment(_ second: UInt64, _ tags: [(tag: ID3Tag, time: EventMessageBox.Time)]) throws -> [UInt8] {
    segment(
      second,
      try tags.map { tag, time in
        try EventMessageBox(schemeID: EventMessageBox.id3Scheme, time: time, id: 7, messageData: try tag.encode()).encoded()
      })
  }
}

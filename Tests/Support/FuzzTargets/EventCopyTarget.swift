import Basics
import GameEvents
import ID3

extension FuzzTarget {
  /// The text of a copy: what is read is written, verified, and read again equal, also through a tag. The description is the first line.
  static let eventCopy = FuzzTarget("event-copy") { bytes in
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let description = String(decoding: parts.first ?? [], as: UTF8.self)
    let text = String(decoding: parts.dropFirst().first ?? [], as: UTF8.self)
    guard var copy = try? EventCopy(parsing: text, description: description) else { return }
    try require(copy.copy >= 1 && copy.copies >= 1 && (.zero...EventCopy.largestAge).contains(copy.age), "\(copy)")
    _ = (copy.programmeTime, copy.event.footprint)
    // Keys that look like the envelope's are left out of what is written, so the first writing may change the unknown keys.
    guard let again = try? EventCopy(parsing: copy.text, description: "") else {
      return try require(copy.text.utf8.count > EventCopy.largestText, "not read again: \(copy.text)")
    }
    copy.isVerified = true
    copy.event.unknownKeys = again.event.unknownKeys
    if case .custom = copy.event.content { copy.event.content = again.event.content }
    try require(again, equals: copy, "written and read again")
    try require(Array(again.text.utf8), equals: Array(copy.text.utf8), "written twice")
    // A description ends with a NUL, and so cannot hold one.
    guard !again.event.type.text.utf8.contains(0) else { return }
    let encoded = try again.encodedTag()
    let tag = try ID3Tag.decode(encoded.span)
    try require(try EventCopy.copies(in: tag).first?.get(), equals: again, "in a tag")
  }
}
